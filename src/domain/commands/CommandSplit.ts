/** Splits a user's command line into words, as a shell does, and rejects syntax that only a shell can execute. */
import type { CommandLine } from "./CommandText.ts"

const operators = /^(?:[|&;<>`]|\$)/
const use = "No shell reads it: name one program with its arguments, or put more into a script and name that."

/** The words of a command, or sentences that say why it is not valid. */
export const splitCommand = (text: string): CommandLine | string => {
  const words: Array<string> = []
  let word: string | undefined
  let quote = ""
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote === "'" ? character !== "'" : quote === '"' && !/["\\]/.test(character)) {
      word = (word ?? "") + character
    } else if (character === "\\") {
      at += 1
      word = (word ?? "") + text.charAt(at)
    } else if (quote !== "" || /["']/.test(character)) {
      quote = quote === "" ? character : ""
      word ??= ""
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      if (operators.test(character))
        return `The command ${JSON.stringify(text)} has "${character}", which only a shell understands. ${use}`
      word = (word ?? "") + character
    }
  }
  if (quote !== "") return `The command ${JSON.stringify(text)} has a ${quote} without its end. Add it.`
  if (word !== undefined) words.push(word)
  const [program, ...rest] = words
  if (program === undefined || program === "") return "The command is empty. Name a program with its arguments."
  if (/^[A-Za-z_]\w*=/.test(program))
    return `The command ${JSON.stringify(text)} begins with a variable, which only a shell understands. ${use}`
  return [program, ...rest]
}
