/**
 * The state of a run so far: its results, failures and rounds. An interrupted run reports from it everything that had
 * finished.
 */
import * as Effect from "effect/Effect"
import type { TaskName } from "../../domain/plan/TaskName.ts"
import type { TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"

interface Known {
  goals: string
  rounds: number
  readonly results: Array<TaskResult>
  readonly failures: Array<TaskFailure>
}

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

/* Results are added in place: a copy for each would grow with the square of a long plan. */
export const makeRunState: Effect.Effect<RunState> = Effect.sync(() => {
  const now: Known = { goals: "", rounds: 0, results: [], failures: [] }
  const reasons = new Set<string>()
  return {
    get: Effect.sync(() => ({ ...now, results: [...now.results], failures: [...now.failures] })),
    setGoals: (goals) =>
      Effect.sync(() => {
        now.goals = goals
      }),
    startRound: (rounds) =>
      Effect.sync(() => {
        now.rounds = rounds
      }),
    addResult: (result) => Effect.sync(() => void now.results.push(result)),
    addFailures: (failures) =>
      Effect.sync(() => {
        const before = failures.find(({ message, skipped }) => !skipped && reasons.has(message))
        now.failures.push(...failures)
        for (const { message } of failures) reasons.add(message)
        return before
      }),
    finishedNames: Effect.sync(() => new Set(now.results.map((result) => result.name)))
  }
})
