/**
 * An approver that asks a function, for scripts that answer without a terminal.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalItem } from "../domain/RunEvent.ts"
import { Approver } from "./Approver.ts"

/** What a script is asked: about all calls of a step, or about a single call. */
export interface ApprovalRequest {
  readonly scope: "step" | "call"
  /** The heading of the step, or the name of the task. */
  readonly title: string
  readonly items: ReadonlyArray<ApprovalItem>
}

/**
 * True allows this step or call once, `remaining` all remaining steps or this target for the session. Whatever else a
 * function returns, in JavaScript, allows nothing.
 */
export type ApprovalAnswer = boolean | "remaining"

/** The function that is asked. What it throws ends the run as failed. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | PromiseLike<ApprovalAnswer>

/** Asks the function for every approval. */
export const layerCallback = (approve: Approve): Layer.Layer<Approver> => {
  const ask = (request: ApprovalRequest) => Effect.promise(async () => approve(request))
  return Layer.succeed(Approver)(
    Approver.of({
      step: Effect.fn("CallbackApprover.step")(function* (title, items) {
        const answer = yield* ask({ scope: "step", title, items })
        return { answer: answer === "remaining" ? "remaining" : answer === true ? "step" : "decline", by: "person" }
      }),
      call: Effect.fn("CallbackApprover.call")(function* (item) {
        const answer = yield* ask({ scope: "call", title: item.task, items: [item] })
        return { answer: answer === "remaining" ? "session" : answer === true ? "once" : "deny", by: "person" }
      })
    })
  )
}
