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
import { toolsOfSkill } from "../../domain/skills/Skill.ts"
import { shortened } from "../../domain/text/Excerpt.ts"
import { fileTools, pathsOf } from "../../domain/tools/ToolCall.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate, approveStep } from "../permissions/Gate.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { makeItemFiles } from "../changes/SearchedTexts.ts"
import { makeJoinChanges } from "./JoinChanges.ts"
import { TaskLoop } from "./TaskLoop.ts"
import { makeCopyWork } from "../changes/CopyWork.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { CallsDeclined, requestOf, type TaskOrder } from "./TaskStage.ts"

/** How much of a report stands for an item. */
const longestNote = 200

/** What one item came to. */
interface ItemOutcome {
  readonly result: ItemResult
  readonly outcome?: TaskOutcome
}

const noteOf = (text: string): string => {
  const line = text
    .split("\n")
    .map((one) => one.replace(/^[#>*\s-]+/, "").trim())
    .find((one) => one !== "")
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

/** One outcome of what the items came to. */
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

export class TaskItems extends Context.Service<
  TaskItems,
  {
    /** Carries out a task for each of its items. Fails when there is none, or when nobody allows more than the limit. */
    work(order: TaskOrder, forEach: ForEach): Effect.Effect<TaskOutcome, TaskFailure | CallsDeclined>
  }
>()("task-conductor/services/pipeline/TaskItems") {
  static readonly layer = Layer.effect(
    TaskItems,
    Effect.gen(function* () {
      const activities = yield* Activities
      const changes = yield* makeTaskChanges
      const { check } = yield* makeCopyWork
      const events = yield* RunEvents
      const gate = yield* Gate
      const itemFiles = yield* makeItemFiles
      const join = yield* makeJoinChanges
      const loop = yield* TaskLoop
      const registry = yield* ToolRegistry
      const skills = yield* Skills
      const { limits, parallel } = yield* RunSettings
      const allTools = registry.tools.map(({ name }) => name)

      /** True for a task whose items may be left unchanged. */
      const mayChange = ({ skill: name }: Task): boolean => {
        const skill = skills.find(name)
        return skill !== undefined && toolsOfSkill(skill, allTools).some((tool) => fileTools.has(tool))
      }

      const find = Effect.fnUntraced(function* (forEach: ForEach, { finished, task }: TaskOrder) {
        const { source } = forEach
        if (source.kind === "glob") {
          const { items, notLookedAt } = yield* itemFiles(forEach, source.pattern)
          const text = `The items of "${task.name}": ${notLookedAt}`
          if (notLookedAt !== "") yield* events.publish({ type: "message", level: "warning", text })
          return items
        }
        const producer = finished.findLast((one) => one.task.slug === source.target)
        return itemsOf(forEach, [{ text: producer?.result.document ?? "" }])
      })

      /** Asks about more items than the limit. */
      const allow = Effect.fnUntraced(function* ({ round, task }: TaskOrder, count: number) {
        if (count <= limits.items) return
        const title = `${count} items of "${task.name}", more than limits.items (${limits.items})`
        const tasks = [{ task: task.name, gatedBy: "list" as const, calls: [] }]
        const { approved, by } = yield* approveStep(gate, { title, planKey: `items-${round}`, tasks })
        if (!approved) return yield* new CallsDeclined({ by })
      })

      /** The turns of one item. */
      const one = (order: TaskOrder, item: Item, task: Task) =>
        activities
          .runStage(
            { key: stageKey.worked(order.round, task.name), success: TaskOutcome },
            loop.work({ ...order, task, isItem: true })
          )
          .pipe(
            Effect.map((outcome) => outcomeOf(item, outcome, mayChange(order.task))),
            Effect.catchTag("CallsDeclined", () =>
              Effect.succeed(withoutResult(item, "skipped", "Somebody declined what it needs."))
            ),
            Effect.result
          )

      /** Puts the changes of the items together, one item after the other; an item whose change comes to nothing has failed. */
      const joinAll = Effect.fnUntraced(function* (order: TaskOrder, outcomes: ReadonlyArray<ItemOutcome>) {
        const settled: Array<ItemOutcome> = []
        let others: ReadonlyArray<ProposedFile> = []
        for (const { outcome, result } of outcomes) {
          const joined =
            outcome === undefined
              ? Result.succeed(undefined)
              : yield* Effect.result(join({ ...order, task: outcome.task }, outcome, { others, checks: false }))
          if (Result.isFailure(joined)) {
            const { message } = joined.failure
            settled.push({ result: { ...result, state: "failed", note: noteOf(message) } })
            continue
          }
          const made = joined.success
          settled.push({ result, ...(made === undefined ? {} : { outcome: made }) })
          if (made !== undefined) others = changes.onTop(others, made)
        }
        const copy = makeWorkingCopy()
        for (const file of others) copy.propose(file)
        const parts = settled.flatMap(({ outcome = [] }) => outcome)
        const checked = check({ copy, request: requestOf(order), round: order.round, task: order.task.name }, 0)
        const checks = parts.some((part) => part.joined !== undefined)
          ? yield* Effect.provideService(checked, CurrentCopy, copy)
          : joinedChecks(parts.flatMap((part) => part.checks ?? []))
        return outcomeOfItems(order.task, settled, changes.proposed(copy, { checks, turn: 0 }, "file"))
      })

      const work = Effect.fnUntraced(function* (order: TaskOrder, forEach: ForEach) {
        const { round, step, task } = order
        const items = yield* activities.record(
          { key: seenKey.items(round, task.name), success: Schema.Array(Item) },
          find(forEach, order)
        )
        if (items.length === 0) {
          const reason = "there is no item to work on."
          return yield* new TaskFailure({ task: task.name, phase: "refinement", reason, skipped: false })
        }
        yield* allow(order, items.length)
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
            const first = yield* one(order, item, taskOfItem(task, item, number, items.length))
            const last =
              Result.isSuccess(first) ||
              first.failure.cause?._tag === "ModelFailed" ||
              unableIn(first.failure) !== undefined
                ? first
                : yield* one(order, item, taskOfItem(task, item, number, items.length, true))
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
        return yield* joinAll(order, outcomes)
      })

      return TaskItems.of({ work })
    })
  )
}
