/**
 * What the new text of a whole file would lose without a word: lines that stand for others, and a part of the file that was
 * written as if it were all.
 */
import type { IssueCode } from "../findings/Issue.ts"
import { elisionIn } from "./Elision.ts"

/** A file with fewer lines is not cut to a part of it unseen. */
const leastLines = 12

/** A new text with more of the lines is no part of the file. */
const mostKept = 0.6

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** Words with which an answer says that something goes. */
const removal =
  /\b(?:remov|delet|drop|strip|prun|trim|shorten|simplif|clean|reduc|discard|obsolete|get rid|cut (?:out|down))/i

/** True for an answer that says in its own words that text goes. */
export const saysRemoval = (words: string): boolean => removal.test(words)

export interface Loss {
  readonly code: Extract<IssueCode, "change-elided" | "change-open">
  readonly what: string
  readonly how: string
}

const how = "Send blocks with the old and the new lines of each place instead."

/** What a new text loses of a file. `saysSo` is true when the answer says that something goes. */
export const lossOf = (path: string, base: string, text: string, saysSo: boolean): Loss | undefined => {
  const elided = elisionIn(text, base)
  if (elided !== undefined) {
    const what = `The line \`${elided.trim()}\` in the text for ${path} stands for others, which would be lost.`
    return { code: "change-elided", what, how }
  }
  const before = linesOf(base)
  const after = linesOf(text)
  const known = new Set(before)
  const own = after.filter((line) => known.has(line)).length
  const isPart = after.length <= before.length * mostKept && own * 2 >= after.length
  if (saysSo || before.length < leastLines || !isPart) return undefined
  const what = `The text for ${path} has ${after.length} of its ${before.length} lines, so nothing was changed.`
  return { code: "change-open", what, how: `${how} If the others are to go, say so in a sentence before the text.` }
}
