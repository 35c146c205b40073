/**
 * The look back: after the first report whose checks pass, the model is asked once for a case that its change does not treat,
 * and for a test of it. The report is kept meanwhile, with the changes that it is about.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type CheckOutcome, passes } from "../../domain/checks/CheckOutcome.ts"
import { changedSince } from "../../domain/documents/ChangedFiles.ts"
import {
  countChangedLines,
  changedNames,
  isReplacement,
  isSourceFile,
  linesWithName
} from "../../domain/files/ChangedNames.ts"
import { isTestFile } from "../../domain/files/TestFile.ts"
import { nowBlock, rawBlock } from "../../domain/markdown/PromptBlock.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { cutAt } from "../../domain/text/Excerpt.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeSearchedTexts } from "../changes/SearchedTexts.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import type { AnyOrder, Progress } from "./TurnOrder.ts"

/** A change of no more lines of source code needs no second look. */
const trivialLines = 3
/** With fewer answers left a test that fails could not be answered with a repair and a report. */
const leastAnswers = 4

const mostPlaces = 5
const mostOfFile = 2
const mostNames = 8
const placeLength = 120
/** In a larger project places are not searched for. */
const mostFiles = 4000

/** A report that would be taken, and what it is about. */
export interface KeptReport<A> {
  readonly value: A
  readonly files: ReadonlyArray<ProposedFile>
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The version of the working copy. */
  readonly version: number
}

/** What the host asks. `places` are lines `path:line: text`. */
export const lookBackText = (places: ReadonlyArray<string>): string => {
  const uses = places.length === 0 ? "" : `\n\nLines that use what you changed:\n\n${places.join("\n")}`
  const look = `Your report is kept, and the checks pass. They do not show what nobody tests. Look once more:

1. Find one line that you were shown and that treats the input differently from your change: a replace, a pattern, another branch, another file that uses it.
2. Send a change that adds a test of exactly that to the tests of the project. The program runs it; repair what fails.${uses}`
  const now =
    "Answer with `Line: <path>:<line>` and the change that adds the test. If there is no such line, answer only: No such line."
  return `${rawBlock("## Look back", look)}${nowBlock(now)}`.trimEnd()
}

export const keepReport = <A>({ copy }: Pick<AnyOrder, "copy">, { checks }: Progress, value: A): KeptReport<A> => ({
  value,
  files: copy.files(),
  checks,
  version: copy.version()
})

/** The files, at their canonical paths, that were changed since the report. */
export const changedSinceReport = ({ files }: KeptReport<unknown>, { copy }: Pick<AnyOrder, "copy">) =>
  changedSince(copy.files(), files)

/** Takes back what was changed after the report, unless it passes the checks too. */
export const settleReport = (order: AnyOrder, kept: KeptReport<unknown>, progress: Progress): void => {
  if (order.copy.version() === kept.version || progress.checks.every(passes)) return
  for (const { base, path, text } of changedSinceReport(kept, order))
    order.copy.propose({ path, base: text, text: base })
  order.keep({ ...progress, checks: kept.checks })
}

/** Makes the question of the look back. */
export const makeLookBack = Effect.gen(function* () {
  const activities = yield* Activities
  const changes = yield* makeTaskChanges
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace
  const { lookBack = true } = yield* RunSettings

  /** Lines of other files that use what the changes touch. */
  const uses = Effect.fnUntraced(function* (changed: ReadonlyArray<ProposedFile>) {
    const names = changed.flatMap(changedNames).slice(0, mostNames)
    const files = yield* Effect.orElseSucceed(workspace.tree, () => [])
    if (names.length === 0 || files.length > mostFiles) return []
    const own = new Set(changed.map(({ path }) => path))
    const others = files.filter((path) => !own.has(path) && isSourceFile(path) && !isTestFile(path))
    const texts = yield* searchedTexts(others, (text) => names.some((name) => text.includes(name)))
    return texts
      .flatMap(({ path, text }) =>
        linesWithName({ path, text }, names)
          .filter((one) => !/^(?:(?:import|from|use|using)\b|export [*{])/.test(one.text))
          .slice(0, mostOfFile)
          .map((one) => `- ${path}:${one.line}: ${cutAt(one.text, placeLength)}`)
      )
      .slice(0, mostPlaces)
  })

  /** The question, or nothing when the changes are trivial, nothing checked them, or too few answers are left. */
  const question = Effect.fnUntraced(function* (
    { copy, looksBack = false, round, task }: AnyOrder,
    { checks, turn }: Progress,
    left: number
  ) {
    if (!lookBack || !looksBack || left < leastAnswers || checks.length === 0 || !checks.every(passes)) return undefined
    const changed = changes.named(copy)
    const sources = changed.filter(({ path }) => isSourceFile(path) && !isTestFile(path))
    const lines = sources.reduce((sum, one) => sum + countChangedLines(one), 0)
    if (lines <= trivialLines || isReplacement(changed)) return undefined
    const places = yield* activities.record(
      { key: seenKey.uses(task, round, turn), success: Schema.Array(Schema.String) },
      uses(sources)
    )
    return lookBackText(places)
  })

  return question
})

/** True for an answer that asks for nothing and is no report either: the report that is kept stays as it is. */
export const asksNothing = (
  answer: string,
  read: { readonly calls: ReadonlyArray<unknown>; readonly changes: ReadonlyArray<unknown> },
  native: ReadonlyArray<unknown>
): boolean =>
  read.calls.length + read.changes.length + native.length === 0 && !/<{5,}|^#+ *Result summary/im.test(answer)
