/**
 * What a model tried in vain in the turns of a task or a message. It decides how the next answer is sampled, whether a report is sent
 * back again, and when the model is given up.
 */
import type { Issue } from "../findings/Issue.ts"
import type { ParsedAnswer } from "./TurnAnswer.ts"
import { holdsNothing } from "./UselessAnswers.ts"

export interface Retries {
  /** The last answers in a row that could not be used. */
  readonly unusable: ReadonlyArray<string>
  /** How many answers in a row held nothing of what was asked for. */
  readonly useless: number
  readonly rejectedReports: number
  /** How often a report was sent back because nothing had been looked at. */
  readonly unfoundedReports: number
  /** How many answers repeated an earlier one. */
  readonly repeats: number
  /** How many answers were cut off while the model thought. */
  readonly thinkingCuts: number
  /** All answers so far, to notice one that comes again. */
  readonly answers: ReadonlySet<string>
}

export const noRetries: Retries = {
  unusable: [],
  useless: 0,
  rejectedReports: 0,
  unfoundedReports: 0,
  repeats: 0,
  thinkingCuts: 0,
  answers: new Set()
}

/** An answer that did not end the work. */
interface OpenAnswer {
  readonly answer: ParsedAnswer
  /** Issues of the answer and its report, without those of calls of the interface. */
  readonly issues: ReadonlyArray<Issue>
  /** True when the answer has issues, and no call that can be made. */
  readonly isUnusable: boolean
  /** True when its report was sent back. */
  readonly isSentBack: boolean
  /** True when its report is about the project, and nothing was looked at. */
  readonly isUnfounded: boolean
}

/** True for an answer that was given before. An answer with calls of the interface may have the same text each time. */
export const isRepeated = ({ answers }: Retries, { native, text }: ParsedAnswer): boolean =>
  answers.has(text.trim()) && native.length === 0

/** What was tried in vain after one more answer. */
export const retriesAfter = (retries: Retries, open: OpenAnswer): Retries => {
  const { answer, isSentBack, isUnfounded, isUnusable, issues } = open
  const { content, hasOnlyThought = false, native } = answer
  const text = answer.text.trim()
  const isAgain = isRepeated(retries, answer)
  const isUseless =
    isUnusable &&
    native.length === 0 &&
    content.hasUse !== true &&
    (isAgain || holdsNothing(content.report === undefined ? content.issues : issues))
  return {
    unusable: isUnusable ? [...retries.unusable, text] : [],
    useless: isUseless ? retries.useless + 1 : 0,
    rejectedReports: retries.rejectedReports + (isSentBack ? 1 : 0),
    unfoundedReports: retries.unfoundedReports + (isUnfounded ? 1 : 0),
    repeats: retries.repeats + (isAgain ? 1 : 0),
    thinkingCuts: retries.thinkingCuts + (hasOnlyThought ? 1 : 0),
    answers: new Set([...retries.answers, text])
  }
}
