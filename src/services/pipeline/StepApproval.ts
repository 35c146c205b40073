/**
 * The gate before the tasks of one step: it waits until every task of the step is refined, asks once for all calls that
 * need approval, and tells each waiting task the answer. Tasks that need no approval never wait for it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { GatedTask, StepApproved } from "../../domain/permissions/ApprovalItem.ts"
import type { Gate } from "../permissions/Gate.ts"

export interface StepApproval {
  /** A task needs no approval, or could not be refined. */
  readonly pass: Effect.Effect<void>
  /** A task needs approval for its calls, which are prepared when the question is asked: waits for the answer. */
  readonly request: (task: string, calls: Effect.Effect<GatedTask>) => Effect.Effect<StepApproved>
}

/** The step whose tasks, by name and in order, are about to run. */
export interface StepAhead {
  readonly title: string
  readonly planKey: string
  readonly tasks: ReadonlyArray<string>
}

/** The approval of one step; the question is asked by the task that is refined last. */
export const makeStepApproval = (
  gate: Gate["Service"],
  { planKey, tasks, title }: StepAhead
): Effect.Effect<StepApproval> =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<StepApproved>()
    const gated: Array<{ readonly task: string; readonly calls: Effect.Effect<GatedTask> }> = []
    let open = tasks.length

    const settle = Effect.suspend(() => {
      open -= 1
      if (open > 0 || gated.length === 0) return Effect.void
      const inOrder = gated.toSorted((a, b) => tasks.indexOf(a.task) - tasks.indexOf(b.task))
      return Effect.forEach(inOrder, ({ calls }) => calls).pipe(
        Effect.flatMap((asked) => gate.approveStep({ title, planKey, tasks: asked })),
        Effect.flatMap((approved) => Deferred.succeed(answer, approved)),
        Effect.asVoid
      )
    })

    return {
      pass: settle,
      request: (task, calls) =>
        Effect.suspend(() => {
          gated.push({ task, calls })
          return settle
        }).pipe(Effect.andThen(Deferred.await(answer)))
    }
  })
