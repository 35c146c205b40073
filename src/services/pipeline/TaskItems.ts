/**
 * Carries out a task for each of its items: the host lists them, each has turns and a window of its own, those that failed are
 * tried once more, and what they came to is one outcome, in which every item is accounted for.
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
import { Item, itemsOf, taskOfItem } from "../../domain/documents/TaskItems.ts"
import { type ForEach, type ItemResult, itemsReport } from "../../domain/plan/ForEach.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { deniedOf, endingFailure, resultOfSummary, TaskFailure, unableIn } from "../../domain/plan/TaskResult.ts"
import { seenKey, stageKey } from "../../domain/runs/ActivityKey.ts"
import { shortened } from "../../domain/text/Excerpt.ts"
import { pathsOf } from "../../domain/tools/ToolCall.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Activities } from "../journal/Activities.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeItemFiles } from "../changes/SearchedTexts.ts"
import { makeJoinChanges } from "./JoinChanges.ts"
import { makeTaskEffects } from "./TaskEffects.ts"
import { TaskAgent } from "./TaskAgent.ts"
import { makeCopyWork } from "../changes/CopyWork.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { makeApproval } from "./Approval.ts"
import { requestOf, type TaskOrder } from "./TaskStage.ts"

/** How much of a report stands for an item. */
const longestNote = 200

interface ItemOutcome {
  readonly result: ItemResult
  readonly outcome?: TaskOutcome
}

const noteOf = (text: string): string => {
  const line = text
    .split("\n")
    .map((text) => text.replace(/^[#>*\s-]+/, "").trim())
    .find((text) => text !== "")
  return shortened(line ?? "", longestNote)
}

const outcomeOf = (item: Item, outcome: TaskOutcome, isWriter: boolean): ItemOutcome => {
  const { calls, priorCalls = [], result } = outcome
  if (deniedOf(priorCalls) === "all" && calls.length === 0) {
    return { ...withoutResult(item, "skipped", "All that it asked for was denied."), outcome }
  }
  const state = isWriter && calls.length === 0 ? "unchanged" : "done"
  const files = calls.length === 0 ? {} : { files: [...new Set(calls.flatMap(pathsOf))] }
  return { result: { item: item.text, state, note: noteOf(result?.summary ?? ""), ...files }, outcome }
}

const withoutResult = ({ text }: Item, state: "failed" | "skipped", note: string): ItemOutcome => ({
  result: { item: text, state, note: noteOf(note) }
})

/** What the items change together. */
type Proposed = Pick<TaskOutcome, "bases" | "calls" | "checks" | "files">

/** The last outcome of each check; one that failed for any item stays. */
const joinedChecks = (all: ReadonlyArray<CheckOutcome>): ReadonlyArray<CheckOutcome> => {
  const byCommand = new Map<string, CheckOutcome>()
  for (const outcome of all) {
    const before = byCommand.get(outcome.command)
    if (before === undefined || passes(before)) byCommand.set(outcome.command, outcome)
  }
  return [...byCommand.values()]
}

const outcomeOfItems = (task: Task, outcomes: ReadonlyArray<ItemOutcome>, proposed: Proposed): TaskOutcome => {
  const parts = outcomes.map(({ outcome }) => outcome)
  const seen = parts.flatMap((part) => part?.seen ?? [])
  const priorCalls = parts.flatMap((part, index) =>
    (part?.priorCalls ?? []).map(({ call, result }) => ({
      call: { ...call, uid: `item-${index + 1}-${call.uid}` },
      result
    }))
  )
  const items = outcomes.map(({ result }) => result)
  return {
    task,
    ...(Arr.isReadonlyArrayNonEmpty(priorCalls) ? { priorCalls } : {}),
    ...(Arr.isReadonlyArrayNonEmpty(seen) ? { seen } : {}),
    ...proposed,
    items,
    result: resultOfSummary(itemsReport(items))
  }
}

/** Lists the items of a task: in files of the project, or in the report of another task. */
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

/** Puts the changes of items together, one item after the other; an item whose change comes to nothing has failed. */
const makeItemJoin = Effect.gen(function* () {
  const changes = yield* makeTaskChanges
  const { check } = yield* makeCopyWork
  const join = yield* makeJoinChanges

  return Effect.fnUntraced(function* (order: TaskOrder, outcomes: ReadonlyArray<ItemOutcome>) {
    const joined: Array<ItemOutcome> = []
    let others: ReadonlyArray<ProposedFile> = []
    for (const { outcome, result } of outcomes) {
      if (outcome === undefined) {
        joined.push({ result })
        continue
      }
      const joining = join({ ...order, task: outcome.task }, outcome, { others, checks: false })
      const merged = yield* Effect.result(joining)
      if (Result.isFailure(merged)) {
        joined.push({ result: { ...result, state: "failed", note: noteOf(merged.failure.message) } })
        continue
      }
      joined.push({ result, outcome: merged.success })
      others = changes.onTop(others, merged.success)
    }
    const copy = makeWorkingCopy()
    for (const file of others) copy.propose(file)
    const parts = joined.flatMap(({ outcome = [] }) => outcome)
    const checked = check({ copy, request: requestOf(order), round: order.round, task: order.task.name }, 0)
    const checks = parts.some((part) => part.joined !== undefined)
      ? yield* Effect.provideService(checked, CurrentCopy, copy)
      : joinedChecks(parts.flatMap((part) => part.checks ?? []))
    return outcomeOfItems(order.task, joined, changes.proposed(copy, { checks, turn: 0 }, "file"))
  })
})

export class TaskItems extends Context.Service<TaskItems>()("task-conductor/services/pipeline/TaskItems", {
  make: Effect.gen(function* () {
    const activities = yield* Activities
    const events = yield* RunEvents
    const findItems = yield* makeItemSource
    const approval = yield* makeApproval
    const joinItems = yield* makeItemJoin
    const taskAgent = yield* TaskAgent
    const { mayChangeFiles } = yield* makeTaskEffects
    const { limits, parallel } = yield* RunSettings

    const workOnItem = (order: TaskOrder, item: Item, task: Task) =>
      activities
        .runStage(
          { key: stageKey.worked(order.round, task.name), success: TaskOutcome },
          taskAgent.work({ ...order, task, isItem: true })
        )
        .pipe(
          Effect.map((outcome) => outcomeOf(item, outcome, mayChangeFiles(order.task))),
          Effect.catchTag("CallsDeclined", () =>
            Effect.succeed(withoutResult(item, "skipped", "Somebody declined what it needs."))
          ),
          Effect.result
        )

    const work = Effect.fnUntraced(function* (order: TaskOrder, forEach: ForEach) {
      const { round, step, task } = order
      const items = yield* activities.record(
        { key: seenKey.items(round, task.name), success: Schema.Array(Item) },
        findItems(forEach, order)
      )
      if (items.length === 0) {
        const reason = "there is no item to work on."
        return yield* new TaskFailure({ task: task.name, phase: "refinement", reason, skipped: false })
      }
      if (items.length > limits.items) {
        const title = `${items.length} items of "${task.name}", more than limits.items (${limits.items})`
        const tasks = [{ task: task.name, gatedBy: "list" as const, calls: [] }]
        yield* approval.ask({ title, planKey: `items-${round}`, tasks })
      }
      const report = (number: number, { result }: ItemOutcome) =>
        events.publish({ type: "task.item", round, step, task: task.name, number, of: items.length, ...result })
      let hasResult = false
      const unable: Array<TaskFailure> = []
      const outcomes = yield* Effect.forEach(
        items,
        Effect.fnUntraced(function* (item, index) {
          const number = index + 1
          const ending = endingFailure(unable, hasResult ? [item] : [])
          if (ending !== undefined) {
            const outcome = withoutResult(item, "skipped", "The model could not do the items before it.")
            yield* report(number, outcome)
            return outcome
          }
          const first = yield* workOnItem(order, item, taskOfItem(task, item, number, items.length))
          const last =
            Result.isSuccess(first) ||
            first.failure.cause?._tag === "ModelFailed" ||
            unableIn(first.failure) !== undefined
              ? first
              : yield* workOnItem(order, item, taskOfItem(task, item, number, items.length, true))
          const outcome = Result.isSuccess(last)
            ? last.success
            : withoutResult(item, last.failure.skipped ? "skipped" : "failed", last.failure.reason)
          hasResult ||= Result.isSuccess(last)
          if (Result.isFailure(last) && unableIn(last.failure) !== undefined) unable.push(last.failure)
          yield* report(number, outcome)
          return outcome
        }),
        { concurrency: parallel }
      )
      const [failure] = unable
      if (failure !== undefined && !hasResult) {
        const { cause, phase, reason } = failure
        return yield* new TaskFailure({ task: task.name, phase, reason, skipped: false, ...(cause && { cause }) })
      }
      return yield* joinItems(order, outcomes)
    })

    return {
      /** Carries out a task for each of its items. Fails when there is none, or when nobody allows more than the limit. */
      work
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
