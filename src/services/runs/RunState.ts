/**
 * What the rounds of a run have come to so far: the one place of its results and failures while it runs. An interrupted run
 * reports from it everything that had finished.
 */
import * as Effect from "effect/Effect"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { TaskName } from "../../domain/plan/TaskName.ts"
import { TaskFailure, type TaskResult } from "../../domain/plan/TaskResult.ts"
import type { RoundWork } from "../../domain/runs/NotDone.ts"

/** All rounds together. Results and failures are in the order of the rounds and of their lists, whichever task ended first. */
interface Progress {
  readonly goals: string
  readonly rounds: number
  readonly results: ReadonlyArray<TaskResult>
  readonly failures: ReadonlyArray<TaskFailure>
  /** The checks of the last changes. */
  readonly checks: ReadonlyArray<CheckOutcome>
}

export interface RunState {
  readonly get: Effect.Effect<Progress>
  readonly rounds: Effect.Effect<ReadonlyArray<RoundWork>>
  readonly setGoals: (goals: string) => Effect.Effect<void>
  /** Starts a round over these tasks, in their order. */
  readonly startRound: (tasks: ReadonlyArray<Task>) => Effect.Effect<void>
  /** Adds what became of a task of this round. */
  readonly add: (outcome: TaskResult | TaskFailure) => Effect.Effect<void>
  /** Sets how the checks of everything that has changed so far ended. */
  readonly setChecks: (checks: ReadonlyArray<CheckOutcome>) => Effect.Effect<void>
  /** Names of all tasks with a result. */
  readonly finishedNames: Effect.Effect<ReadonlySet<TaskName>>
}

interface StartedRound {
  readonly tasks: ReadonlyArray<Task>
  readonly results: Map<TaskName, TaskResult>
  readonly failures: Map<TaskName, TaskFailure>
}

/** In the order of the list. */
const inOrder = ({ failures, results, tasks }: StartedRound): RoundWork => ({
  tasks,
  results: tasks.flatMap(({ name }) => results.get(name) ?? []),
  failures: tasks.flatMap(({ name }) => failures.get(name) ?? [])
})

/** The last outcome of each check. */
const latest = (before: ReadonlyArray<CheckOutcome>, now: ReadonlyArray<CheckOutcome>): ReadonlyArray<CheckOutcome> => [
  ...before.filter(({ command }) => !now.some((later) => later.command === command)),
  ...now
]

export const makeRunState: Effect.Effect<RunState> = Effect.sync(() => {
  const started: Array<StartedRound> = []
  let goals = ""
  let checks: ReadonlyArray<CheckOutcome> = []
  const rounds = Effect.sync(() => started.map(inOrder))

  return {
    get: Effect.map(rounds, (all) => ({
      goals,
      rounds: all.length,
      results: all.flatMap(({ results }) => results),
      failures: all.flatMap(({ failures }) => failures),
      checks
    })),
    rounds,
    setGoals: (given) =>
      Effect.sync(() => {
        goals = given
      }),
    startRound: (tasks) =>
      Effect.sync(() => {
        started.push({ tasks, results: new Map(), failures: new Map() })
      }),
    add: (outcome) =>
      Effect.sync(() => {
        const round = started.at(-1)
        if (outcome instanceof TaskFailure) round?.failures.set(outcome.task, outcome)
        else round?.results.set(outcome.name, outcome)
        if (!(outcome instanceof TaskFailure) && outcome.files !== undefined)
          checks = latest(checks, outcome.checks ?? [])
      }),
    setChecks: (found) =>
      Effect.sync(() => {
        checks = latest(checks, found)
      }),
    finishedNames: Effect.sync(() => new Set(started.flatMap(({ results }) => Array.from(results.keys()))))
  }
})
