/**
 * Divides a for-each task into parts, each for its own agent. A part is one file, heading or entry. If the items are
 * places in files, a part has as many places as one answer can decide. Items without a result are tried once more.
 * Places are then divided into smaller parts.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type NumberedPlace, placeParts } from "../../domain/documents/Places.ts"
import { type Item, taskOfItem, taskOfPlaces } from "../../domain/documents/TaskItems.ts"
import { TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import { itemNote, type ItemResult } from "../../domain/plan/ForEach.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { deniedOf, type TaskFailure, unableIn } from "../../domain/plan/TaskResult.ts"
import { stageKey } from "../../domain/runs/ActivityKey.ts"
import { pathsOf } from "../../domain/tools/ToolCall.ts"
import { Activities } from "../journal/Activities.ts"
import { Skills } from "../skills/Skills.ts"
import { TaskAgent } from "./TaskAgent.ts"
import { makeTaskEffects } from "./TaskEffects.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"
import type { TaskOrder } from "./TaskStage.ts"

export interface NumberedItem extends Item {
  /** The number of the item in its task, from 1. */
  readonly number: number
}

/** Items that one agent works on. */
export interface ItemPart {
  readonly task: Task
  readonly items: ReadonlyArray<NumberedItem>
  /** Present if the items are places in files. The model answers about places by number. */
  readonly places?: ReadonlyArray<NumberedPlace>
}

interface NumberedResult extends ItemResult {
  readonly number: number
}

/** The results for the items of a part. `outcome` is present once the work has ended. */
export interface PartOutcome {
  readonly results: ReadonlyArray<NumberedResult>
  readonly outcome?: TaskOutcome
}

/** The first line with content in a report. */
export const noteOf = (text: string): string => {
  const line = text
    .split("\n")
    .map((text) => text.replace(/^[#>*\s-]+/, "").trim())
    .find((text) => text !== "")
  return itemNote(line ?? "")
}

const resultsOf = ({ items }: ItemPart, resultOf: (item: Item) => Omit<ItemResult, "item">): PartOutcome["results"] =>
  items.map((item) => Object.assign({ item: item.text, number: item.number }, resultOf(item)))

export const withoutResult = (part: ItemPart, state: "failed" | "skipped", note: string): PartOutcome => ({
  results: resultsOf(part, () => ({ state, note: noteOf(note) }))
})

const outcomeOf = (part: ItemPart, outcome: TaskOutcome, isWriter: boolean): PartOutcome => {
  const { calls, items, priorCalls = [], result } = outcome
  if (deniedOf(priorCalls) === "all" && calls.length === 0) {
    return { ...withoutResult(part, "skipped", "All that it asked for was denied."), outcome }
  }
  if (items !== undefined) {
    const answered = new Map(items.map(({ item, ...became }) => [item, became]))
    return { results: resultsOf(part, ({ text }) => answered.get(text) ?? { state: "failed", note: "" }), outcome }
  }
  const state = isWriter && calls.length === 0 ? "unchanged" : "done"
  const files = calls.length === 0 ? {} : { files: [...new Set(calls.flatMap(pathsOf))] }
  const note = noteOf(result?.summary ?? "")
  return { results: resultsOf(part, () => ({ state, note, ...files })), outcome }
}

type Tried = Result.Result<PartOutcome, TaskFailure>

const outcomeOfTry = (part: ItemPart, tried: Tried): PartOutcome =>
  Result.isSuccess(tried)
    ? tried.success
    : withoutResult(part, tried.failure.skipped ? "skipped" : "failed", tried.failure.reason)

/**
 * The items for a second try: the places without an answer, or all items of a failed part. None if the model itself
 * failed.
 */
const openAfter = ({ items, places }: ItemPart, tried: Tried): ReadonlyArray<NumberedItem> => {
  if (Result.isFailure(tried)) {
    const isFinal = tried.failure.cause?._tag === "ModelFailed" || unableIn(tried.failure) !== undefined
    return isFinal ? [] : items
  }
  const failed = new Set(tried.success.results.flatMap(({ number, state }) => (state === "failed" ? [number] : [])))
  return places === undefined ? [] : items.filter(({ number }) => failed.has(number))
}

/** Returns a function that divides items into parts. `all` is the number of items of the task. */
const makePartsOf = Effect.gen(function* () {
  const prompts = yield* makeTaskPrompts
  const skills = yield* Skills

  /** The budget for the places of one part. Undefined if each item gets a part of its own. */
  const placeBudget = ({ briefing, task }: TaskOrder): number | undefined =>
    (skills.find(task.skill)?.inputs ?? []).length > 0 ? undefined : prompts.placeBudget(task, briefing).places

  return (
    order: TaskOrder,
    items: ReadonlyArray<NumberedItem>,
    all: number,
    again: boolean
  ): ReadonlyArray<ItemPart> => {
    const { task } = order
    const budget = placeBudget(order)
    const places =
      budget === undefined
        ? []
        : items.flatMap(({ number, place, text }) => (place === undefined ? [] : [{ ...place, number, of: all, text }]))
    const listed = new Set(places.map(({ number }) => number))
    const byNumber = new Map(items.map((item) => [item.number, item]))
    const ofPlaces = placeParts(places, again ? (budget ?? 0) / 2 : (budget ?? 0)).map((part) => ({
      items: part.flatMap(({ number }) => byNumber.get(number) ?? []),
      task: taskOfPlaces(task, part, all, again),
      places: part
    }))
    const alone = items.flatMap((item) =>
      listed.has(item.number) ? [] : [{ items: [item], task: taskOfItem(task, item, item.number, all, again) }]
    )
    return [...ofPlaces, ...alone]
  }
})

export const makeItemParts = Effect.gen(function* () {
  const activities = yield* Activities
  const partsOf = yield* makePartsOf
  const taskAgent = yield* TaskAgent
  const { mayChangeFiles } = yield* makeTaskEffects

  const workOn = (order: TaskOrder, part: ItemPart) => {
    const { places, task } = part
    const own = { ...order, task, isItem: true, ...(places === undefined ? {} : { places }) }
    return activities
      .runStage({ key: stageKey.worked(order.round, task.name), success: TaskOutcome }, taskAgent.work(own))
      .pipe(
        Effect.map((outcome) => outcomeOf(part, outcome, mayChangeFiles(order.task))),
        Effect.catchTag("CallsDeclined", () =>
          Effect.succeed(withoutResult(part, "skipped", "Somebody declined what it needs."))
        ),
        Effect.result
      )
  }

  /** Works on a part, and once more on its items without a result. Calls `fails` for each failure that remains. */
  const work = Effect.fnUntraced(function* (
    order: TaskOrder,
    part: ItemPart,
    all: number,
    fails: (failure: TaskFailure) => void
  ): Effect.fn.Return<ReadonlyArray<PartOutcome>> {
    const end = (tried: Tried, of: ItemPart): PartOutcome => {
      if (Result.isFailure(tried)) fails(tried.failure)
      return outcomeOfTry(of, tried)
    }
    const first = yield* workOn(order, part)
    const open = openAfter(part, first)
    if (open.length === 0) return [end(first, part)]
    const again = yield* Effect.forEach(partsOf(order, open, all, true), (smaller) =>
      Effect.map(workOn(order, smaller), (tried) => end(tried, smaller))
    )
    if (Result.isFailure(first)) return again
    const left = new Set(open.map(({ number }) => number))
    const results = first.success.results.filter(({ number }) => !left.has(number))
    return [{ ...first.success, results }, ...again]
  })

  return { partsOf, work }
})
