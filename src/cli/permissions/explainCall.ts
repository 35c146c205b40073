/** Explains why the gate would allow a call, ask about it, or deny it, without asking anybody or running the call. */
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import type { Verdict } from "../../domain/permissions/Permission.ts"
import { eachTimeReason } from "../../domain/tools/Access.ts"
import type { PreparedCall } from "../../domain/tools/ToolCall.ts"
import type { Workspace } from "../../services/files/Workspace.ts"
import { questionOfCall } from "../../services/permissions/GateQuestion.ts"
import type { Policies } from "../../services/permissions/Policies.ts"
import { type GateOptions, type SourcedRule, makePolicy, scriptWarning } from "../../services/permissions/Policy.ts"

interface PermissionExplanation {
  /** `refuse` means protected access, which no rule and no answer can allow. */
  readonly verdict: Verdict | "refuse"
  /** The rules that decide; empty if only the risk decides. */
  readonly rules: ReadonlyArray<SourcedRule>
  /**
   * Further reasons, as sentences: the access is protected or needs a question each time, or a rule no longer applies.
   */
  readonly reasons: ReadonlyArray<string>
}

export const explainCall = Effect.fn("explainCall")(function* (
  prepared: PreparedCall,
  options: GateOptions
): Effect.fn.Return<PermissionExplanation, never, Path.Path | Policies | Workspace> {
  const policy = yield* makePolicy(options, { addedRules: Effect.succeed([]), written: new Map() })
  const question = questionOfCall({ task: "", place: "" }, prepared)
  const protection = policy.protection(question)
  if (protection !== undefined) return { verdict: "refuse", rules: [], reasons: [`It ${protection}.`] }
  const lapses = yield* policy.lapses(question)
  const reasons = [
    ...question.accesses.flatMap((access) => eachTimeReason(access) ?? []),
    ...scriptWarning(lapses.scripts),
    ...(lapses.rule === undefined ? [] : ["A remembered rule would allow it, but the tool has changed since."])
  ]
  return { ...(yield* policy.evaluate(question)), reasons }
})
