/**
 * Runs one round on fibers. Refinements start at once and overlap with execution; a task waits only for its own
 * refinement; a task that refers to results is refined when its producers have finished, and one whose calls rest on the
 * project when no earlier step can change it any more. Steps run one after another, the tasks of a step side by side, and
 * a task that fails does not stop its siblings. A task that only reads starts before its step when everything that is
 * open in earlier steps only reads, too, so that nobody can tell the difference by its result.
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
import { isFinal, type TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import { Activities } from "../journal/Activities.ts"
import { hashOf } from "../files/Hash.ts"
import { type Admit, makeAdmission, mostUnderWay } from "./Admission.ts"
import { hasLooked, makeEarlyStart } from "./EarlyStart.ts"
import { makeGatedCalls } from "./GatedCalls.ts"
import { Gate } from "../permissions/Gate.ts"
import { Refiner } from "./Refiner.ts"
import { startRefinements } from "./RefinementStarts.ts"
import {
  awaitProducers,
  type Cell,
  type Cells,
  makeCells,
  makeWaits,
  outcomeOf,
  type Refined,
  type Waits
} from "./RoundCells.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { StartedAhead } from "../runs/StartedAhead.ts"
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
  /** Results of tasks in steps after the one that was declined; they do not count. */
  readonly ahead?: ReadonlyArray<TaskResult>
}

/** A refinement counts for the same results of others only. */
const refinedKey = (round: number, task: Task, finished: ReadonlyArray<TaskResult>): string => {
  const seen = finished.filter(({ task: { slug } }) => task.producerSlugs.includes(slug))
  const input = hashOf(seen.map(({ result }) => result.document))
  return activityName({ key: stageKey.refined(round, task.name), input })
}

/** A round while it runs. */
interface Round {
  readonly order: RoundOrder
  readonly cells: Cells
  readonly waits: Waits
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
      const { mayChange, restsOnProject, ...effects } = yield* makeTaskEffects
      const prove = yield* makeEarlyStart
      const startedAhead = yield* StartedAhead
      const { parallel: slots, strictSections = false } = yield* RunSettings
      const startsAhead = startedAhead !== undefined || !strictSections
      const taskRunner = yield* TaskRunner

      /**
       * A refinement that was not allowed to look is made again in a resumed run, so that a person is asked again; unless
       * it changes something, since its calls may have been made.
       */
      const isSettled = (refinement: Refinement): boolean => refinement.calls.some(mayChange) || hasLooked(refinement)

      const refine = Effect.fnUntraced(function* (cell: Cell, { cells, order, waits }: Round, admit: Admit) {
        const finished = [...order.finished, ...(yield* awaitProducers(cell, cells))]
        if (restsOnProject(cell.task)) yield* waits.writersBefore(cell.step)
        const { briefing, round } = order
        const refinement = yield* admit(
          cell.turn,
          activities.runStage(
            { key: refinedKey(round, cell.task, finished), success: Refinement },
            refiner.refine({ briefing, task: cell.task, round, step: cell.step, turn: cell.turn, finished }),
            isSettled
          )
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

      /** Makes the calls of a task and writes its result, or says why it has none. */
      const carryOut = (cell: Cell, { order, waits }: Round, ready: Effect.Effect<Refined, TaskFailure>) =>
        Effect.gen(function* () {
          const { briefing, round } = order
          const { step, task, turn } = cell
          const { refinement, finished } = yield* ready
          yield* events.publish({ type: "task.started", round, step, task: task.name })
          const result = yield* activities.runStage(
            { key: stageKey.task(round, task.name), success: TaskResult },
            taskRunner.run({ briefing, refinement, round, step, turn, finished }),
            isFinal
          )
          yield* order.record(result)
          yield* events.publish({ type: "task.finished", round, step, task: task.name, result })
          yield* Deferred.succeed(cell.done, result)
        }).pipe(
          Effect.catchTag("TaskFailure", (failure) =>
            Effect.andThen(
              events.publish({
                type: "task.failed",
                round: order.round,
                step: cell.step,
                task: cell.task.name,
                failure
              }),
              Deferred.fail(cell.done, failure)
            )
          ),
          Effect.andThen(waits.ended(cell))
        )

      /** Returns who did not approve the calls of the task, if they were not approved. */
      const runInTurn = Effect.fnUntraced(function* (cell: Cell, round: Round, approval: StepApproval) {
        cell.claim = "step"
        const ready = yield* Effect.result(Deferred.await(cell.refined))
        const prepared = Result.isSuccess(ready)
          ? gatedCalls(cell.task, ready.success.refinement, round.order.round)
          : Effect.undefined
        const gated = yield* prepared
        if (gated === undefined) {
          yield* approval.pass
        } else {
          const now = Effect.map(prepared, (again = gated) => again)
          const { approved, by } = yield* approval.request(cell.task.name, now)
          if (!approved) return by
        }
        yield* carryOut(cell, round, Effect.fromResult(ready))
        return undefined
      })

      /** A task that was started ahead needs no approval. */
      const takeTurn = (cell: Cell, round: Round, approval: StepApproval) =>
        Effect.suspend(() =>
          cell.claim === "ahead"
            ? approval.pass.pipe(Effect.andThen(Deferred.await(cell.ended)), Effect.as(undefined))
            : runInTurn(cell, round, approval)
        )

      /** Runs a refined task before its section when that makes no difference to any result. */
      const startAhead = Effect.fnUntraced(function* (cell: Cell, round: Round) {
        const { order, waits } = round
        const ready = Deferred.await(cell.refined)
        const isBarrier = waits.isBarrier(cell)
        if (!isBarrier && (cell.step === 0 || startedAhead?.(order.round, cell.task.name) === false)) return
        const { asksNobody, onlyReads } = yield* prove(cell.task, (yield* ready).refinement)
        if (!onlyReads) return
        yield* waits.onlyReads(cell)
        const mayStart =
          startedAhead === undefined ? asksNobody : Effect.succeed(startedAhead(order.round, cell.task.name))
        if (cell.step === 0 || !(yield* mayStart)) return
        yield* waits.barriersBefore(cell.step)
        if (cell.claim !== undefined) return
        cell.claim = "ahead"
        yield* Deferred.into(carryOut(cell, round, ready), cell.ended)
      })

      /** Refines a task; it runs in its turn, or ahead of it. */
      const prepare = (round: Round) => (cell: Cell, admit: Admit) =>
        Effect.andThen(
          Deferred.into(refine(cell, round, admit), cell.refined),
          startsAhead ? Effect.ignore(startAhead(cell, round)) : Effect.void
        )

      const runStep = Effect.fnUntraced(function* (title: string, mine: ReadonlyArray<Cell>, round: Round) {
        const [first] = mine
        if (first === undefined) return undefined
        const where = { round: round.order.round, step: first.step, title }
        yield* events.publish({ type: "step.started", ...where })
        const tasks = mine.map((cell) => cell.task.name)
        const approval = yield* makeStepApproval(gate, { title, tasks, planKey: `round-${where.round}` })
        const declined = yield* Effect.forEach(mine, (cell) => takeTurn(cell, round, approval), {
          concurrency: "unbounded"
        })
        yield* events.publish({ type: "step.finished", ...where })
        return declined.find((by) => by !== undefined)
      })

      const runRound = Effect.fn("Scheduler.runRound")(function* (order: RoundOrder) {
        const { steps } = order.list
        const cells = yield* makeCells(order.list, effects, { byWaiting: startsAhead && slots > 1, slots })
        const open = yield* Effect.filter(cells.values(), (cell) => Effect.map(isFinished(cell, order), (is) => !is))
        const waits = yield* makeWaits(steps.length, open, effects)
        const round: Round = { order, cells, waits }
        const admission = makeAdmission(mostUnderWay(slots))
        yield* startRefinements(open, { admission, cells, waits, restsOnProject, prepare: prepare(round) })
        const byStep = Map.groupBy(open, ({ step }) => step)
        for (const [index, { title }] of steps.entries()) {
          const by = yield* runStep(title, byStep.get(index) ?? [], round)
          if (by === undefined) continue
          return { ...(yield* outcomeOf(cells, startsAhead ? index : steps.length)), declined: { by, step: title } }
        }
        return yield* outcomeOf(cells, steps.length)
      }, Effect.scoped)

      return Scheduler.of({ runRound })
    })
  )
}
