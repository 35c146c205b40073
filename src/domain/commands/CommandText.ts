/**
 * A command as text, to be shown and compared with rules, and the limits of a command. No shell reads the text.
 */
import * as Schema from "effect/Schema"

/** A program with its arguments, one element each; no shell reads them. */
export const CommandLine = Schema.NonEmptyArray(Schema.String)
export type CommandLine = typeof CommandLine.Type

const plainWord = /^[\w./:=@%+,-]+$/

/** A word as it is; in JSON quotes when it holds anything but letters, digits and `_ . / : = @ % + , -`. */
export const wordText = (word: string): string => (plainWord.test(word) ? word : JSON.stringify(word))

/** The words joined by blanks, so that different commands have different texts. */
export const commandText = (argv: CommandLine): string => argv.map(wordText).join(" ")

const maxWords = 256
const maxBytes = 32_768

/** What is wrong with a command, and what to do; nothing when it can be run. */
export const commandProblem = (argv: CommandLine): string | undefined => {
  const [program] = argv
  if (program.trim() === "") return "The program is empty. Name it as the first element of argv."
  if (program.startsWith("-"))
    return `The program ${JSON.stringify(program)} looks like an option. Name the program first.`
  if (argv.length > maxWords)
    return `The command has ${argv.length} words; at most ${maxWords} are taken. Make several calls.`
  const broken = argv.findIndex((word) => word.includes("\0") || !word.isWellFormed())
  if (broken !== -1) return `Element ${broken} of argv holds a NUL character or half a character. Remove it.`
  const bytes = argv.reduce((sum, word) => sum + new TextEncoder().encode(word).length + 1, 0)
  if (bytes > maxBytes)
    return `The command has ${bytes} bytes; at most ${maxBytes} are taken. Put long text into a file.`
  return undefined
}
