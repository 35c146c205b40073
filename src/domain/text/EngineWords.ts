/**
 * Says what an error of the JavaScript engine means, for people who do not know the engine. Errors of other origin keep
 * their own message.
 */

/** The message of `JSON.parse` quotes the beginning of a longer text. */
const quotedText = /, (?:\.\.\.)?"([^]*?)"(?:\.\.\.)? is not valid JSON$/

const jsonFault = (message: string): string | undefined => {
  const quoted = quotedText.exec(message)?.[1]
  if (quoted !== undefined) return `this is not JSON: ${quoted.split("\n", 1).join("")}`
  return /\bJSON\b/.test(message) ? "a text is not complete JSON" : undefined
}

/** The message of an error in plain words; its name when it has none. */
export const plainFault = (error: Error): string => {
  const { message, name } = error
  if (message === "Maximum call stack size exceeded") return "it is nested too deeply, or calls itself without end"
  if (error instanceof SyntaxError) return jsonFault(message) ?? message
  return message === "" ? name : message
}
