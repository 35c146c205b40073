/**
 * After the first report with passing checks, the program asks the model once for a test of an input that the change
 * may treat wrongly. The program asks only if other lines of the code are related to the change. During the
 * self-review, the report stays the candidate (CandidateReport.ts).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { passes } from "../../../domain/checks/CheckOutcome.ts"
import {
  isReviewedSource,
  nearestFiles,
  relatedPlaces,
  reviewedDeclarations,
  reviewedFiles,
  selfReviewText
} from "../../../domain/documents/SelfReview.ts"
import type { ProposedFile } from "../../../domain/files/ProposedFile.ts"
import { seenKey } from "../../../domain/runs/ActivityKey.ts"
import { Workspace } from "../../files/Workspace.ts"
import { Activities } from "../../journal/Activities.ts"
import { makeSearchedTexts, mostSearched } from "../../changes/SearchedTexts.ts"
import { makeTaskChanges } from "../../changes/TaskChanges.ts"
import { RunSettings } from "../../runs/RunSettings.ts"
import type { AgentHook } from "../AgentHook.ts"

/**
 * A self-review needs at least this many further answers. With fewer, the model could not fix a failing test and write
 * a report.
 */
const leastAnswers = 4

export const makeSelfReview = Effect.gen(function* () {
  const activities = yield* Activities
  const changes = yield* makeTaskChanges
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace
  const { lookBack = true } = yield* RunSettings

  /** Finds lines of code that are related to the changes; in a large project, only in the nearest files. */
  const search = Effect.fnUntraced(function* (changed: ReadonlyArray<ProposedFile>) {
    const names = reviewedDeclarations(changed).map(({ name }) => name)
    const changedPaths = new Set(changed.map(({ path }) => path))
    const files = names.length === 0 ? [] : yield* Effect.orElseSucceed(workspace.tree, () => [])
    const others = files.filter((path) => !changedPaths.has(path) && isReviewedSource(path))
    const nearest = nearestFiles([...changedPaths], others).slice(0, mostSearched)
    return relatedPlaces(changed, yield* searchedTexts(nearest, (text) => names.some((name) => text.includes(name))))
  })

  const hook: AgentHook = {
    beforeEnd: Effect.fnUntraced(function* ({ answersLeft, session: { checks, turn }, work: { assignment } }) {
      const { copy, id, kind, task } = assignment
      const isTested = checks.length > 0 && checks.every(passes)
      if (!lookBack || kind !== "task" || answersLeft < leastAnswers || !isTested) return undefined
      const sources = reviewedFiles(changes.named(copy))
      if (sources.length === 0) return undefined
      const key = seenKey.uses(task, id.round, turn)
      const places = yield* activities.record({ key, success: Schema.Array(Schema.String) }, search(sources))
      return places.length === 0 ? undefined : selfReviewText(places)
    })
  }
  return hook
})
