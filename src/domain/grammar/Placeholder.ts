/**
 * Texts of the formats in the prompts that were copied instead of filled in.
 */

/** What stands between angle brackets in the formats, also in those of prompts that people wrote themselves. */
const copied = new Set([
  "the prompt in one line",
  "one short paragraph: what will be known or done at the end",
  "short, unique",
  "what to find out or do, with the exact names and words to look for",
  "one name from the skills above",
  "one name from the skills below",
  "links only; leave the line out when there is none",
  "what the result must hold",
  "the goals as given",
  "as given",
  "as given, made more exact where you can",
  "as given; leave the line out when there is none",
  "what was found or done, complete and short, with links",
  "only what the summary lacks: excerpts, lists, reasons",
  "only if the summary is not enough: excerpts, lists, reasons"
])

/** What the tasks of the example in the creation prompt are about. */
const ofExample = new Set([
  "find where the code limits retries. words: `retry`, `retries`, `maxattempts`.",
  "find what the documentation says about retries. words: `retry`, `attempts`.",
  "read the code of the limit and say whether the documentation agrees."
])

const dots = /^[<([{]?\s*(?:\.{3,}|…)\s*[>)\]}]?$/

const inBrackets = /^<([^<>]{1,100})>[.]?$/

const plain = (text: string): string => text.trim().replace(/\s+/g, " ").toLowerCase()

/** True for `...`, for a text of a format in its brackets, and for a text of the example. */
export const isPlaceholder = (text: string): boolean =>
  dots.test(text.trim()) || ofExample.has(plain(text)) || copied.has(plain(inBrackets.exec(text.trim())?.[1] ?? ""))

/** True for a value of a refinement that only says that the planned one stays. */
export const isAsGiven = (text: string): boolean =>
  isPlaceholder(text) ||
  /^[(*_]*(?:(?:the )?same )?as (?:given|planned|before|above)(?: (?:above|before|in the plan))?[)*_]*\.?$|^unchanged\.?$/i.test(
    text.trim()
  )
