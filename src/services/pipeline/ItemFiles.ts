/**
 * Lists the items of a pattern from the files of the project, without what may not be read.
 */
import * as Effect from "effect/Effect"
import { itemsOf, readsTexts } from "../../domain/documents/TaskItems.ts"
import { matchesGlob } from "../../domain/files/PathList.ts"
import type { ForEach } from "../../domain/plan/ForEach.ts"
import { Workspace } from "../files/Workspace.ts"
import { makeSearchedTexts } from "./SearchedTexts.ts"

export const makeItemFiles = Effect.gen(function* () {
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace

  /** The items of a pattern. */
  return Effect.fnUntraced(function* (forEach: ForEach, pattern: string) {
    const files = yield* Effect.orElseSucceed(workspace.tree, () => [])
    const paths = files.filter(matchesGlob(pattern))
    const sources = readsTexts(forEach) ? yield* searchedTexts(paths) : paths.map((path) => ({ path, text: "" }))
    return itemsOf(forEach, sources)
  })
})
