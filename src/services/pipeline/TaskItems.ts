/**
 * Carries out a task for each of its items: the host lists them, each has turns and a window of its own, those that failed are
 * tried once more, and what they came to is one refinement, in which every item is accounted for.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type CheckOutcome, passes } from "../../domain/checks/CheckOutcome.ts"
import { joinedFiles } from "../../domain/checks/Facts.ts"
import { Refinement } from "../../domain/documents/Refinement.ts"
import { Item, itemsOf, taskOfItem } from "../../domain/documents/TaskItems.ts"
import type { ForEach, ItemResult } from "../../domain/plan/ForEach.ts"
import { itemsReport } from "../../domain/plan/ForEach.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { deniedOf, resultOfSummary, TaskFailure, type TaskResult } from "../../domain/plan/TaskResult.ts"
import { seenKey, stageKey } from "../../domain/runs/ActivityKey.ts"
import { toolsOfSkill } from "../../domain/skills/Skill.ts"
import { shortened } from "../../domain/text/Excerpt.ts"
import { fileTools, ToolCall } from "../../domain/tools/ToolCall.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate } from "../permissions/Gate.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { makeItemFiles } from "./ItemFiles.ts"
import { maxSearchedBytes } from "./SearchedTexts.ts"
import { TaskLoop } from "./TaskLoop.ts"
import { fileCall } from "./TaskChanges.ts"
import { CallsDeclined, type TaskOrder } from "./TaskStage.ts"

/** How much of a report stands for an item. */
const longestNote = 200

/** What one item came to. */
interface ItemOutcome {
  readonly result: ItemResult
  readonly refinement?: Refinement
}

const noteOf = (text: string): string => {
  const line = text
    .split("\n")
    .map((one) => one.replace(/^[#>*\s-]+/, "").trim())
    .find((one) => one !== "")
  return shortened(line ?? "", longestNote)
}

const outcomeOf = (item: Item, refinement: Refinement, isWriter: boolean): ItemOutcome => {
  const { calls, looks = [], result } = refinement
  if (deniedOf(looks) === "all" && calls.length === 0) {
    return { ...withoutResult(item, "skipped", "All that it asked for was denied."), refinement }
  }
  const state = isWriter && calls.length === 0 ? "unchanged" : "done"
  const files = calls.length === 0 ? {} : { files: [...new Set(calls.map(pathOf))] }
  return { result: { item: item.text, state, note: noteOf(result?.summary ?? ""), ...files }, refinement }
}

const withoutResult = ({ text }: Item, state: "failed" | "skipped", note: string): ItemOutcome => ({
  result: { item: text, state, note: noteOf(note) }
})

const clashing = ({ refinement, result }: ItemOutcome): ItemOutcome => ({
  refinement,
  result: { ...result, state: "failed", note: "Its change of a file clashes with that of another item." }
})

/** The last outcome of each check; one that failed for any item stays. */
const joinedChecks = (all: ReadonlyArray<CheckOutcome>): ReadonlyArray<CheckOutcome> => {
  const byCommand = new Map<string, CheckOutcome>()
  for (const outcome of all) {
    const before = byCommand.get(outcome.command)
    if (before === undefined || passes(before)) byCommand.set(outcome.command, outcome)
  }
  return [...byCommand.values()]
}

const pathOf = (call: ToolCall): string => String(call.arguments["path"] ?? "")

/** The text after one change of it; nothing when the change does not fit it any more. */
const changedBy = (text: string, base: string, { arguments: given }: ToolCall): string | undefined => {
  const { content, new_text: newText, old_text: oldText } = given
  if (typeof content === "string") return text === base ? content : undefined
  if (typeof oldText !== "string" || typeof newText !== "string") return undefined
  const [before, after, ...more] = text.split(oldText)
  return before === undefined || after === undefined || more.length > 0 ? undefined : before + newText + after
}

/** The changes of all items with one call for each file, and the items whose change did not fit, from 0. */
const Merged = Schema.Struct({ calls: Schema.Array(ToolCall), clashed: Schema.Array(Schema.Int) })

/** One refinement of what the items came to, with these calls. */
const joined = (task: Task, outcomes: ReadonlyArray<ItemOutcome>, calls: ReadonlyArray<ToolCall>): Refinement => {
  const parts = outcomes.map(({ refinement }) => refinement)
  const looks = parts.flatMap((part, index) =>
    (part?.looks ?? []).map(({ call, result }) => ({ call: { ...call, uid: `item-${index + 1}-${call.uid}` }, result }))
  )
  const files = joinedFiles(parts.flatMap((part) => part?.files ?? []))
  const checks = joinedChecks(parts.flatMap((part) => part?.checks ?? []))
  const items = outcomes.map(({ result }) => result)
  return {
    task,
    ...(Arr.isReadonlyArrayNonEmpty(looks) ? { looks } : {}),
    calls,
    ...(files.length === 0 ? {} : { files }),
    ...(checks.length === 0 ? {} : { checks }),
    items,
    result: resultOfSummary(itemsReport(items))
  }
}

export class TaskItems extends Context.Service<
  TaskItems,
  {
    /** Carries out a task for each of its items. Fails when there is none, or when nobody allows more than the limit. */
    work(order: TaskOrder, forEach: ForEach): Effect.Effect<Refinement, TaskFailure | CallsDeclined>
  }
>()("task-conductor/services/pipeline/TaskItems") {
  static readonly layer = Layer.effect(
    TaskItems,
    Effect.gen(function* () {
      const activities = yield* Activities
      const events = yield* RunEvents
      const gate = yield* Gate
      const itemFiles = yield* makeItemFiles
      const loop = yield* TaskLoop
      const registry = yield* ToolRegistry
      const skills = yield* Skills
      const workspace = yield* Workspace
      const { limits, parallel } = yield* RunSettings
      const allTools = registry.tools.map(({ name }) => name)

      /** True for a task whose items may be left unchanged. */
      const mayChange = ({ skill: name }: Task): boolean => {
        const skill = skills.find(name)
        return skill !== undefined && toolsOfSkill(skill, allTools).some((tool) => fileTools.has(tool))
      }

      const find = (forEach: ForEach, finished: ReadonlyArray<TaskResult>) => {
        const { source } = forEach
        if (source.kind === "glob") return itemFiles(forEach, source.pattern)
        const producer = finished.findLast(({ task }) => task.slug === source.target)
        return Effect.succeed(itemsOf(forEach, [{ text: producer?.result.document ?? "" }]))
      }

      /** Asks about more items than the limit. */
      const allow = Effect.fnUntraced(function* ({ round, task }: TaskOrder, count: number) {
        if (count <= limits.items) return
        const title = `${count} items of "${task.name}", more than limits.items (${limits.items})`
        const tasks = [{ task: task.name, gatedBy: "list" as const, calls: [] }]
        const { approved, by } = yield* gate.approveStep({ title, planKey: `items-${round}`, tasks })
        if (!approved) return yield* new CallsDeclined({ by })
      })

      /** The turns of one item. */
      const one = (order: TaskOrder, item: Item, task: Task) =>
        activities
          .runStage(
            { key: stageKey.refined(order.round, task.name), success: Refinement },
            loop.work({ ...order, task, isItem: true })
          )
          .pipe(
            Effect.map((refinement) => outcomeOf(item, refinement, mayChange(order.task))),
            Effect.catchTag("CallsDeclined", () =>
              Effect.succeed(withoutResult(item, "skipped", "Somebody declined what it needs."))
            ),
            Effect.result
          )

      /** Puts the changes that several items make of one file together. */
      const merge = Effect.fnUntraced(function* (outcomes: ReadonlyArray<ItemOutcome>) {
        const byPath = Map.groupBy(
          outcomes.flatMap(({ refinement }, index) => (refinement?.calls ?? []).map((call) => ({ call, index }))),
          ({ call }) => pathOf(call)
        )
        const clashed = new Set<number>()
        const calls = yield* Effect.forEach([...byPath], ([path, changes], position) => {
          const uid = `file-${position + 1}`
          const [first, ...others] = changes
          if (first !== undefined && others.length === 0) return Effect.succeed({ ...first.call, uid })
          return workspace.canonical(path).pipe(
            Effect.flatMap((file) => workspace.readText(file.path, maxSearchedBytes)),
            Effect.orElseSucceed(() => ""),
            Effect.map((base) => {
              const text = changes.reduce((before, { call, index }) => {
                const after = changedBy(before, base, call)
                if (after === undefined) clashed.add(index)
                return after ?? before
              }, base)
              return fileCall(uid, path, base, text)
            })
          )
        })
        return { calls, clashed: [...clashed] }
      })

      const work = Effect.fnUntraced(function* (order: TaskOrder, forEach: ForEach) {
        const { round, step, task } = order
        const items = yield* activities.record(
          { key: seenKey.items(round, task.name), success: Schema.Array(Item) },
          find(forEach, order.finished)
        )
        if (items.length === 0) {
          const reason = "there is no item to work on."
          return yield* new TaskFailure({ task: task.name, phase: "refinement", reason, skipped: false })
        }
        yield* allow(order, items.length)
        const report = (number: number, { result }: ItemOutcome) =>
          events.publish({ type: "task.item", round, step, task: task.name, number, of: items.length, ...result })
        const outcomes = yield* Effect.forEach(
          items,
          Effect.fnUntraced(function* (item, index) {
            const number = index + 1
            const first = yield* one(order, item, taskOfItem(task, item, number, items.length))
            const last =
              Result.isSuccess(first) || first.failure.cause?._tag === "ModelFailed"
                ? first
                : yield* one(order, item, taskOfItem(task, item, number, items.length, true))
            const outcome = Result.isSuccess(last)
              ? last.success
              : withoutResult(item, last.failure.skipped ? "skipped" : "failed", last.failure.reason)
            yield* report(number, outcome)
            return outcome
          }),
          { concurrency: parallel }
        )
        const { calls, clashed } = yield* activities.record(
          { key: seenKey.merged(round, task.name), success: Merged },
          merge(outcomes)
        )
        const settled = outcomes.map((outcome, index) => (clashed.includes(index) ? clashing(outcome) : outcome))
        return joined(task, settled, calls)
      })

      return TaskItems.of({ work })
    })
  )
}
