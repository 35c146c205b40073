/**
 * What the new text of a whole file would lose without a word: lines that stand for others, and a part of the file that was
 * written as if it were all.
 */
import type { IssueCode } from "../findings/Issue.ts"
import { elisionIn, type ReplacedText } from "./Elision.ts"

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

/** How many lines a text has that is a part of the file; nothing for a text of its own. */
const partOf = (base: string, text: string): { readonly before: number; readonly after: number } | undefined => {
  const before = linesOf(base)
  const after = linesOf(text)
  const known = new Set(before)
  const own = after.filter((line) => known.has(line)).length
  const isPart = after.length <= before.length * mostKept && own * 2 >= after.length
  return before.length < leastLines || !isPart ? undefined : { before: before.length, after: after.length }
}

/** Why a person is to see what a new text loses of a file, as a sentence; `isWhole` is false for edits, which name what goes. */
export const lossSentence = ({ newText, oldText, path }: ReplacedText, isWhole: boolean): string | undefined => {
  const elided = elisionIn({ newText, oldText, path })
  if (elided !== undefined) return `The line \`${elided.trim()}\` stands for others, which would be lost.`
  const part = isWhole ? partOf(oldText, newText) : undefined
  return part === undefined ? undefined : `Of ${part.before} lines with text, ${part.after} would be left.`
}

/** What a new text loses of a file. `saysSo` is true when the answer says that something goes. */
export const lossOf = (replaced: ReplacedText, saysSo: boolean): Loss | undefined => {
  const { newText, oldText, path } = replaced
  const elided = elisionIn(replaced)
  if (elided !== undefined) {
    const what = `The line \`${elided.trim()}\` in the text for ${path} stands for others, which would be lost.`
    return { code: "change-elided", what, how }
  }
  const part = saysSo ? undefined : partOf(oldText, newText)
  if (part === undefined) return undefined
  const what = `The text for ${path} has ${part.after} of its ${part.before} lines, so nothing was changed.`
  return { code: "change-open", what, how: `${how} If the others are to go, say so in a sentence before the text.` }
}
