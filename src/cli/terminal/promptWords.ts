/**
 * Recognizes a prompt that a person wrote without quotes or without a command, and writes the line that they meant.
 */

const plainForShell = /^[^"$`\\!]*$/

/** A text in quotes, as a shell reads it. */
const quoted = (text: string): string =>
  plainForShell.test(text) ? `"${text}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A word of a line that was split already. */
const asTyped = (word: string): string => (word === "" || /\s/.test(word) ? quoted(word) : word)

const takesPrompt = new Set(["run", "plan", "ask"])

/** What to type for a command line that has words after its prompt; nothing for a command without a prompt. */
export const unquotedPrompt = (argv: ReadonlyArray<string>, unexpected: ReadonlyArray<string>): string | undefined => {
  const [command = ""] = argv
  if (!takesPrompt.has(command) || unexpected.length === 0) return undefined
  const at = argv.findIndex((_, index) => unexpected.every((word, offset) => argv[index + offset] === word))
  if (at < 2) return undefined
  const words = argv.slice(at - 1, at + unexpected.length)
  const flags = [...argv.slice(1, at - 1), ...argv.slice(at + unexpected.length)].map(asTyped)
  return `Put the prompt in quotes: task-conductor ${[command, ...flags, quoted(words.join(" "))].join(" ")}`
}

/** What to type for words where a command was expected; nothing for one word, which is more likely a wrong command. */
export const promptWithoutCommand = (argv: ReadonlyArray<string>): string | undefined => {
  const flag = argv.findIndex((word) => word.startsWith("-"))
  const words = (flag === -1 ? argv : argv.slice(0, flag)).join(" ").trim()
  if (!/\s/.test(words)) return undefined
  const flags = flag === -1 ? [] : argv.slice(flag).map(asTyped)
  return `To have it done, type: task-conductor ${["run", ...flags, quoted(words)].join(" ")}`
}
