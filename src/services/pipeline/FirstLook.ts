/**
 * What a task is shown before its first turn: the parts of source files that hold the names and strings which the task and the
 * prompt write as code. A model would search for them first, and then read the lines around them.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isSourceFile } from "../../domain/files/ChangedNames.ts"
import { languageOf } from "../../domain/files/Language.ts"
import { isTestFile } from "../../domain/files/TestFile.ts"
import { fenced, rawBlock } from "../../domain/markdown/PromptBlock.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { gapText } from "../../domain/models/OutputCut.ts"
import { charactersIn } from "../../domain/models/PromptSize.ts"
import { excerptOf } from "../../domain/models/ReferenceExcerpt.ts"
import { type Sought, soughtOf } from "../../domain/models/Sought.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { Gate } from "../permissions/Gate.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeSearchedTexts, type SearchedText } from "../changes/SearchedTexts.ts"

/** In a larger project nothing is searched for. */
const mostFiles = 4000
/** A name or a string in more files says little about any of them. */
const mostHolders = 8
/** The parts of the window that the best file and the second one may take. */
const windowShares = [0.11, 0.06]

/** So many further files are named, with how many of their lines hold a name or a string. */
const mostOthers = 8

const countHolding = (text: string, wanted: ReadonlyArray<string>): number =>
  text.split("\n").filter((line) => wanted.some((one) => line.includes(one))).length

/** The files in which most of what is looked for stands and in few others, those of tests last. */
const bestFiles = (texts: ReadonlyArray<SearchedText>, { literals, names }: Sought): ReadonlyArray<SearchedText> => {
  const scores = new Map<SearchedText, number>()
  for (const { text: wanted, weight } of [...literals, ...names]) {
    const holders = texts.filter(({ text }) => text.includes(wanted))
    if (holders.length > mostHolders) continue
    for (const one of holders) scores.set(one, (scores.get(one) ?? 0) + weight / holders.length)
  }
  return [...scores]
    .map(([file, score]) => ({ file, score: isTestFile(file.path) ? score / 4 : score }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ file }) => file)
}

const blockOf = ({ path, text }: SearchedText, sought: Sought, budget: number): string => {
  const lines = text.replace(/\n$/, "").split("\n")
  const shown = excerptOf({ lines, language: languageOf(path), first: 1, gap: gapText }, sought, budget)
  return `Path: ${path}\n\n${fenced(shown.text, languageOf(path))}\n\n`
}

/** Makes what is shown to a task; nothing when nothing is found. */
export const makeFirstLook = Effect.gen(function* () {
  const activities = yield* Activities
  const calibration = yield* TokenCalibration
  const gate = yield* Gate
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace
  const { contextWindow, model } = yield* RunSettings

  const look = Effect.fnUntraced(function* (sought: Sought, shown: string | undefined) {
    const wanted = [...sought.literals, ...sought.names].map(({ text }) => text)
    const files = (yield* Effect.orElseSucceed(workspace.tree, () => [])).filter(
      (path) => isSourceFile(path) && path !== shown
    )
    if (wanted.length === 0 || files.length > mostFiles) return ""
    const texts = yield* searchedTexts(files, (text) => wanted.some((one) => text.includes(one)))
    const best = bestFiles(texts, sought)
    const others = best.slice(windowShares.length)
    const counts = others.slice(0, mostOthers).map(({ path, text }) => `${path} ${countHolding(text, wanted)}`)
    const more = others.length > mostOthers ? `, and ${others.length - mostOthers} more files` : ""
    const also = others.length === 0 ? "" : `Lines that hold them in other files: ${counts.join(", ")}${more}.`
    const blocks = windowShares.flatMap((share, index) => {
      const file = best[index]
      const budget = charactersIn(contextWindow * share, calibration.scale(model))
      return file === undefined ? [] : [blockOf(file, sought, budget)]
    })
    return rawBlock("## Parts of files that hold words of the task", `${blocks.join("")}${also}`.trimEnd())
  })

  return (round: number, task: Task, { currentFile, prompt }: Briefing) =>
    Effect.tap(
      activities.record(
        { key: seenKey.firstLook(round, task.name), success: Schema.String },
        look({ ...soughtOf(task.whatIsNeeded, prompt), words: [] }, currentFile?.path)
      ),
      (text) => gate.noteRead(text, "project")
    )
})
