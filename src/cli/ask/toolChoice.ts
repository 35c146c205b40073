/**
 * Reads which tools a person chooses for a conversation: `read_file,search_files`, `on NAMES`, `off NAMES`, `all`.
 */

/** The names of a list that is separated by commas or blanks. */
export const toolNames = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((name) => name !== "")

/** The tools to offer, by what is offered now and what the person writes; nothing for all. */
export const chooseTools = (argument: string, offered: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const [first = "", ...rest] = toolNames(argument)
  if (first === "all" && rest.length === 0) return undefined
  if (first === "on" && rest.length > 0) return [...new Set([...offered, ...rest])]
  if (first !== "off" || rest.length === 0) return [first, ...rest]
  const missing = rest.filter((name) => !offered.includes(name))
  /* A name that is not offered is passed on, so that one that no tool has is reported. */
  return [...offered.filter((name) => !rest.includes(name)), ...missing]
}
