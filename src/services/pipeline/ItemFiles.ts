/**
 * Lists the items of a pattern from the files of the project, without what may not be read.
 */
import * as Effect from "effect/Effect"
import { itemsOf, readsTexts } from "../../domain/documents/TaskItems.ts"
import { matchesGlob } from "../../domain/files/PathList.ts"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import type { ForEach } from "../../domain/plan/ForEach.ts"
import { Workspace } from "../files/Workspace.ts"
import { Gate } from "../permissions/Gate.ts"

/** Larger files are not searched for items. */
export const maxItemBytes = 1_048_576

export const makeItemFiles = Effect.gen(function* () {
  const gate = yield* Gate
  const workspace = yield* Workspace

  const textOf = Effect.fnUntraced(function* (path: string) {
    const file = yield* workspace.canonical(path)
    if (isSecretLike(path) || !file.inside || !(yield* gate.mayRead(file.path))) return []
    const text = yield* workspace.readText(file.path, maxItemBytes)
    return [{ path, text }]
  })

  /** The items of a pattern. */
  return Effect.fnUntraced(function* (forEach: ForEach, pattern: string) {
    const files = yield* Effect.orElseSucceed(workspace.tree, () => [])
    const paths = files.filter(matchesGlob(pattern))
    if (!readsTexts(forEach))
      return itemsOf(
        forEach,
        paths.map((path) => ({ path, text: "" }))
      )
    const texts = yield* Effect.forEach(paths, (path) => Effect.orElseSucceed(textOf(path), () => []), {
      concurrency: 16
    })
    return itemsOf(forEach, texts.flat())
  })
})
