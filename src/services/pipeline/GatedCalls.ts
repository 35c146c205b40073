/**
 * Why a task must be approved before its calls run, and what is shown then: every call, also one that cannot be made any
 * more.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Refinement } from "../../domain/documents/Refinement.ts"
import type { GatedTask, UnreadyCall } from "../../domain/permissions/ApprovalItem.ts"
import type { PreparedCall } from "../../domain/tools/ToolCall.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { Risk } from "../../domain/tools/Access.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"

/** Says why a task needs approval for calls of these risks; nothing when it needs none. */
export const makeGatedBy = Effect.map(
  Skills,
  (skills) =>
    (task: Task, refined: Task, risks: ReadonlyArray<Risk>): GatedTask["gatedBy"] | undefined => {
      if (task.requiresApproval || refined.requiresApproval) return "list"
      if (skills.find(task.skill)?.requiresApproval === true) return "skill"
      return risks.includes("high") ? "risk" : undefined
    }
)

/** Makes the decision; it returns nothing for a task that needs no approval. */
export const makeGatedCalls = Effect.gen(function* () {
  const gatedByOf = yield* makeGatedBy
  const registry = yield* ToolRegistry
  const runner = yield* ToolRunner

  return Effect.fnUntraced(function* (task: Task, refinement: Refinement, round: number) {
    const calls: Array<PreparedCall> = []
    const unready: Array<UnreadyCall> = []
    for (const call of refinement.calls) {
      const prepared = yield* Effect.result(registry.prepare(call))
      if (Result.isSuccess(prepared)) {
        calls.push(prepared.success)
        continue
      }
      const info = registry.find(call.name)
      const id = { round, task: task.name, uid: call.uid }
      // What an edit replaced is gone once the edit was made.
      if (info === undefined || (yield* runner.wasBegun(id, call))) continue
      unready.push({ call, info, problem: prepared.failure.message })
    }
    const risks = [...calls.map(({ risk }) => risk), ...unready.map(({ info }) => info.risk)]
    const gatedBy = gatedByOf(task, refinement.task, risks)
    if (gatedBy === undefined) return undefined
    const gated: GatedTask = { task: task.name, gatedBy, calls, ...(unready.length === 0 ? {} : { unready }) }
    return gated
  })
})
