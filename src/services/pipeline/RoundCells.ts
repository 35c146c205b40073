/**
 * The state of the tasks of a round while it runs: what each waits for, and what became of it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Refinement } from "../../domain/documents/Refinement.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { TaskList } from "../../domain/plan/TaskList.ts"
import { TaskFailure, type TaskResult } from "../../domain/plan/TaskResult.ts"
import { splitTurns, turnsOf } from "../../domain/plan/TaskTurns.ts"
import { makeStepBarrier, type StepBarrier } from "./StepBarrier.ts"

/** A refinement with the results that it was made on. */
export interface Refined {
  readonly refinement: Refinement
  readonly finished: ReadonlyArray<TaskResult>
}

/** What a task may do, as its skill and the list say. */
export interface CellEffects {
  readonly mayWrite: (task: Task) => boolean
  readonly isBarrier: (task: Task) => boolean
}

/** The state of a task while its round runs. */
export interface Cell {
  readonly task: Task
  readonly step: number
  /** How urgent its calls are, from 0. */
  readonly turn: number
  readonly refined: Deferred.Deferred<Refined, TaskFailure>
  readonly done: Deferred.Deferred<TaskResult, TaskFailure>
  /** A task that was started ahead has ended. */
  readonly ended: Deferred.Deferred<void>
  /** Who runs the task: its section in its turn, or itself ahead of it. */
  claim: "step" | "ahead" | undefined
}

/** All tasks of a round by slug. */
export type Cells = ReadonlyMap<string, Cell>

/**
 * How many tasks of a turn are refined before the first of them is executed, for each slot. The more there are, the less often does
 * the server change between the prompts of two stages, and the longer do results take.
 */
const turnPerSlot = 16

interface TurnRules {
  readonly slots: number
  /** A task is as urgent as the work that waits for it, else as its section is early. */
  readonly byWaiting: boolean
}

export const makeCells = Effect.fnUntraced(function* (
  list: TaskList,
  { isBarrier }: CellEffects,
  { byWaiting, slots }: TurnRules
) {
  const waiting = byWaiting
    ? turnsOf(
        list.steps.map(({ tasks }) =>
          tasks.map((task) => ({ slug: task.slug, producers: task.producerSlugs, isBarrier: isBarrier(task) }))
        )
      )
    : undefined
  const places = list.steps.flatMap(({ tasks }, step) =>
    tasks.map((task) => ({ task, step, turn: waiting?.get(task.slug) ?? step }))
  )
  const cells = new Map<string, Cell>()
  for (const place of splitTurns(places, turnPerSlot * slots)) {
    cells.set(place.task.slug, {
      ...place,
      refined: yield* Deferred.make<Refined, TaskFailure>(),
      done: yield* Deferred.make<TaskResult, TaskFailure>(),
      ended: yield* Deferred.make<void>(),
      claim: undefined
    })
  }
  const all: Cells = cells
  return all
})

/** What later sections wait for. */
export interface Waits {
  /** Waits until no open task of an earlier section may write. */
  readonly writersBefore: StepBarrier["before"]
  /** Whether a task of an earlier section could write when the round began. */
  readonly hasWriterBefore: (step: number) => boolean
  /** Waits until every open task of an earlier section is known to only read without approval. */
  readonly barriersBefore: StepBarrier["before"]
  readonly isBarrier: (cell: Cell) => boolean
  /** The task is known to only read without approval. */
  readonly onlyReads: (cell: Cell) => Effect.Effect<void>
  /** The task has ended. */
  readonly ended: (cell: Cell) => Effect.Effect<void>
}

export const makeWaits = Effect.fnUntraced(function* (steps: number, open: ReadonlyArray<Cell>, effects: CellEffects) {
  const writers = new Set(open.filter(({ task }) => effects.mayWrite(task)))
  const barriers = new Set(open.filter(({ task }) => effects.isBarrier(task)))
  const stepsOf = (cells: ReadonlySet<Cell>): ReadonlyArray<number> => [...cells].map(({ step }) => step)
  const firstWriter = stepsOf(writers).reduce((first, step) => Math.min(first, step), Infinity)
  const written = yield* makeStepBarrier(steps, stepsOf(writers))
  const passed = yield* makeStepBarrier(steps, stepsOf(barriers))
  const settle = (cells: Set<Cell>, cell: Cell, barrier: StepBarrier) =>
    Effect.suspend(() => (cells.delete(cell) ? barrier.settle(cell.step) : Effect.void))
  const onlyReads = (cell: Cell) => settle(barriers, cell, passed)
  const waits: Waits = {
    writersBefore: written.before,
    hasWriterBefore: (step) => firstWriter < step,
    barriersBefore: passed.before,
    isBarrier: (cell) => barriers.has(cell),
    onlyReads,
    ended: (cell) => Effect.andThen(settle(writers, cell, written), onlyReads(cell))
  }
  return waits
})

const none: Effect.Effect<ReadonlyArray<TaskResult>> = Effect.succeed([])

/** The results that a task refers to, once they exist; skips the task when one of them never will. */
export const awaitProducers = ({ task }: Cell, cells: Cells): Effect.Effect<ReadonlyArray<TaskResult>, TaskFailure> => {
  const producers = task.producerSlugs.flatMap((slug) => cells.get(slug) ?? [])
  if (producers.length === 0) return none
  return Effect.forEach(producers, (producer) =>
    Effect.mapError(
      Deferred.await(producer.done),
      () =>
        new TaskFailure({
          task: task.name,
          phase: "refinement",
          reason: `not run, because "${producer.task.name}" has no result.`,
          skipped: true
        })
    )
  )
}

/** What became of the tasks up to a section, and which tasks after it have a result. */
export const outcomeOf = Effect.fnUntraced(function* (cells: Cells, last: number) {
  const results: Array<TaskResult> = []
  const failures: Array<TaskFailure> = []
  const ahead: Array<TaskResult> = []
  for (const { done, step } of cells.values()) {
    if (!(yield* Deferred.isDone(done))) continue
    const outcome = yield* Effect.result(Deferred.await(done))
    if (Result.isSuccess(outcome)) (step > last ? ahead : results).push(outcome.success)
    else if (step <= last) failures.push(outcome.failure)
  }
  return { results, failures, ahead }
})
