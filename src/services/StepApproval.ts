/**
 * The gate before the tasks of one step: it waits until every task of the step is refined, asks once for all calls that
 * need approval, and tells each waiting task the answer. Tasks that need no approval never wait for it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Step } from "../domain/TaskList.ts"
import type { GatedTask, StepApproved } from "../domain/StepGate.ts"
import type { Gate } from "./Gate.ts"

export interface StepApproval {
  /** A task needs no approval, or could not be refined. */
  readonly pass: Effect.Effect<void>
  /** A task needs approval for these calls: waits for the answer. */
  readonly request: (task: GatedTask) => Effect.Effect<StepApproved>
}

/** The approval of one step; the question is asked by the task that is refined last. */
export const makeStepApproval = (gate: Gate["Service"], step: Step, planKey: string): Effect.Effect<StepApproval> =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<StepApproved>()
    const gated: Array<GatedTask> = []
    let open = step.tasks.length

    const settle = Effect.suspend(() => {
      open -= 1
      if (open > 0 || gated.length === 0) return Effect.void
      const order = new Map(step.tasks.map((task, index) => [task.name as string, index]))
      const tasks = gated.toSorted((a, b) => (order.get(a.task) ?? 0) - (order.get(b.task) ?? 0))
      return gate.approveStep({ title: step.title, planKey, tasks }).pipe(
        Effect.flatMap((approved) => Deferred.succeed(answer, approved)),
        Effect.asVoid
      )
    })

    return {
      pass: settle,
      request: (task) =>
        Effect.suspend(() => {
          gated.push(task)
          return settle
        }).pipe(Effect.andThen(Deferred.await(answer)))
    }
  })
