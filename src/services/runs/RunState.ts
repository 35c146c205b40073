/** The results and failures of a run while it runs. The report of an interrupted run contains them. */
import * as Effect from "effect/Effect"
import { type CheckOutcome, heldTo, sinceEarlier } from "../../domain/checks/CheckOutcome.ts"
import type { DeclinedFact } from "../../domain/checks/Facts.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { TaskName } from "../../domain/plan/TaskName.ts"
import { TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import type { RoundWork } from "../../domain/runs/NotDone.ts"

/** A round, with the outcomes of its tasks so far. */
interface StartedRound {
  readonly tasks: ReadonlyArray<Task>
  readonly outcomes: Map<TaskName, TaskResult | TaskFailure>
}

const workOf = ({ outcomes, tasks }: StartedRound): RoundWork => {
  const inOrder = tasks.flatMap(({ name }) => outcomes.get(name) ?? [])
  return {
    tasks,
    results: inOrder.filter((one) => one instanceof TaskResult),
    failures: inOrder.filter((one) => one instanceof TaskFailure)
  }
}

export const makeRunState = Effect.sync(() => {
  const started: Array<StartedRound> = []
  let goals = ""
  let request = ""
  /* The last outcome of each check. */
  let checks: ReadonlyArray<CheckOutcome> = []
  /** The number of tasks that have made changes since the last check of all changes together. */
  let unchecked = 0
  const allChecks: Array<CheckOutcome> = []
  /** Adds to each outcome what earlier outcomes of the same check showed. */
  const afterEarlier = (found: ReadonlyArray<CheckOutcome>): ReadonlyArray<CheckOutcome> => {
    const after = found.map((outcome) => sinceEarlier(outcome, allChecks))
    allChecks.push(...after)
    return after
  }
  const addChecks = (found: ReadonlyArray<CheckOutcome>): void => {
    const kept = checks.filter(({ command }) => !found.some((later) => later.command === command))
    checks = [...kept, ...afterEarlier(found)]
  }
  const rounds = Effect.sync(() => started.map(workOf))
  const declined: Array<DeclinedFact> = []

  return {
    /** The state of all rounds together. */
    get: Effect.map(rounds, (all) => ({
      goals,
      rounds: all.length,
      results: all.flatMap(({ results }) => results),
      failures: all.flatMap(({ failures }) => failures),
      checks: checks.map((check) => heldTo(check, request)),
      /** The steps and calls that were declined, with what the user wanted instead. */
      declined,
      /** True if several tasks made changes that were only checked separately. */
      isStale: unchecked > 1
    })),
    rounds,
    setGoals: (given: string) =>
      Effect.sync(() => {
        goals = given
      }),
    /** Sets the text of the prompt and the plan. The checks for which this text asks must pass. */
    setRequest: (given: string) =>
      Effect.sync(() => {
        request = given
      }),
    addDeclined: (some: ReadonlyArray<DeclinedFact>) => Effect.sync(() => void declined.push(...some)),
    startRound: (tasks: ReadonlyArray<Task>) =>
      Effect.sync(() => {
        started.push({ tasks, outcomes: new Map() })
      }),
    add: (outcome: TaskResult | TaskFailure) =>
      Effect.sync(() => {
        started.at(-1)?.outcomes.set(outcome instanceof TaskResult ? outcome.name : outcome.task, outcome)
        if (!(outcome instanceof TaskResult) || outcome.files === undefined) return
        addChecks(outcome.checks ?? [])
        unchecked += Math.max(1, outcome.items?.filter(({ files }) => files !== undefined).length ?? 1)
      }),
    /** Replaces all earlier check outcomes. `found` comes from checks that ran on all changes so far. */
    setChecks: (found: ReadonlyArray<CheckOutcome>) =>
      Effect.sync(() => {
        if (found.length > 0) checks = afterEarlier(found)
        unchecked = 0
      }),
    finishedNames: Effect.map(rounds, (all) => new Set(all.flatMap(({ results }) => results.map(({ name }) => name))))
  }
})

export type RunState = Effect.Success<typeof makeRunState>
