/**
 * Paths as models write them: `src/my\\_file.go`, copied from markdown, is `src/my_file.go` when only that exists.
 */
import * as Effect from "effect/Effect"
import { withoutEscapes } from "../../domain/files/PathList.ts"
import type { Workspace } from "./Workspace.ts"

/** The path of a file of the project that is meant; what exists as it is written is left alone. */
export const meantPath = Effect.fnUntraced(function* (written: string, workspace: Workspace["Service"]) {
  const plain = withoutEscapes(written)
  if (plain === written) return written
  const isThere = Effect.fnUntraced(function* (path: string) {
    const found = yield* workspace.canonical(path)
    return found.inside && (yield* workspace.isFile(found.path))
  })
  const has = (path: string) => Effect.orElseSucceed(isThere(path), () => false)
  return !(yield* has(written)) && (yield* has(plain)) ? plain : written
})
