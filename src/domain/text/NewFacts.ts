/** Compares the facts of two texts by their words, so that a prompt repeats no facts. */
import { stemOf } from "./Nearest.ts"

/**
 * Words without a meaning of their own. `word` is listed because it labels the search words of a task. Words for limits
 * and negations are not listed, because they have a meaning.
 */
const silent = new Set(
  "a an and are as at be by each every for in is it its of on or that the their this to with word".split(" ")
)

/** The words of a text for comparison: names in backticks as written, other words as stems. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([^`\n]+)`|[\p{L}\p{N}_$]+/gu)]
    .map(([word, name]) => name ?? (/^\p{L}?\p{Ll}+$/u.test(word) ? stemOf(word.toLowerCase()) : word))
    .filter((word) => !silent.has(word))

/** True if the text has a word that is not in `known`. */
export const saysMore = (text: string, known: string): boolean => {
  const words = new Set(wordsOf(known))
  return wordsOf(text).some((word) => !words.has(word))
}
