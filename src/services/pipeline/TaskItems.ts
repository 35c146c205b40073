/**
 * Carries out a task for each of its items: the host lists them and divides them into parts, each with turns and a window of its own.
 * A part is one file, heading or entry, or as many places as one answer can decide about. What failed is tried once more, and what all
 * came to is one outcome, in which every item is accounted for.
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
import { type NumberedPlace, placeParts } from "../../domain/documents/Places.ts"
import { Item, itemsOf, taskOfItem, taskOfPlaces } from "../../domain/documents/TaskItems.ts"
import type { ForEach, ItemResult } from "../../domain/plan/ForEach.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { deniedOf, endingFailure, resultOfItems, TaskFailure, unableIn } from "../../domain/plan/TaskResult.ts"
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
import { makeTaskPrompts } from "./TaskPrompts.ts"
import { requestOf, type TaskOrder } from "./TaskStage.ts"
import { Skills } from "../skills/Skills.ts"

/** How much of a report stands for an item. */
const longestNote = 200

/** Items that are worked on together. */
interface Part {
  /** The task for them alone. */
  readonly task: Task
  readonly items: ReadonlyArray<NumberedItem>
  /** Present for places that are answered by their numbers. */
  readonly places?: ReadonlyArray<NumberedPlace>
}

interface NumberedItem extends Item {
  /** From 1. */
  readonly number: number
}

interface NumberedResult extends ItemResult {
  readonly number: number
}

interface PartOutcome {
  readonly results: ReadonlyArray<NumberedResult>
  readonly outcome?: TaskOutcome
}

const noteOf = (text: string): string => {
  const line = text
    .split("\n")
    .map((text) => text.replace(/^[#>*\s-]+/, "").trim())
    .find((text) => text !== "")
  return shortened(line ?? "", longestNote)
}

/** The results of the items of a part, with their numbers. */
const resultsOf = ({ items }: Part, resultOf: (item: Item, index: number) => ItemResult): PartOutcome["results"] =>
  items.map((item, index) => ({ ...resultOf(item, index), number: item.number }))

const outcomeOf = (part: Part, outcome: TaskOutcome, isWriter: boolean): PartOutcome => {
  const { calls, items, priorCalls = [], result } = outcome
  if (deniedOf(priorCalls) === "all" && calls.length === 0) {
    return { ...withoutResult(part, "skipped", "All that it asked for was denied."), outcome }
  }
  if (items !== undefined) {
    const unanswered = (item: Item): ItemResult => ({ item: item.text, state: "failed", note: "" })
    return { results: resultsOf(part, (item, index) => items[index] ?? unanswered(item)), outcome }
  }
  const state = isWriter && calls.length === 0 ? "unchanged" : "done"
  const files = calls.length === 0 ? {} : { files: [...new Set(calls.flatMap(pathsOf))] }
  const note = noteOf(result?.summary ?? "")
  return { results: resultsOf(part, ({ text }) => ({ item: text, state, note, ...files })), outcome }
}

const withoutResult = (part: Part, state: "failed" | "skipped", note: string): PartOutcome => ({
  results: resultsOf(part, ({ text }) => ({ item: text, state, note: noteOf(note) }))
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
    .map(({ number: _, ...result }): ItemResult => result)
  return {
    task,
    ...(Arr.isReadonlyArrayNonEmpty(priorCalls) ? { priorCalls } : {}),
    ...(Arr.isReadonlyArrayNonEmpty(seen) ? { seen } : {}),
    ...proposed,
    items,
    result: resultOfItems(items)
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

/** Puts the changes of parts together, one after the other; the items of one whose change comes to nothing have failed. */
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
        joined.push({ results: results.map((result) => ({ ...result, state: "failed", note })) })
        continue
      }
      joined.push({ results, outcome: merged.success })
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

/** Makes the function that divides the items of a task into parts; open ones are tried again in smaller parts. */
const makeParts = Effect.gen(function* () {
  const prompts = yield* makeTaskPrompts
  const skills = yield* Skills

  /** How many characters the places of one part may take; nothing where items are worked on one by one. */
  const placeBudget = ({ briefing, task }: TaskOrder): number | undefined =>
    (skills.find(task.skill)?.inputs ?? []).length > 0 ? undefined : prompts.placeBudget(task, briefing)

  return (order: TaskOrder, items: ReadonlyArray<NumberedItem>, all: number, again: boolean): ReadonlyArray<Part> => {
    const { task } = order
    const places = items.flatMap(({ number, place }) => (place === undefined ? [] : [{ ...place, number }]))
    const budget = places.length === items.length ? placeBudget(order) : undefined
    if (budget === undefined) {
      return items.map((item) => ({ items: [item], task: taskOfItem(task, item, item.number, all, again) }))
    }
    const byNumber = new Map(items.map((item) => [item.number, item]))
    return placeParts(places, again ? budget / 2 : budget).map((part) => ({
      items: part.flatMap(({ number }) => byNumber.get(number) ?? []),
      task: taskOfPlaces(task, part, all, again),
      places: part
    }))
  }
})

export class TaskItems extends Context.Service<TaskItems>()("task-conductor/services/pipeline/TaskItems", {
  make: Effect.gen(function* () {
    const activities = yield* Activities
    const events = yield* RunEvents
    const findItems = yield* makeItemSource
    const approval = yield* makeApproval
    const joinParts = yield* makePartJoin
    const partsOf = yield* makeParts
    const taskAgent = yield* TaskAgent
    const { mayChangeFiles } = yield* makeTaskEffects
    const { limits, parallel } = yield* RunSettings

    const workOnPart = (order: TaskOrder, part: Part) =>
      activities
        .runStage(
          { key: stageKey.worked(order.round, part.task.name), success: TaskOutcome },
          taskAgent.work({
            ...order,
            task: part.task,
            isItem: true,
            ...(part.places === undefined ? {} : { places: part.places })
          })
        )
        .pipe(
          Effect.map((outcome) => outcomeOf(part, outcome, mayChangeFiles(order.task))),
          Effect.catchTag("CallsDeclined", () =>
            Effect.succeed(withoutResult(part, "skipped", "Somebody declined what it needs."))
          ),
          Effect.result
        )

    /** What a part comes to, without a result when it has failed. */
    const outcomeOfTry = (part: Part, tried: Result.Result<PartOutcome, TaskFailure>): PartOutcome =>
      Result.isSuccess(tried)
        ? tried.success
        : withoutResult(part, tried.failure.skipped ? "skipped" : "failed", tried.failure.reason)

    /** The items that are tried once more: those of a part that failed, and the places of one that got no answer. */
    const openAfter = ({ items, places }: Part, tried: Result.Result<PartOutcome, TaskFailure>) => {
      if (Result.isFailure(tried)) {
        const isFinal = tried.failure.cause?._tag === "ModelFailed" || unableIn(tried.failure) !== undefined
        return isFinal ? [] : items
      }
      const failed = new Set(tried.success.results.flatMap(({ number, state }) => (state === "failed" ? [number] : [])))
      return places === undefined ? [] : items.filter(({ number }) => failed.has(number))
    }

    /** Works on a part; `fails` gets each failure that is final. */
    const tryPart = Effect.fnUntraced(function* (
      order: TaskOrder,
      part: Part,
      all: number,
      fails: (failure: TaskFailure) => void
    ) {
      const first = yield* workOnPart(order, part)
      const open = openAfter(part, first)
      if (open.length === 0) {
        if (Result.isFailure(first)) fails(first.failure)
        return [outcomeOfTry(part, first)]
      }
      const again = yield* Effect.forEach(partsOf(order, open, all, true), (smaller) =>
        Effect.map(workOnPart(order, smaller), (tried) => {
          if (Result.isFailure(tried)) fails(tried.failure)
          return outcomeOfTry(smaller, tried)
        })
      )
      if (Result.isFailure(first)) return again
      const left = new Set(open.map(({ number }) => number))
      const results = first.success.results.filter(({ number }) => !left.has(number))
      return [{ ...first.success, results }, ...again]
    })

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
      const numbered = items.map((item, index) => ({ ...item, number: index + 1 }))
      const outcomes = yield* Effect.forEach(
        partsOf(order, numbered, all, false),
        Effect.fnUntraced(function* (part) {
          const isEnding = endingFailure(unable, hasResult ? [part] : []) !== undefined
          const tried = isEnding
            ? [withoutResult(part, "skipped", "The model could not do the items before it.")]
            : yield* tryPart(order, part, all, noteFailure)
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
      /** Carries out a task for each of its items. Fails when there is none, or when nobody allows more than the limit. */
      work
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
