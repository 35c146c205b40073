/**
 * Messages that users keep in files and send by name. `/review src/a.ts` sends the text of `review.md`, with `src/a.ts`
 * in place of `$ARGUMENTS`. Such a message gives no more permissions than a typed message, because a project can write
 * any text into its commands.
 */

export interface CustomCommand {
  readonly name: string
  /** A description in one line. Empty if the file has none. */
  readonly description: string
  readonly text: string
  /** True for a command of the user. False for a command of the project. */
  readonly isOwn: boolean
}

/** The name of the command in a file. Undefined if the file holds no command. */
export const commandName = (file: string): string | undefined => /^([\w-]+)\.md$/.exec(file)?.[1]

/** Reads the file of a command. The file may begin with two lines `---`, with `description: ...` between them. */
export const readCustomCommand = (name: string, file: string, isOwn: boolean): CustomCommand => {
  const [whole = "", head = ""] = /^---\r?\n([^]*?)\r?\n---[^\S\n]*(?:\n|$)/.exec(file) ?? []
  const [, description = ""] = /^description:[^\S\n]*(.*)$/m.exec(head) ?? []
  return { name, description: description.trim(), text: file.slice(whole.length).trim(), isOwn }
}

const place = "$ARGUMENTS"

/**
 * The message that a typed line sends. If the line does not begin with the name of a command, the line itself is the
 * message.
 */
export const expandCommand = (line: string, commands: ReadonlyArray<CustomCommand>): string => {
  const [, name, typed = ""] = /^\s*\/([\w-]+)(?:\s+([^]*))?$/.exec(line) ?? []
  const command = commands.find((one) => one.name === name)
  if (command === undefined) return line
  const { text } = command
  if (text.includes(place)) return text.replaceAll(place, () => typed.trim())
  return typed.trim() === "" ? text : `${text}\n\n${typed.trim()}`
}
