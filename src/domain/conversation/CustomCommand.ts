/**
 * Messages that users keep in files and send by name. `/review src/a.ts` sends the text of `review.md`, with `src/a.ts`
 * for `$ARGUMENTS`. Such a message has no more permissions than a typed one, because a project can write any text into
 * its commands.
 */

export interface CustomCommand {
  readonly name: string
  /** One line; empty if the file has no description. */
  readonly description: string
  readonly text: string
  /** True for the user's command, false for the project's. */
  readonly isOwn: boolean
}

/** The name of the command that a file with this name defines. Undefined for a file that is no command. */
export const commandName = (file: string): string | undefined => /^([\w-]+)\.md$/.exec(file)?.[1]

/** Reads a command's file, which may begin with `description: ...` between two lines `---`. */
export const readCustomCommand = (name: string, file: string, isOwn: boolean): CustomCommand => {
  const [whole = "", head = ""] = /^---\r?\n([^]*?)\r?\n---[^\S\n]*(?:\n|$)/.exec(file) ?? []
  const [, description = ""] = /^description:[^\S\n]*(.*)$/m.exec(head) ?? []
  return { name, description: description.trim(), text: file.slice(whole.length).trim(), isOwn }
}

const place = "$ARGUMENTS"

/** The message that a typed line sends: the text of the command that the line names, or else the line itself. */
export const expandCommand = (line: string, commands: ReadonlyArray<CustomCommand>): string => {
  const [, name, typed = ""] = /^\s*\/([\w-]+)(?:\s+([^]*))?$/.exec(line) ?? []
  const command = commands.find((one) => one.name === name)
  if (command === undefined) return line
  const { text } = command
  if (text.includes(place)) return text.replaceAll(place, () => typed.trim())
  return typed.trim() === "" ? text : `${text}\n\n${typed.trim()}`
}
