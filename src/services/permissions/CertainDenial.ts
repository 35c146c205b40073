/**
 * Whether an access would certainly be denied in this run: a rule denies it, or it must be asked for and nobody can be
 * asked. Known when a plan is made, so that no task is lost to it later. Asks nobody and records nothing.
 */
import * as Effect from "effect/Effect"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import type { Approver } from "../approvals/Approver.ts"
import { isForPerson } from "./ApprovalView.ts"
import { questionOfAccess } from "./GateQuestion.ts"
import type { Grants } from "./Grants.ts"
import type { PolicyEvaluator, SourcedRule } from "./PolicyEvaluator.ts"

/** The rules that deny an access; none when it is that nobody can be asked. `tool` is what a rule would name. */
export interface CertainDenial {
  readonly tool: string
  readonly rules: ReadonlyArray<SourcedRule>
}

export const foreseeDenial = Effect.fn("foreseeDenial")(function* (
  access: CanonicalAccess,
  world: {
    readonly approver: Approver["Service"]
    readonly evaluator: PolicyEvaluator
    readonly grants: Grants
  }
) {
  const question = questionOfAccess({ task: "", place: "" }, access)
  const { rules, verdict } = yield* world.evaluator.evaluate(question)
  if (verdict === "deny") return { tool: question.tool, rules } satisfies CertainDenial
  if (verdict === "allow" || world.grants.isGranted(question)) return undefined
  const { canAsk, leaves } = world.approver
  const { risk, task, tool } = question
  const item = { task, tool, risk, targets: [], ...(isForPerson(question) ? { personOnly: true } : {}) }
  if (leaves !== undefined && !leaves(item)) return undefined
  if (canAsk === undefined || (yield* canAsk)) return undefined
  return { tool: question.tool, rules: [] } satisfies CertainDenial
})
