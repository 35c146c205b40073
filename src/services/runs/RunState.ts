/**
 * The state of a run so far: its results, failures and rounds. An interrupted run reports from it everything that had
 * finished. Results are in the order of the rounds and of their lists, whichever task ended first.
 */
import * as Effect from "effect/Effect"
import type { Task } from "../../domain/plan/Task.ts"
import type { TaskName } from "../../domain/plan/TaskName.ts"
import type { TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"

interface Known {
  goals: string
  rounds: number
  results: Array<TaskResult>
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
  /** Starts a round over these tasks, in their order. */
  readonly startRound: (round: number, tasks: ReadonlyArray<Task>) => Effect.Effect<void>
  readonly addResult: (result: TaskResult) => Effect.Effect<void>
  /** Takes back results that do not count. */
  readonly withdraw: (results: ReadonlyArray<TaskResult>) => Effect.Effect<void>
  /** Adds the failures of a round; answers with one that has happened the same way before, if there is one. */
  readonly addFailures: (failures: ReadonlyArray<TaskFailure>) => Effect.Effect<TaskFailure | undefined>
  /** Names of all tasks with a result. */
  readonly finishedNames: Effect.Effect<ReadonlySet<TaskName>>
}

/* Results are added in place: a copy for each would grow with the square of a long plan. */
export const makeRunState: Effect.Effect<RunState> = Effect.sync(() => {
  const now: Known = { goals: "", rounds: 0, results: [], failures: [] }
  const reasons = new Set<string>()
  let positions: ReadonlyMap<TaskName, number> = new Map()

  /** The position in the list of this round; results of earlier rounds are no part of it. */
  const positionOf = ({ name }: TaskResult): number => positions.get(name) ?? -1
  const isBehind = (one: TaskResult | undefined, position: number): boolean =>
    one !== undefined && positionOf(one) > position

  return {
    get: Effect.sync(() => ({ ...now, results: [...now.results], failures: [...now.failures] })),
    setGoals: (goals) =>
      Effect.sync(() => {
        now.goals = goals
      }),
    startRound: (rounds, tasks) =>
      Effect.sync(() => {
        const finished = new Set(now.results.map(({ name }) => name))
        positions = new Map(tasks.flatMap(({ name }, index) => (finished.has(name) ? [] : [[name, index] as const])))
        now.rounds = rounds
      }),
    addResult: (result) =>
      Effect.sync(() => {
        const position = positionOf(result)
        let at = now.results.length
        if (position !== -1) while (isBehind(now.results[at - 1], position)) at -= 1
        now.results.splice(at, 0, result)
      }),
    withdraw: (results) =>
      Effect.sync(() => {
        now.results = now.results.filter((one) => !results.includes(one))
      }),
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
