/**
 * Answers that cannot be read as the document of their stage: stopped, cut off, empty or only thought. Each becomes an
 * attempt with issues that the model can act on.
 */
import * as Option from "effect/Option"
import { type AnswerShape, issuesOfPart, wholePartOf } from "../../domain/documents/AnswerWatch.ts"
import type { Issue } from "../../domain/findings/Issue.ts"
import { type IssueCode, makeIssue } from "../../domain/findings/IssueCode.ts"
import { codeSpan } from "../../domain/markdown/PromptBlock.ts"
import type { Hopeless, ModelError } from "../../domain/models/ModelAnswer.ts"
import { cutAtParagraph } from "../../domain/text/Excerpt.ts"

/** What the stage knows of its document. */
interface Expected {
  readonly shape?: AnswerShape
  readonly readPart?: (part: string) => ReadonlyArray<Issue>
}

const issue = (code: IssueCode, what: string, how?: string): Issue => makeIssue(code, {}, { what, how })

/** The answer of one attempt. `shown` is the part that the next prompt repeats. */
export interface Said {
  readonly answer: string
  readonly issues: ReadonlyArray<Issue>
  readonly shown: string
  /** The model thought and came to no answer. */
  readonly hasOnlyThought?: boolean
}

/** Characters of a stopped answer in the next prompt: enough to recognize it, too few to continue it. */
const shownOfStopped = 600

const beginWith = (shape: AnswerShape | undefined): string =>
  shape === undefined ? "Write the document" : `Begin with the heading "${shape.begins}"`

const onlyThought = (what: string, shape: AnswerShape | undefined): Said => ({
  answer: "",
  shown: "",
  hasOnlyThought: true,
  issues: [issue("answer-empty", what, `${beginWith(shape)} at once, without thinking first.`)]
})

const stopped = (reason: typeof Hopeless.Type, shape: AnswerShape | undefined): Said => {
  const { left, text } = cutAtParagraph(reason.partial, shownOfStopped)
  const begin = beginWith(shape)
  return {
    answer: reason.partial,
    shown: left === 0 ? text : `${text}\n\n[The answer was stopped; ${left} characters are left out.]`,
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

/** The answer that ran into the length limit: which part of it was whole, and what is wrong with that part. */
const cutOff = (partial: string, readPart: ((part: string) => ReadonlyArray<Issue>) | undefined): Said => {
  const part = wholePartOf(partial)
  const found = readPart === undefined ? [] : issuesOfPart(part, readPart)
  const whole =
    part.text === "" || part.cut === "" ? "" : ` It was whole up to the line ${codeSpan(part.cut.slice(0, 100))}.`
  const what = `The answer ran into the length limit and broke off.${whole}`
  return { answer: partial, shown: partial, issues: [issue("answer-cut-off", what), ...found] }
}

/** Failures that the model can repair by answering differently. */
export const unusableAnswer = (error: ModelError, { readPart, shape }: Expected): Option.Option<Said> => {
  switch (error.reason._tag) {
    case "CutOff":
      return Option.some(cutOff(error.reason.partial, readPart))
    case "ThinkingCutOff":
      return Option.some(onlyThought("The thinking ran into the length limit, so there was no answer.", shape))
    case "ThinkingOnly":
      return Option.some(onlyThought("There was only thinking and no answer.", shape))
    case "EmptyAnswer":
      return Option.some({
        answer: "",
        shown: "",
        issues: [issue("answer-empty", "The answer was empty.")]
      })
    case "Hopeless":
      return Option.some(stopped(error.reason, shape))
    default:
      return Option.none()
  }
}
