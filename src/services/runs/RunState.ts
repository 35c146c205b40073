/**
 * The state of a run so far: its results, failures and rounds. An interrupted run reports from it everything that had
 * finished. Results are in the order of the rounds and of their lists, whichever task ended first.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { Task } from "../../domain/plan/Task.ts"
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

const sameWay = (a: TaskFailure, b: TaskFailure): boolean => !a.skipped && a.message === b.message

/** The results with one more, behind those that stand before it in the list; results of earlier rounds are no part of it. */
const withResult = (
  results: ReadonlyArray<TaskResult>,
  result: TaskResult,
  positions: ReadonlyMap<TaskName, number>
): ReadonlyArray<TaskResult> => {
  const positionOf = ({ name }: TaskResult): number => positions.get(name) ?? -1
  const position = positionOf(result)
  const last = position === -1 ? results.length - 1 : results.findLastIndex((one) => positionOf(one) < position)
  return results.toSpliced(last + 1, 0, result)
}

export const makeRunState: Effect.Effect<RunState> = Effect.gen(function* () {
  let positions: ReadonlyMap<TaskName, number> = new Map()
  const progress = yield* Ref.make<Progress>({ goals: "", rounds: 0, results: [], failures: [] })
  return {
    get: Ref.get(progress),
    setGoals: (goals) => Ref.update(progress, (now) => ({ ...now, goals })),
    startRound: (rounds, tasks) =>
      Ref.update(progress, (now) => {
        const finished = new Set(now.results.map(({ name }) => name))
        positions = new Map(tasks.flatMap(({ name }, index) => (finished.has(name) ? [] : [[name, index] as const])))
        return { ...now, rounds }
      }),
    addResult: (result) =>
      Ref.update(progress, (now) => ({ ...now, results: withResult(now.results, result, positions) })),
    withdraw: (results) =>
      Ref.update(progress, (now) => ({ ...now, results: now.results.filter((one) => !results.includes(one)) })),
    addFailures: (failures) =>
      Ref.modify(progress, (now) => [
        failures.find((failure) => now.failures.some((earlier) => sameWay(failure, earlier))),
        { ...now, failures: [...now.failures, ...failures] }
      ]),
    finishedNames: Effect.map(Ref.get(progress), (now) => new Set(now.results.map((result) => result.name)))
  }
})
