/**
 * Turns an answer that is no document into issues, which another answer may correct. Such an answer was stopped or cut
 * off, is empty, or has only thoughts.
 */
import * as Option from "effect/Option"
import { type Issue, type IssueCode, makeIssue } from "../findings/Issue.ts"
import { codeSpan } from "../markdown/PromptBlock.ts"
import type { ModelError, StoppedAnswer } from "../models/ModelAnswer.ts"
import { cutAtParagraph } from "../text/Excerpt.ts"
import { type AnswerShape, issuesOfPart, wholePartOf } from "./AnswerWatch.ts"
import { repeatsStopped, stoppedAgain, stoppedNote } from "./UselessAnswers.ts"

/** The document that the stage expects. `readPart` returns the issues of an incomplete document. */
interface ExpectedDocument {
  readonly shape?: AnswerShape
  readonly readPart?: (part: string) => ReadonlyArray<Issue>
}

const issue = (code: IssueCode, what: string, how?: string): Issue => makeIssue(code, {}, { what, how })

/** The answer of one attempt. `shownText` is what the next prompt shows of the answer. */
export interface PlainAnswer {
  readonly text: string
  readonly issues: ReadonlyArray<Issue>
  readonly shownText: string
  /** True if the model thought but wrote no answer. */
  readonly hasOnlyThought?: boolean
}

export const plainAnswer = (text: string): PlainAnswer => ({
  text,
  shownText: text,
  issues: repeatsStopped(text) ? [stoppedAgain] : []
})

/**
 * The next prompt shows only this many characters of a stopped answer: enough to recognise it, too few to continue it.
 */
const shownOfStopped = 600

const beginWith = (shape: AnswerShape | undefined): string =>
  shape === undefined ? "Write the document" : `Begin with the heading "${shape.begins}"`

const onlyThought = (what: string, shape: AnswerShape | undefined): PlainAnswer => ({
  text: "",
  shownText: "",
  hasOnlyThought: true,
  issues: [issue("answer-empty", what, `${beginWith(shape)} at once, without thinking first.`)]
})

const stopped = (reason: StoppedAnswer, shape: AnswerShape | undefined): PlainAnswer => {
  const { omittedCharacters: charactersLeft, text } = cutAtParagraph(reason.partial, shownOfStopped)
  const begin = beginWith(shape)
  return {
    text: reason.partial,
    shownText: charactersLeft === 0 ? text : `${text}\n\n${stoppedNote(charactersLeft)}`,
    issues: [
      reason.kind === "loop"
        ? issue(
            "answer-loop",
            `The answer was stopped: ${reason.detail}.`,
            `${begin}, write everything once, and stop.`
          )
        : issue("answer-shape", `The answer was stopped: ${reason.detail}.`, `${begin} and write nothing before it.`)
    ]
  }
}

/** The complete part of an answer that hit the length limit, with the issues of that part. */
const cutOff = (partial: string, readPart: ((part: string) => ReadonlyArray<Issue>) | undefined): PlainAnswer => {
  const part = wholePartOf(partial)
  const partIssues = readPart === undefined ? [] : issuesOfPart(part, readPart)
  const whole =
    part.text === "" || part.cut === "" ? "" : ` It was whole up to the line ${codeSpan(part.cut.slice(0, 100))}.`
  const what = `The answer ran into the length limit and broke off.${whole}`
  return { text: partial, shownText: partial, issues: [issue("answer-cut-off", what), ...partIssues] }
}

/**
 * Converts a failure of the model to an answer with issues, so that another attempt can correct it. None if another
 * attempt would not help.
 */
export const unusableAnswer = (
  error: ModelError,
  { readPart, shape }: ExpectedDocument
): Option.Option<PlainAnswer> => {
  switch (error.reason._tag) {
    case "CutOff":
      return Option.some(cutOff(error.reason.partial, readPart))
    case "ThinkingCutOff":
      return Option.some(onlyThought("The thinking ran into the length limit, so there was no answer.", shape))
    case "ThinkingOnly":
      return Option.some(onlyThought("There was only thinking and no answer.", shape))
    case "EmptyAnswer":
      return Option.some({
        text: "",
        shownText: "",
        issues: [issue("answer-empty", "The answer was empty.")]
      })
    case "Hopeless":
      return Option.some(stopped(error.reason, shape))
    default:
      return Option.none()
  }
}
