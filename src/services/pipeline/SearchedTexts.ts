/**
 * Reads the texts of files that a search would show: those in the project that no rule denies, and that hold no secret. The items
 * of a pattern are found in them.
 */
import * as Effect from "effect/Effect"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import { Workspace } from "../files/Workspace.ts"
import { Gate } from "../permissions/Gate.ts"
import { itemsOf, readsTexts } from "../../domain/documents/TaskItems.ts"
import { matchesGlob } from "../../domain/files/PathList.ts"
import type { ForEach } from "../../domain/plan/ForEach.ts"

/** No larger file is read. */
export const maxSearchedBytes = 1_048_576

const filesAtOnce = 16

export interface SearchedText {
  /** Relative to the project. */
  readonly path: string
  readonly text: string
}

export const makeSearchedTexts = Effect.gen(function* () {
  const gate = yield* Gate
  const workspace = yield* Workspace

  const read = Effect.fnUntraced(function* (path: string) {
    const file = yield* workspace.canonical(path)
    if (isSecretLike(path) || !file.inside || !(yield* gate.mayRead(file.path))) return undefined
    return yield* workspace.readText(file.path, maxSearchedBytes)
  })

  /** The files among these whose text is wanted; what cannot be read is left out. */
  return (paths: ReadonlyArray<string>, isWanted: (text: string) => boolean = () => true) =>
    Effect.forEach(
      paths,
      (path) =>
        Effect.match(read(path), {
          onFailure: (): ReadonlyArray<SearchedText> => [],
          onSuccess: (text) => (text === undefined || !isWanted(text) ? [] : [{ path, text }])
        }),
      { concurrency: filesAtOnce }
    ).pipe(Effect.map((found) => found.flat()))
})

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
