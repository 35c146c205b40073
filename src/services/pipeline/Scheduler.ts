/**
 * Runs one round on fibers. Refinements start at once and overlap with execution; a task waits only for its own
 * refinement; a task that refers to results is refined when its producers have finished, and one whose calls rest on the
 * project when no earlier step can change it any more. Steps run one after another,
 * the tasks of a step side by side, and a task that fails does not stop its siblings.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { activityName, stageKey } from "../../domain/runs/ActivityKey.ts"
import type { StepApproved } from "../../domain/permissions/ApprovalItem.ts"
import { Refinement } from "../../domain/documents/Refinement.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { TaskList } from "../../domain/plan/TaskList.ts"
import { isFinal, TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import { Activities } from "../journal/Activities.ts"
import { hashOf } from "../files/Hash.ts"
import { makeGatedCalls } from "./GatedCalls.ts"
import { Gate } from "../permissions/Gate.ts"
import { Refiner } from "./Refiner.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { makeStepApproval, type StepApproval } from "./StepApproval.ts"
import { makeTaskEffects } from "./TaskEffects.ts"
import { TaskRunner } from "./TaskRunner.ts"

export interface RoundOrder {
  readonly briefing: Briefing
  /** From 1. */
  readonly round: number
  readonly list: TaskList
  /** Results of earlier rounds. */
  readonly finished: ReadonlyArray<TaskResult>
  /** Receives every result as soon as it exists, so that an interruption loses none. */
  readonly record: (result: TaskResult) => Effect.Effect<void>
}

export interface RoundOutcome {
  readonly results: ReadonlyArray<TaskResult>
  readonly failures: ReadonlyArray<TaskFailure>
  /** Who did not approve which step, by its title; the steps after it did not run. */
  readonly declined?: { readonly by: StepApproved["by"]; readonly step: string }
}

/** A refinement with the results that it was made on. */
interface Refined {
  readonly refinement: Refinement
  readonly finished: ReadonlyArray<TaskResult>
}

/** A refinement counts for the same results of others only. */
const refinedKey = (round: number, task: Task, finished: ReadonlyArray<TaskResult>): string => {
  const seen = finished.filter(({ task: { slug } }) => task.producerSlugs.includes(slug))
  const input = hashOf(seen.map(({ result }) => result.document))
  return activityName({ key: stageKey.refined(round, task.name), input })
}

/** All tasks of a round by slug. */
type Cells = ReadonlyMap<string, Cell>

/** The state of a task while its round runs. */
interface Cell {
  readonly task: Task
  readonly step: number
  readonly refined: Deferred.Deferred<Refined, TaskFailure>
  readonly done: Deferred.Deferred<TaskResult, TaskFailure>
}

export class Scheduler extends Context.Service<
  Scheduler,
  {
    runRound(order: RoundOrder): Effect.Effect<RoundOutcome>
  }
>()("task-conductor/services/pipeline/Scheduler") {
  static readonly layer = Layer.effect(
    Scheduler,
    Effect.gen(function* () {
      const activities = yield* Activities
      const gate = yield* Gate
      const refiner = yield* Refiner
      const events = yield* RunEvents
      const gatedCalls = yield* makeGatedCalls
      const { mayChange, mayWrite, restsOnProject } = yield* makeTaskEffects
      const taskRunner = yield* TaskRunner

      const makeCells = Effect.fnUntraced(function* (list: TaskList) {
        const cells = new Map<string, Cell>()
        for (const [step, { tasks }] of list.steps.entries()) {
          for (const task of tasks) {
            const refined = yield* Deferred.make<Refined, TaskFailure>()
            const done = yield* Deferred.make<TaskResult, TaskFailure>()
            cells.set(task.slug, { task, step, refined, done })
          }
        }
        return cells
      })

      /** The results that a task refers to, once they exist; skips the task when one of them never will. */
      const awaitProducers = Effect.fnUntraced(function* (cell: Cell, cells: Cells, order: RoundOrder) {
        const producers = cell.task.producerSlugs.flatMap((slug) => cells.get(slug) ?? [])
        const results = yield* Effect.forEach(producers, (producer) =>
          Deferred.await(producer.done).pipe(
            Effect.mapError(
              () =>
                new TaskFailure({
                  task: cell.task.name,
                  phase: "refinement",
                  reason: `not run, because "${producer.task.name}" has no result.`,
                  skipped: true
                })
            )
          )
        )
        return [...order.finished, ...results]
      })

      /** Waits until no task of an earlier step can change any more what is looked at. */
      const awaitWriters = ({ step }: Cell, cells: Cells) =>
        Effect.forEach(
          [...cells.values()].filter((other) => other.step < step && mayWrite(other.task)),
          ({ done }) => Effect.exit(Deferred.await(done)),
          { discard: true }
        )

      /**
       * A refinement that was not allowed to look is made again in a resumed run, so that a person is asked again; unless
       * it changes something, since its calls may have been made.
       */
      const isSettled = ({ calls, looks }: Refinement): boolean =>
        calls.some(mayChange) || looks?.every(({ result }) => result.error_type !== "permission_denied") !== false

      const refine = Effect.fnUntraced(function* (cell: Cell, cells: Cells, order: RoundOrder) {
        const finished = yield* awaitProducers(cell, cells, order)
        if (restsOnProject(cell.task)) yield* awaitWriters(cell, cells)
        const { briefing, round } = order
        const refinement = yield* activities.runStage(
          { key: refinedKey(round, cell.task, finished), success: Refinement },
          refiner.refine({ briefing, task: cell.task, round, step: cell.step, finished }),
          isSettled
        )
        const { looks: _looks, task: _task, ...refined } = refinement
        yield* events.publish({ type: "task.refined", round, step: cell.step, task: cell.task.name, ...refined })
        return { refinement, finished }
      })

      /** True for a task of a resumed run that had finished; its result is used, and it is not executed again. */
      const isFinished = Effect.fnUntraced(function* ({ done, step, task }: Cell, { record, round }: RoundOrder) {
        const known = yield* activities.stageResult({ key: stageKey.task(round, task.name), success: TaskResult })
        if (Option.isNone(known)) return false
        yield* record(known.value)
        yield* events.publish({ type: "task.kept", round, step, task: task.name })
        return yield* Deferred.succeed(done, known.value)
      })

      /** Returns who did not approve the calls of the task, if they were not approved. */
      const runTask = (cell: Cell, order: RoundOrder, approval: StepApproval) =>
        Effect.gen(function* () {
          const { round } = order
          const where = { round, step: cell.step, task: cell.task.name }
          const { refinement, finished } = yield* Deferred.await(cell.refined).pipe(
            Effect.tapError(() => approval.pass)
          )
          const prepared = gatedCalls(cell.task, refinement, round)
          const gated = yield* prepared
          if (gated === undefined) {
            yield* approval.pass
          } else {
            const { approved, by } = yield* approval.request(
              cell.task.name,
              Effect.map(prepared, (now = gated) => now)
            )
            if (!approved) return by
          }
          yield* events.publish({ type: "task.started", ...where })
          const result = yield* activities.runStage(
            { key: stageKey.task(round, cell.task.name), success: TaskResult },
            taskRunner.run({ briefing: order.briefing, refinement, round, step: cell.step, finished }),
            isFinal
          )
          yield* order.record(result)
          yield* events.publish({ type: "task.finished", ...where, result })
          yield* Deferred.succeed(cell.done, result)
          return undefined
        }).pipe(
          Effect.catchTag("TaskFailure", (failure) =>
            Effect.gen(function* () {
              const where = { round: order.round, step: cell.step, task: cell.task.name }
              yield* events.publish({ type: "task.failed", ...where, failure })
              yield* Deferred.fail(cell.done, failure)
              return undefined
            })
          )
        )

      const runStep = Effect.fnUntraced(function* (title: string, mine: ReadonlyArray<Cell>, order: RoundOrder) {
        const [first] = mine
        if (first === undefined) return undefined
        const where = { round: order.round, step: first.step, title }
        yield* events.publish({ type: "step.started", ...where })
        const tasks = mine.map((cell) => cell.task.name)
        const approval = yield* makeStepApproval(gate, { title, tasks, planKey: `round-${order.round}` })
        const declined = yield* Effect.forEach(mine, (cell) => runTask(cell, order, approval), {
          concurrency: "unbounded"
        })
        yield* events.publish({ type: "step.finished", ...where })
        return declined.find((by) => by !== undefined)
      })

      const outcomeOf = Effect.fnUntraced(function* (cells: Cells) {
        const results: Array<TaskResult> = []
        const failures: Array<TaskFailure> = []
        for (const { done } of cells.values()) {
          if (!(yield* Deferred.isDone(done))) continue
          const outcome = yield* Effect.result(Deferred.await(done))
          if (Result.isSuccess(outcome)) results.push(outcome.success)
          else failures.push(outcome.failure)
        }
        return { results, failures }
      })

      const runRound = Effect.fn("Scheduler.runRound")(function* (order: RoundOrder) {
        const cells = yield* makeCells(order.list)
        const open = yield* Effect.filter(cells.values(), (cell) => Effect.map(isFinished(cell, order), (is) => !is))
        for (const cell of open) {
          yield* refine(cell, cells, order).pipe(
            (refinement) => Deferred.into(refinement, cell.refined),
            Effect.forkScoped({ startImmediately: true })
          )
        }
        for (const [index, { title }] of order.list.steps.entries()) {
          const mine = open.filter((cell) => cell.step === index)
          const declinedBy = yield* runStep(title, mine, order)
          if (declinedBy !== undefined) {
            return { ...(yield* outcomeOf(cells)), declined: { by: declinedBy, step: title } }
          }
        }
        return yield* outcomeOf(cells)
      }, Effect.scoped)

      return Scheduler.of({ runRound })
    })
  )
}
