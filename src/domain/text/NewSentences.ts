/** Finds the sentences of a text that say more than another text, so that a prompt repeats no facts. */
import { stemOf } from "./Nearest.ts"

/** Words that say nothing by themselves. Limits and negations do. */
const silent = new Set(
  "a an and are as at be by each every for in is it its of on or that the their this to with".split(" ")
)

/** The words of a text for comparison: names in backticks as written, other words as stems. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([^`\n]+)`|[\p{L}\p{N}_$]+/gu)]
    .map(([word, name]) => name ?? (/^\p{L}?\p{Ll}+$/u.test(word) ? stemOf(word.toLowerCase()) : word))
    .filter((word) => !silent.has(word))

/** Removes sentences whose words all occur in `known`. A text with a fence stays unchanged. */
export const newSentences = (text: string, known: string): string => {
  const words = new Set(wordsOf(known))
  const isNew = (part: string): boolean => wordsOf(part).some((word) => !words.has(word))
  const ends = /^\s*(?:`{3,}|~{3,})/m.test(text) ? /$^/ : /(?<=[.!?])[^\S\n]+|(?<=\n)/
  const parts = text.split(ends).filter((part) => part.trim() === "" || isNew(part))
  return parts
    .map((part) => part.replace(/(?<=[.!?])$/, " "))
    .join("")
    .trim()
}
