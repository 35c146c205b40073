/**
 * Writes what was granted and says what changed. Called by the tools that write files.
 */
import * as Effect from "effect/Effect"
import type { CanonicalAccess } from "../domain/tools/Access.ts"
import { changePreview } from "../domain/files/ChangePreview.ts"
import { Workspace } from "../services/files/Workspace.ts"

/** So many lines of bounded length stay below the cap for outputs, whatever characters they hold. */
const diffLines = 100

/** Writes the file and gives the diff; a file above `maxBytes`, or one that is not text, is replaced without one. */
export const writeGranted = Effect.fnUntraced(function* (
  granted: CanonicalAccess & { readonly _tag: "WriteFile" },
  maxBytes: number
) {
  const workspace = yield* Workspace
  const { content, path } = granted
  const before = yield* Effect.match(workspace.readText(path, maxBytes), {
    onSuccess: (text) => ({ text, readable: true }),
    onFailure: ({ type }) => ({ text: undefined, readable: type === "not_found" })
  })
  yield* workspace.write(granted)
  return before.readable
    ? changePreview(path, before.text, content, diffLines)
    : "(The old content could not be read, so there is no diff.)"
})
