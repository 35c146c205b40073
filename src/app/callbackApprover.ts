/** An approver that calls functions of a script, for programs without a terminal. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type { ApprovalItem } from "../domain/permissions/ApprovalItem.ts"
import {
  type Answered,
  type CallAnswer,
  type UncertainAnswer,
  inWords,
  type StepAnswer
} from "../domain/permissions/Answer.ts"
import { Approver, denyAll } from "../services/approvals/Approver.ts"

/** The question to a script, about all calls of a step or about one call. */
export interface ApprovalRequest {
  /** All calls of a step, or one call. */
  readonly scope: "step" | "call"
  /** The heading of the step, or the name of the task. */
  readonly title: string
  /** The calls of the question. */
  readonly items: ReadonlyArray<ApprovalItem>
}

/**
 * The calls that a callback allows:
 * - `true`: this step or call, once.
 * - `repairs`: as `true`, and later changes of the same files by the same task, if an item `offers` them.
 * - `remaining`: for a step, all remaining steps of the round. For a call, the calls in its `offers` for the session.
 * - A list of items: only these items.
 * - `instead`: nothing. The run continues with this text, which says what to do instead.
 * - Any other value from JavaScript: nothing.
 */
export type ApprovalAnswer =
  | boolean
  | "repairs"
  | "remaining"
  | ReadonlyArray<ApprovalItem>
  | { readonly instead: string }

/** Answers approval questions. An exception ends the run as failed. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | PromiseLike<ApprovalAnswer>

/**
 * Decides about an uncertain call, which began before an interruption and has an unknown outcome. `again` repeats the
 * call, `done` treats it as done, and `stop` ends the run as not permitted. Any other value from JavaScript stops the
 * run. An exception ends the run as failed.
 */
export type Arbitrate = (item: ApprovalItem) => UncertainAnswer | PromiseLike<UncertainAnswer>

/**
 * Answers a question of the model. A model may ask one when it should write a plan, a report or an answer. Undefined or
 * an empty text means no answer. An exception ends the run as failed.
 */
export type AnswerQuestion = (question: string) => string | undefined | PromiseLike<string | undefined>

export interface ApprovalCallbacks {
  /** Answers approvals. Without it, every call that needs an approval is denied. */
  readonly approve?: Approve | undefined
  /** Decides about uncertain calls. Without it, the run stops at the first uncertain call. */
  readonly arbitrate?: Arbitrate | undefined
  /** Answers questions of the model. Without it, nobody answers. */
  readonly answer?: AnswerQuestion | undefined
}

const stepAnswer = (answer: ApprovalAnswer, items: ReadonlyArray<ApprovalItem>): StepAnswer => {
  if (answer === true) return "step"
  if (answer === "remaining" || answer === "repairs") return answer
  const chosen = Array.isArray(answer) ? items.flatMap((item, index) => (answer.includes(item) ? [index + 1] : [])) : []
  return chosen.length === 0 ? "decline" : { chosen }
}

const callAnswer = (answer: ApprovalAnswer, item: ApprovalItem): CallAnswer => {
  if (answer === "remaining") return "session"
  if (answer === "repairs") return answer
  return answer === true || (Array.isArray(answer) && answer.includes(item)) ? "once" : "deny"
}

const uncertainAnswer = (answer: UncertainAnswer): UncertainAnswer =>
  answer === "again" || answer === "done" ? answer : "stop"

/** The trimmed text; empty for any other value, which JavaScript code may return. */
const wordsOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "")

/** The `instead` text of an answer: what to do instead of a denied call. Without one, an empty object. */
const insteadOf = (answer: unknown): { readonly instead?: string } => {
  const instead = wordsOf(Predicate.isObject(answer) ? answer["instead"] : undefined)
  return instead === "" ? {} : { instead }
}

/** Asks a function of the script, and treats its answer as the user's answer. */
const askScript = <A, B>(ask: () => A | PromiseLike<A>, answerOf: (answer: A) => B): Effect.Effect<Answered<B>> =>
  Effect.map(
    Effect.promise(async () => ask()),
    (answer) => ({ answer: answerOf(answer), by: "person", ...insteadOf(answer) })
  )

/** An approver that calls these functions. If a function is missing, nobody answers its questions. */
export const layerCallback = ({ answer, approve, arbitrate }: ApprovalCallbacks): Layer.Layer<Approver> =>
  Layer.succeed(Approver)({
    ...denyAll,
    ...(approve && {
      step: (title, items) =>
        askScript(
          () => approve({ scope: "step", title, items }),
          (given) => stepAnswer(given, items)
        ),
      call: (item) =>
        askScript(
          () => approve({ scope: "call", title: item.task, items: [item] }),
          (given) => callAnswer(given, item)
        )
    }),
    ...(arbitrate && { inDoubt: (item) => askScript(() => arbitrate(item), uncertainAnswer) }),
    ...(answer && {
      question: (text) =>
        Effect.map(
          askScript(() => answer(text), wordsOf),
          ({ answer: words }) => inWords(words)
        )
    }),
    canAsk: Effect.succeed(approve !== undefined)
  })
