/**
 * Reads the texts of files that a search would show: those in the project that no rule denies, and that hold no secret.
 */
import * as Effect from "effect/Effect"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import { Workspace } from "../files/Workspace.ts"
import { Gate } from "../permissions/Gate.ts"

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
