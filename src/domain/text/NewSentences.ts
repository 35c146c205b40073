/** The sentences of a text that say something which another text does not say, so that a prompt does not say it twice. */
import { stemOf } from "./Nearest.ts"

/** Words that say nothing by themselves; words that limit or deny do. */
const silent = new Set(
  "a an and are as at be by each every for in is it its of on or that the their this to with".split(" ")
)

/** The words of a text; a name in backticks has to be the same, of another word its stem. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([^`\n]+)`|[\p{L}\p{N}_$]+/gu)]
    .map(([word, name]) => name ?? (/^\p{L}?\p{Ll}+$/u.test(word) ? stemOf(word.toLowerCase()) : word))
    .filter((word) => !silent.has(word))

/** The text without the sentences of which all words stand in `known`; a text with a fence stays whole. */
export const newSentences = (text: string, known: string): string => {
  const words = new Set(wordsOf(known))
  const isNew = (part: string): boolean => wordsOf(part).some((word) => !words.has(word))
  const ends = /^\s*(?:`{3,}|~{3,})/m.test(text) ? /$^/ : /(?<=[.!?;])[^\S\n]+|(?<=\n)/
  const parts = text.split(ends).filter((part) => part.trim() === "" || isNew(part))
  return parts
    .map((part) => part.replace(/(?<=[.!?;])$/, " "))
    .join("")
    .trim()
}
