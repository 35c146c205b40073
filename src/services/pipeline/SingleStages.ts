/**
 * The stages after the plan, each by itself on given documents: for people who write skills and prompts. They use what a
 * run uses, the same checks and the same gate.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Refinement } from "../../domain/documents/Refinement.ts"
import { plainTask } from "../../domain/plan/Task.ts"
import { Step, TaskList } from "../../domain/plan/TaskList.ts"
import type { TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import { outcomeOf, type RoundsEnd } from "../../domain/runs/RunOutcome.ts"
import { Gate } from "../permissions/Gate.ts"
import { makeRunState } from "../runs/RunState.ts"
import { Briefer } from "./Briefer.ts"
import { makeRefinementCheck } from "./RefinementCheck.ts"
import { Refiner } from "./Refiner.ts"
import { Reviser } from "./Reviser.ts"
import { type DeclinedStep, Scheduler } from "./Scheduler.ts"
import { findTask, type GivenResult, readPlan, readResults, requireProducers, stageProblem } from "./StageInput.ts"

/** What the stages of a plan get. */
export interface PlanStage {
  readonly plan: string
  /** The prompt that the plan is for. */
  readonly prompt: string
  readonly currentFile?: string
  readonly results: ReadonlyArray<GivenResult>
}

const openPlan = Effect.fnUntraced(function* ({ currentFile, plan, prompt, results }: PlanStage) {
  const briefer = yield* Briefer
  const briefing = yield* briefer.brief({ prompt, ...(currentFile === undefined ? {} : { currentFile }) })
  return { briefing, ...(yield* readPlan(plan, briefing, results)) }
})

/** Refines one task of a plan: its calls, without what it looked at to write them; nothing is changed. */
export const refineTask = Effect.fn("refineTask")(function* (order: PlanStage & { readonly task: string }) {
  const { briefing, finished, list } = yield* openPlan(order)
  const task = yield* findTask(order.task, list.tasks)
  yield* requireProducers(task, finished)
  const step = list.steps.findIndex(({ tasks }) => tasks.includes(task))
  const refiner = yield* Refiner
  const { looks: _looks, ...refinement } = yield* refiner.refine({ briefing, task, round: 1, step, finished })
  return refinement
})

/** Asks which tasks are still to do; those with a result have finished. */
export const iteratePlan = Effect.fn("iteratePlan")(function* (order: PlanStage) {
  const { briefing, finished, list } = yield* openPlan(order)
  const outstanding = list.outstanding(new Set(finished.map(({ name }) => name)))
  const reviser = yield* Reviser
  const revised = yield* reviser.revise({
    briefing,
    round: 1,
    outstanding,
    finished,
    failures: [],
    missing: [],
    wishes: []
  })
  return { list: revised, finished: finished.map(({ name }) => name) }
})

const endOf = (declined: DeclinedStep | undefined, failures: ReadonlyArray<TaskFailure>): RoundsEnd => {
  if (declined !== undefined) return { _tag: "Declined", ...declined }
  return failures.length > 0 ? { _tag: "Unresolved", failures } : { _tag: "GoalsMet" }
}

/** The scheduler of a task whose refinement is known already. */
const layerRefined = (refinement: Refinement) =>
  Layer.provide(Scheduler.layer, Layer.succeed(Refiner)(Refiner.of({ refine: () => Effect.succeed(refinement) })))

/** What became of a task that was carried out by itself; without a result the outcome says why. */
export interface Executed {
  readonly result: TaskResult | undefined
  readonly failures: ReadonlyArray<TaskFailure>
  readonly outcome: ReturnType<typeof outcomeOf>
}

/** Carries out a refinement: asks what a run would ask, makes the calls, and writes the result. */
export const executeRefinement = Effect.fn("executeRefinement")(function* (order: {
  readonly refinement: string
  readonly results: ReadonlyArray<GivenResult>
}) {
  const briefer = yield* Briefer
  const briefing = yield* briefer.brief({ prompt: "Carry out a task that was refined." })
  const check = yield* makeRefinementCheck
  const { issues, value } = yield* check(order.refinement, {}, { briefing, finished: [], mayBeEmpty: false })
  if (Option.isNone(value) || issues.length > 0) return yield* stageProblem("The refinement is not valid.", issues)
  const { looks, ...refinement } = value.value
  const { task } = refinement
  if (looks !== undefined) {
    const what = "The refinement only looks first: what it reads is for the model that writes the calls."
    return yield* stageProblem(`${what} Give the refinement that "task-conductor refine" prints in the end.`)
  }
  // A refinement names results by their slugs, which serve as the names of the tasks.
  const producers = task.producerSlugs.map((slug) => plainTask(slug, "", "", ""))
  const finished = yield* readResults(order.results, producers)
  yield* requireProducers(task, finished)
  const list = new TaskList({ goals: "", steps: [new Step({ title: task.name, tasks: [task] })] })
  const state = yield* makeRunState
  yield* state.startRound(finished.map((result) => result.task))
  yield* Effect.forEach(finished, state.add, { discard: true })
  yield* state.startRound([task])
  const declined = yield* Scheduler.use((scheduler) => scheduler.runRound({ briefing, round: 1, list, state })).pipe(
    Effect.provide(layerRefined(refinement))
  )
  const gate = yield* Gate
  const { failures = [], results = [] } = (yield* state.rounds).at(-1) ?? {}
  const executed: Executed = {
    result: results[0],
    failures,
    outcome: outcomeOf(endOf(declined, failures), "", {
      denials: yield* gate.denials,
      missing: [],
      notRun: [],
      redirected: [],
      runId: ""
    })
  }
  return executed
})
