/**
 * What the gate would decide about a call, and why, without asking anybody and without running anything. Called by the
 * command `permissions explain`.
 */
import * as Effect from "effect/Effect"
import { eachTimeReason } from "../../domain/tools/AccessRisk.ts"
import type { Verdict } from "../../domain/permissions/Permission.ts"
import type { PreparedCall } from "../../domain/tools/PreparedCall.ts"
import { type GateOptions, makePolicyEvaluator } from "./PolicyEvaluator.ts"
import { questionOfCall } from "./GateQuestion.ts"
import type { SourcedRule } from "./SourcedRules.ts"

export interface PermissionExplanation {
  readonly verdict: Verdict | "refuse"
  /** The rules that decide; none when the risk alone does. */
  readonly rules: ReadonlyArray<SourcedRule>
  /** Why nothing can allow it, why it is asked each time, or that a remembered rule has lapsed; sentences. */
  readonly reasons: ReadonlyArray<string>
}

/** Judges a call by the rules of a setup. */
export const explainCall = Effect.fn("explainCall")(function* (prepared: PreparedCall, options: GateOptions) {
  const judge = yield* makePolicyEvaluator(options)
  const question = questionOfCall("", prepared)
  const refusal = judge.refusal(question)
  if (refusal !== undefined) {
    return { verdict: "refuse", rules: [], reasons: [`It ${refusal}.`] } satisfies PermissionExplanation
  }
  const lapsed = yield* judge.outdated(question)
  const explanation: PermissionExplanation = {
    ...(yield* judge.judge(question)),
    reasons: [
      ...question.accesses.flatMap((access) => eachTimeReason(access) ?? []),
      ...(lapsed === undefined ? [] : ["A remembered rule would allow it, but the tool has changed since."])
    ]
  }
  return explanation
})
