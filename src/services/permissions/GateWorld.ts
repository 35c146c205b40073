/**
 * What the questions of a gate need: the rules, the grants of the run, who answers, and where it is told.
 */
import type * as Effect from "effect/Effect"
import type { Wish } from "../../domain/permissions/ApprovalItem.ts"
import type { Approver } from "../approvals/Approver.ts"
import type { RunEvents } from "../runs/RunEvents.ts"
import type { ViewWorld } from "./ApprovalView.ts"
import type { Grants } from "./Grants.ts"
import type { Policies } from "./Policies.ts"
import type { PolicyEvaluator } from "./PolicyEvaluator.ts"

export interface GateWorld extends ViewWorld {
  readonly approver: Approver["Service"]
  readonly events: RunEvents["Service"]
  readonly policies: Policies["Service"]
  readonly evaluator: PolicyEvaluator
  readonly grants: Grants
  /** Takes what a person wants instead. */
  readonly addWish: (wish: Wish) => Effect.Effect<void>
  /** Lets one question be shown at a time. */
  readonly withMutex: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
}
