/**
 * Reads text that a person gives: a file, or stdin as `-` or through a pipe.
 */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { decodeUtf8, GivenFileError, readGivenFile } from "../../services/files/GivenFile.ts"

/** All of stdin. */
export const readStdin = Effect.fn("readStdin")(function* () {
  const stdio = yield* Stdio.Stdio
  const chunks = yield* Stream.runCollect(stdio.stdin).pipe(
    Effect.mapError(() => new GivenFileError({ path: "stdin", reason: "unreadable" }))
  )
  return yield* decodeUtf8("stdin", Buffer.concat(chunks))
})

/** The text of a file; `-` is stdin. */
export const readInput = Effect.fn("readInput")(function* (path: string) {
  return path === "-" ? yield* readStdin() : yield* readGivenFile(path)
})
