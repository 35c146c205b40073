/**
 * Finds the parts of source files that contain the code words of a task, or if these point nowhere, a file that its plain
 * words mean. The first message shows them.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { isSourceFile } from "../../domain/files/ChangedNames.ts"
import { showsFile } from "../../domain/documents/CompactedTurns.ts"
import { announcedLines, isAmple, lineLength } from "../../domain/documents/TurnBudgets.ts"
import { type ConversationMessage, messageText } from "../../domain/models/ConversationMessage.ts"
import { outputsSize } from "../../domain/models/ExecutionBlocks.ts"
import { outcomeText } from "../../domain/models/OutputText.ts"
import {
  changelogBlock,
  hitsIn,
  joinedParts,
  keptParts,
  namedChangelogs,
  outlinePart,
  partsAround,
  prefetchedParts,
  type SearchedTurn,
  type SecondLook,
  wantedTexts
} from "../../domain/models/PrefetchedParts.ts"
import { type CallOutcome, pathOf } from "../../domain/tools/ToolCall.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { charactersIn, unaskedWindow } from "../../domain/models/PromptSize.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { pathOfWords } from "../../domain/excerpts/PathRank.ts"
import { isChangelog } from "../../domain/excerpts/SearchRank.ts"
import { type SearchTerms, searchTermsOf } from "../../domain/excerpts/SearchTerms.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { makeSearchedTexts, mostSearched } from "../changes/SearchedTexts.ts"
import { RunSettings } from "../runs/RunSettings.ts"

/**
 * The shares of the context window for parts of two files: the file that fits the task best, and the second-best file.
 */
const windowShares = [0.11, 0.06]

/** The share of the window for the declarations of a file that the task means by plain words. */
const outlineShare = 0.06

/** The share of the window for the beginning of a changelog that the task names. */
const changelogShare = 0.03

/**
 * The state of the prefetched parts of a task. These are parts of files that its prompt shows although the model did
 * not ask for them.
 */
export interface PrefetchState {
  readonly round: number
  readonly task: Task
  readonly parts: Ref.Ref<string>
  /** True after the first search of the task. */
  readonly isOver: Ref.Ref<boolean>
}

type Messages = ReadonlyArray<ConversationMessage>

/** Replaces the parts `shown` in the first message by the parts `kept`. */
const withParts = (messages: Messages, shown: string, kept: string): Messages => {
  const [old = "", now = ""] = [shown, kept].map((parts) => (parts === "" ? "" : `${parts.trimEnd()}\n\n`))
  return messages.map((message, index) =>
    index > 0 || message.role !== "user" ? message : { ...message, content: message.content.replace(old, () => now) }
  )
}

const isSearch = ({ call, result }: CallOutcome): boolean => call.name === "search_files" && result.success

export const makePrefetch = Effect.gen(function* () {
  const activities = yield* Activities
  const calibration = yield* TokenCalibration
  const readTexts = yield* ReadTexts
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace
  const { contextWindow, model } = yield* RunSettings

  const budgetOf = (share: number): number =>
    charactersIn(unaskedWindow(contextWindow) * share, calibration.scale(model))
  const budgets = (): ReadonlyArray<number> => windowShares.map(budgetOf)

  const record = (key: string, search: Effect.Effect<string>) =>
    activities
      .record({ key, success: Schema.String }, search)
      .pipe(Effect.tap((text) => readTexts.noteRead(text, "project")))

  const search = Effect.fnUntraced(function* (terms: SearchTerms, task: Task, { currentFile, prompt }: Briefing) {
    const wanted = wantedTexts(terms)
    const tree = yield* Effect.orElseSucceed(workspace.tree, () => [])
    const files = tree.filter((path) => isSourceFile(path) && path !== currentFile?.path)
    const isSearched = wanted.length > 0 && files.length <= mostSearched
    const texts = yield* searchedTexts(isSearched ? files : [], (text) => wanted.some((part) => text.includes(part)))
    const shown = new Set([currentFile?.path, ...task.references.map(({ target }) => target)])
    const changelogs = namedChangelogs(`${prompt}\n${task.whatIsNeeded}`, tree).filter((path) => !shown.has(path))
    const beginnings = (yield* searchedTexts(changelogs)).map((file) => changelogBlock(file, budgetOf(changelogShare)))
    const partsWith = (more: ReadonlyArray<string>): string => prefetchedParts(texts, terms, budgets(), more.join(""))
    const meant = partsWith([]) === "" ? pathOfWords(files, terms.words) : undefined
    const outlines = (yield* searchedTexts(meant === undefined ? [] : [meant])).map((file) =>
      outlinePart(file, budgetOf(outlineShare))
    )
    return partsWith([...outlines, ...beginnings])
  })

  const first = Effect.fnUntraced(function* (round: number, task: Task, briefing: Briefing) {
    const terms = searchTermsOf(task.whatIsNeeded, briefing.prompt)
    const parts = yield* record(seenKey.firstLook(round, task.name), search(terms, task, briefing))
    return { round, task, parts: yield* Ref.make(parts), isOver: yield* Ref.make(false) } satisfies PrefetchState
  })

  /**
   * Finds the parts around the hits of the task's first search, unless the same answer reads something: the model then
   * knows what it wants. Skips files that the model has seen.
   */
  const again = Effect.fnUntraced(function* (
    { isOver, parts, round, task }: PrefetchState,
    { newOutcomes, messages, outcomes, replyBudget }: SearchedTurn
  ): Effect.fn.Return<SecondLook> {
    const unchanged = { messages, parts: "" }
    const hits = hitsIn(newOutcomes.filter(isSearch).map(outcomeText))
    if (hits.size === 0 || (yield* Ref.getAndSet(isOver, true)) || !newOutcomes.every(isSearch)) return unchanged
    const asked = new Set(outcomes.filter((outcome) => !isSearch(outcome)).map(({ call }) => pathOf(call)))
    const above = messages.map(messageText).join("\n")
    const paths = [...hits.keys()].filter((path) => !asked.has(path) && !showsFile(above, path))
    const shownParts = yield* Ref.get(parts)
    const answers = messages.flatMap((message) => (message.role === "assistant" ? messageText(message) : []))
    const used = keptParts(shownParts, (path) => isChangelog(path) || answers.some((text) => text.includes(path)))
    const budget = budgets().reduce((sum, some) => sum + some, 0) - used.length
    const outputs = outputsSize(newOutcomes, announcedLines(messages))
    const charactersLeft = (some: Messages): number => replyBudget(some) - outputs
    const before = isAmple(charactersLeft(messages) - budget, lineLength(messages))
      ? messages
      : withParts(messages, shownParts, used)
    const around = yield* record(
      seenKey.secondLook(round, task.name),
      Effect.map(searchedTexts(paths), (texts) => partsAround(texts, hits, Math.min(budget, charactersLeft(before))))
    )
    if (around === "") return unchanged
    yield* Ref.set(parts, joinedParts(used, around))
    return { messages: before, parts: around }
  })

  return { again, first }
})
