/**
 * Runs a for-each task. The program lists the items and divides them into parts, each with its own turns and window.
 * One outcome combines the parts and covers every item.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type CheckOutcome, passes } from "../../domain/checks/CheckOutcome.ts"
import { TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { Item, itemsOf } from "../../domain/documents/TaskItems.ts"
import type { ForEach, ItemResult } from "../../domain/plan/ForEach.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { endingFailure, resultOfItems, TaskFailure, unableIn } from "../../domain/plan/TaskResult.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Activities } from "../journal/Activities.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeItemFiles } from "../changes/SearchedTexts.ts"
import { makeJoinChanges } from "./JoinChanges.ts"
import { makeCopyWork } from "../changes/CopyWork.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { makeApproval } from "./Approval.ts"
import { makeItemParts, noteOf, type PartOutcome, withoutResult } from "./ItemParts.ts"
import { requestOf, type TaskOrder } from "./TaskStage.ts"

/** The changes of all items together. */
type Proposed = Pick<TaskOutcome, "bases" | "calls" | "checks" | "files">

/** One outcome for each check: a failed outcome if the check failed for any item, otherwise the last outcome. */
const joinedChecks = (all: ReadonlyArray<CheckOutcome>): ReadonlyArray<CheckOutcome> => {
  const byCommand = new Map<string, CheckOutcome>()
  for (const outcome of all) {
    const before = byCommand.get(outcome.command)
    if (before === undefined || passes(before)) byCommand.set(outcome.command, outcome)
  }
  return [...byCommand.values()]
}

const outcomeOfParts = (task: Task, outcomes: ReadonlyArray<PartOutcome>, proposed: Proposed): TaskOutcome => {
  const parts = outcomes.map(({ outcome }) => outcome)
  const seen = parts.flatMap((part) => part?.seen ?? [])
  const priorCalls = parts.flatMap((part, index) =>
    (part?.priorCalls ?? []).map(({ call, result }) => ({
      call: { ...call, uid: `item-${index + 1}-${call.uid}` },
      result
    }))
  )
  const items = outcomes
    .flatMap(({ results }) => results)
    .toSorted((a, b) => a.number - b.number)
    .map(({ number: _number, ...result }): ItemResult => result)
  return {
    task,
    ...(Arr.isReadonlyArrayNonEmpty(priorCalls) ? { priorCalls } : {}),
    ...(Arr.isReadonlyArrayNonEmpty(seen) ? { seen } : {}),
    ...proposed,
    items,
    result: resultOfItems(items)
  }
}

/** Returns a function that lists the items of a task, from project files or from another task's report. */
const makeItemSource = Effect.gen(function* () {
  const events = yield* RunEvents
  const itemFiles = yield* makeItemFiles

  return Effect.fnUntraced(function* (forEach: ForEach, { finished, task }: TaskOrder) {
    const { source } = forEach
    if (source.kind !== "glob") {
      const producer = finished.findLast((result) => result.task.slug === source.target)
      return itemsOf(forEach, [{ text: producer?.result.document ?? "" }])
    }
    const { items, notLookedAt } = yield* itemFiles(forEach, source.pattern)
    const text = `The items of "${task.name}": ${notLookedAt}`
    if (notLookedAt !== "") yield* events.publish({ type: "message", level: "warning", text })
    return items
  })
})

/**
 * The results of a part after its changes were merged with other changes. Each item takes its state and note from the
 * merged outcome.
 */
const resultsAfter = (results: PartOutcome["results"], { items = [] }: TaskOutcome): PartOutcome["results"] => {
  const joined = new Map(items.map(({ item, note, state }) => [item, { note, state }]))
  return results.map((result) => Object.assign({}, result, joined.get(result.item)))
}

/** Combines the changes of the parts one after another. An item fails if the merge loses its change. */
const makePartJoin = Effect.gen(function* () {
  const changes = yield* makeTaskChanges
  const { check } = yield* makeCopyWork
  const join = yield* makeJoinChanges

  return Effect.fnUntraced(function* (order: TaskOrder, outcomes: ReadonlyArray<PartOutcome>) {
    const joined: Array<PartOutcome> = []
    let others: ReadonlyArray<ProposedFile> = []
    for (const { outcome, results } of outcomes) {
      if (outcome === undefined) {
        joined.push({ results })
        continue
      }
      const joining = join({ ...order, task: outcome.task }, outcome, { others, checks: false })
      const merged = yield* Effect.result(joining)
      if (Result.isFailure(merged)) {
        const note = noteOf(merged.failure.message)
        joined.push({ results: results.map((result) => Object.assign({}, result, { state: "failed" as const, note })) })
        continue
      }
      joined.push({ results: resultsAfter(results, merged.success), outcome: merged.success })
      others = changes.onTop(others, merged.success)
    }
    const copy = makeWorkingCopy()
    for (const file of others) copy.propose(file)
    const parts = joined.flatMap(({ outcome = [] }) => outcome)
    const checked = check({ copy, request: requestOf(order), round: order.round, task: order.task.name }, 0)
    const checks = parts.some((part) => part.joined !== undefined)
      ? yield* Effect.provideService(checked, CurrentCopy, copy)
      : joinedChecks(parts.flatMap((part) => part.checks ?? []))
    return outcomeOfParts(order.task, joined, changes.proposed(copy, { checks, turn: 0 }, "file"))
  })
})

export class TaskItems extends Context.Service<TaskItems>()("task-conductor/services/pipeline/TaskItems", {
  make: Effect.gen(function* () {
    const activities = yield* Activities
    const events = yield* RunEvents
    const findItems = yield* makeItemSource
    const approval = yield* makeApproval
    const joinParts = yield* makePartJoin
    const parts = yield* makeItemParts
    const { limits, parallel } = yield* RunSettings

    const work = Effect.fnUntraced(function* (order: TaskOrder, forEach: ForEach) {
      const { round, step, task } = order
      const items = yield* activities.record(
        { key: seenKey.items(round, task.name), success: Schema.Array(Item) },
        findItems(forEach, order)
      )
      const all = items.length
      if (all === 0) {
        const reason = "there is no item to work on."
        return yield* new TaskFailure({ task: task.name, phase: "refinement", reason, skipped: false })
      }
      if (all > limits.items) {
        const title = `${all} items of "${task.name}", more than limits.items (${limits.items})`
        const tasks = [{ task: task.name, gatedBy: "list" as const, calls: [] }]
        yield* approval.ask({ title, planKey: `items-${round}`, tasks })
      }
      const report = ({ results }: PartOutcome) =>
        Effect.forEach(results, (result) =>
          events.publish({ type: "task.item", round, step, task: task.name, of: all, ...result })
        )
      let hasResult = false
      const unable: Array<TaskFailure> = []
      const noteFailure = (failure: TaskFailure): void => {
        if (unableIn(failure) !== undefined) unable.push(failure)
      }
      const numbered = items.map((item, index) => Object.assign({ number: index + 1 }, item))
      const outcomes = yield* Effect.forEach(
        parts.partsOf(order, numbered, all, false),
        Effect.fnUntraced(function* (part) {
          const isEnding = endingFailure(unable, hasResult ? [part] : []) !== undefined
          const tried = isEnding
            ? [withoutResult(part, "skipped", "The model could not do the items before it.")]
            : yield* parts.work(order, part, all, noteFailure)
          hasResult ||= tried.some(({ outcome }) => outcome !== undefined)
          yield* Effect.forEach(tried, report)
          return tried
        }),
        { concurrency: parallel }
      )
      const [failure] = unable
      if (failure !== undefined && !hasResult) {
        const { cause, phase, reason } = failure
        return yield* new TaskFailure({ task: task.name, phase, reason, skipped: false, ...(cause && { cause }) })
      }
      return yield* joinParts(order, outcomes.flat())
    })

    return {
      /**
       * Works on all items and combines their outcomes. Fails if there are no items. Also fails if there are more items
       * than the limit and the user does not allow them.
       */
      work
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
