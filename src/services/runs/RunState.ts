/**
 * The state of a run so far: its results, failures and rounds. An interrupted run reports from it everything that had
 * finished.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { TaskName } from "../../domain/plan/TaskName.ts"
import type { TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"

interface Progress {
  readonly goals: string
  readonly rounds: number
  readonly results: ReadonlyArray<TaskResult>
  readonly failures: ReadonlyArray<TaskFailure>
}

export interface RunState {
  readonly get: Effect.Effect<Progress>
  readonly setGoals: (goals: string) => Effect.Effect<void>
  readonly startRound: (round: number) => Effect.Effect<void>
  readonly addResult: (result: TaskResult) => Effect.Effect<void>
  /** Adds the failures of a round; answers with one that has happened the same way before, if there is one. */
  readonly addFailures: (failures: ReadonlyArray<TaskFailure>) => Effect.Effect<TaskFailure | undefined>
  /** Names of all tasks with a result. */
  readonly finishedNames: Effect.Effect<ReadonlySet<TaskName>>
}

const sameWay = (a: TaskFailure, b: TaskFailure): boolean => !a.skipped && a.message === b.message

export const makeRunState: Effect.Effect<RunState> = Effect.gen(function* () {
  const progress = yield* Ref.make<Progress>({ goals: "", rounds: 0, results: [], failures: [] })
  return {
    get: Ref.get(progress),
    setGoals: (goals) => Ref.update(progress, (now) => ({ ...now, goals })),
    startRound: (rounds) => Ref.update(progress, (now) => ({ ...now, rounds })),
    addResult: (result) => Ref.update(progress, (now) => ({ ...now, results: [...now.results, result] })),
    addFailures: (failures) =>
      Ref.modify(progress, (now) => [
        failures.find((failure) => now.failures.some((earlier) => sameWay(failure, earlier))),
        { ...now, failures: [...now.failures, ...failures] }
      ]),
    finishedNames: Effect.map(Ref.get(progress), (now) => new Set(now.results.map((result) => result.name)))
  }
})
