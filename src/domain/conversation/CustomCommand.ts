/**
 * Messages that are kept in files and sent by a name: `/review src/a.ts` is the text of `review.md` with `src/a.ts` in the place of
 * `$ARGUMENTS`. It is a message like any other: it permits nothing, and a model may be given whatever a project wrote into it.
 */

export interface CustomCommand {
  readonly name: string
  /** One line; empty when the file has none. */
  readonly description: string
  readonly text: string
  /** True for one of the person, false for one of the project. */
  readonly isOwn: boolean
}

/** The name that a file gives its command; nothing for a file that is none. */
export const commandName = (file: string): string | undefined => /^([\w-]+)\.md$/.exec(file)?.[1]

/** Reads a file; a block between lines of `---` at its beginning may have a line `description: ...`. */
export const readCustomCommand = (name: string, file: string, isOwn: boolean): CustomCommand => {
  const [whole = "", head = ""] = /^---\r?\n([^]*?)\r?\n---[^\S\n]*(?:\n|$)/.exec(file) ?? []
  const [, description = ""] = /^description:[^\S\n]*(.*)$/m.exec(head) ?? []
  return { name, description: description.trim(), text: file.slice(whole.length).trim(), isOwn }
}

const place = "$ARGUMENTS"

/** The message that a line means; any other line is its own message. */
export const expandCommand = (line: string, commands: ReadonlyArray<CustomCommand>): string => {
  const [, name, typed = ""] = /^\s*\/([\w-]+)(?:\s+([^]*))?$/.exec(line) ?? []
  const command = commands.find((one) => one.name === name)
  if (command === undefined) return line
  const { text } = command
  if (text.includes(place)) return text.replaceAll(place, () => typed.trim())
  return typed.trim() === "" ? text : `${text}\n\n${typed.trim()}`
}
