/**
 * An approver that asks a function, for scripts that answer without a terminal.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import { Approver, type CallAnswer, type StepAnswer } from "./Approver.ts"

/** What a script is asked: about all calls of a step, or about a single call. */
export interface ApprovalRequest {
  readonly scope: "step" | "call"
  /** The heading of the step, or the name of the task. */
  readonly title: string
  readonly items: ReadonlyArray<ApprovalItem>
}

/**
 * True allows this step or call once, `remaining` all remaining steps of the run or, for a call, as much as its `offers`
 * say for the session. A list allows those of the items that are in it. Whatever else a function returns, in JavaScript,
 * allows nothing.
 */
export type ApprovalAnswer = boolean | "remaining" | ReadonlyArray<ApprovalItem>

/** The function that is asked. What it throws ends the run as failed. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | PromiseLike<ApprovalAnswer>

const stepAnswer = (answer: ApprovalAnswer, items: ReadonlyArray<ApprovalItem>): StepAnswer => {
  if (answer === true) return "step"
  if (answer === "remaining") return "remaining"
  const chosen = Array.isArray(answer) ? items.flatMap((item, index) => (answer.includes(item) ? [index + 1] : [])) : []
  return chosen.length === 0 ? "decline" : { chosen }
}

const callAnswer = (answer: ApprovalAnswer, item: ApprovalItem): CallAnswer => {
  if (answer === "remaining") return "session"
  return answer === true || (Array.isArray(answer) && answer.includes(item)) ? "once" : "deny"
}

/** Asks the function for every approval. */
export const layerCallback = (approve: Approve): Layer.Layer<Approver> => {
  const ask = (request: ApprovalRequest) => Effect.promise(async () => approve(request))
  return Layer.succeed(Approver)(
    Approver.of({
      step: Effect.fn("CallbackApprover.step")((title, items) =>
        Effect.map(ask({ scope: "step", title, items }), (answer) => ({
          answer: stepAnswer(answer, items),
          by: "person"
        }))
      ),
      call: Effect.fn("CallbackApprover.call")((item) =>
        Effect.map(ask({ scope: "call", title: item.task, items: [item] }), (answer) => ({
          answer: callAnswer(answer, item),
          by: "person"
        }))
      )
    })
  )
}
