/**
 * Counts the failed attempts of a model in a task or message. The counts decide the sampling of the next answer,
 * whether a report is rejected again, and when the program gives up on the model.
 */
import type { Issue } from "../findings/Issue.ts"
import type { ParsedAnswer } from "./TurnAnswer.ts"
import { holdsNothing } from "./UselessAnswers.ts"

export interface Retries {
  /** The unusable answers since the last usable answer. */
  readonly unusable: ReadonlyArray<string>
  /** How many answers in a row had none of the requested content. */
  readonly useless: number
  readonly rejectedReports: number
  /** How often a report was rejected because the model had made no call. */
  readonly unfoundedReports: number
  /** How many answers repeated an earlier answer. */
  readonly repeats: number
  /** How many answers hit the length limit while the model was still thinking. */
  readonly thinkingCuts: number
  /** All answers so far, to recognise a repeated answer. */
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
  /** Issues of the text and of its report, without those of native calls. */
  readonly issues: ReadonlyArray<Issue>
  /** True for an answer that has issues and contains no usable call. */
  readonly isUnusable: boolean
  /** True if the program rejected the report of the answer. */
  readonly isSentBack: boolean
  /** True if the report is about the project, but the model has made no call. */
  readonly isUnfounded: boolean
}

/**
 * True for an answer with the text of an earlier answer. False if the answer has native calls, because the same text
 * may accompany other calls.
 */
export const isRepeated = ({ answers }: Retries, { native, text }: ParsedAnswer): boolean =>
  answers.has(text.trim()) && native.length === 0

/** The counts after one more answer that did not end the work. */
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
