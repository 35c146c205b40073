/**
 * Finds places that still contain a name or line that a turn removed elsewhere. Omits places that the model skipped on
 * purpose.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { remainingOccurrences, removedText, type RemovedText } from "../../../domain/files/RemainingOccurrences.ts"
import { seenKey } from "../../../domain/runs/ActivityKey.ts"
import { Workspace } from "../../files/Workspace.ts"
import { Activities } from "../../journal/Activities.ts"
import { makeSearchedTexts, mostSearched } from "../../changes/SearchedTexts.ts"
import type { AgentHook } from "../AgentHook.ts"

export const makeRemainingOccurrences = Effect.gen(function* () {
  const activities = yield* Activities
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace

  const search = Effect.fnUntraced(function* (removed: RemovedText, except: ReadonlyArray<string>) {
    const files = yield* Effect.orElseSucceed(workspace.tree, () => [])
    if (files.length > mostSearched) return []
    const wanted = [...removed.names, ...removed.lines]
    const texts = yield* searchedTexts(files, (text) => wanted.some((part) => text.includes(part)))
    return remainingOccurrences(texts, removed, except)
  })

  const hook: AgentHook = {
    afterChanges: ({ answer, session: { turn }, work: { assignment } }, changed) => {
      const removed = removedText(changed)
      if (assignment.kind === "places" || removed.names.length + removed.lines.length === 0) return Effect.succeed([])
      const except = answer.content.changes.flatMap((change) => ("except" in change ? change.except : []))
      const key = seenKey.leftovers(assignment.task, assignment.id.round, turn)
      return activities.record({ key, success: Schema.Array(Schema.String) }, search(removed, except))
    }
  }
  return hook
})
