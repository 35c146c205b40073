/**
 * Shows a task, before its first turn, the parts of source files that contain the code words of the task.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isSourceFile } from "../../domain/files/ChangedNames.ts"
import { prefetchedParts, wantedTexts } from "../../domain/models/PrefetchedParts.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { charactersIn } from "../../domain/models/PromptSize.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { type SearchTerms, searchTermsOf } from "../../domain/excerpts/SearchTerms.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { makeSearchedTexts, mostSearched } from "../changes/SearchedTexts.ts"
import { RunSettings } from "../runs/RunSettings.ts"

/** The parts of the window for the best file and the second one. */
const windowShares = [0.11, 0.06]

export const makePrefetch = Effect.gen(function* () {
  const activities = yield* Activities
  const calibration = yield* TokenCalibration
  const readTexts = yield* ReadTexts
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace
  const { contextWindow, model } = yield* RunSettings

  const search = Effect.fnUntraced(function* (terms: SearchTerms, currentFile: string | undefined) {
    const wanted = wantedTexts(terms)
    const tree = yield* Effect.orElseSucceed(workspace.tree, () => [])
    const files = tree.filter((path) => isSourceFile(path) && path !== currentFile)
    if (wanted.length === 0 || files.length > mostSearched) return ""
    const texts = yield* searchedTexts(files, (text) => wanted.some((part) => text.includes(part)))
    const scale = calibration.scale(model)
    return prefetchedParts(
      texts,
      terms,
      windowShares.map((share) => charactersIn(contextWindow * share, scale))
    )
  })

  return (round: number, task: Task, { currentFile, prompt }: Briefing) =>
    activities
      .record(
        { key: seenKey.firstLook(round, task.name), success: Schema.String },
        search({ ...searchTermsOf(task.whatIsNeeded, prompt), words: [] }, currentFile?.path)
      )
      .pipe(Effect.tap((text) => readTexts.noteRead(text, "project")))
})
