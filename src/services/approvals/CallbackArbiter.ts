/**
 * An arbiter that asks a function, for scripts that go on with runs without a terminal.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import type { Answered } from "./Approver.ts"
import { Arbiter, type DoubtAnswer } from "./Arbiter.ts"

/**
 * Decides about a call that was begun before a run broke off, when nobody knows whether it happened: `again` carries it
 * out, `done` takes it as done, `stop` ends the run as not permitted. Whatever else a function returns, in JavaScript,
 * stops. What it throws ends the run as failed.
 */
export type Arbitrate = (item: ApprovalItem) => DoubtAnswer | PromiseLike<DoubtAnswer>

/** Asks the function about every call in doubt. */
export const layerCallbackArbiter = (arbitrate: Arbitrate): Layer.Layer<never> =>
  Layer.succeed(Arbiter)({
    decide: Effect.fn("CallbackArbiter.decide")((item) =>
      Effect.map(
        Effect.promise(async () => arbitrate(item)),
        (answer): Answered<DoubtAnswer> => ({
          answer: answer === "again" || answer === "done" ? answer : "stop",
          by: "person"
        })
      )
    )
  })
