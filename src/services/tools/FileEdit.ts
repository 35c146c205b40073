/**
 * Makes the new content of a file from the edits that a tool declares, so that the gate judges, shows and grants what
 * will be written. Called when accesses are made canonical.
 */
import * as Effect from "effect/Effect"
import type { Access, CanonicalAccess } from "../../domain/tools/Access.ts"
import { isControlPath, isSecretLike } from "../../domain/files/SensitivePath.ts"
import { editText } from "../../domain/files/TextEdit.ts"
import { ToolFailure } from "../../domain/tools/ToolFailure.ts"
import { hashOf } from "../files/Hash.ts"
import type { Workspace } from "../files/Workspace.ts"

const maxBytes = 10_485_760

/**
 * The write that the edits amount to, bound to the text they were made for. A file that may never be written is not even
 * read: the gate refuses the write whatever it holds. Fails with `validation_failed` when an edit does not fit.
 */
export const canonicalEdit = Effect.fnUntraced(function* (
  { edits, path: written }: Access & { readonly _tag: "EditFile" },
  workspace: Workspace["Service"]
) {
  const { inside, path } = yield* workspace.canonical(written)
  const relative = path.slice(workspace.root.length).replace(/^[\\/]/, "")
  const refused: CanonicalAccess = { _tag: "WriteFile", path, inside, content: "" }
  if (!inside || isControlPath(relative)) return refused
  const text = yield* Effect.mapError(workspace.readText(path, maxBytes), ({ message, type }) => {
    const hint = type === "not_found" ? " Only a file that exists can be edited; write_file creates one." : ""
    return new ToolFailure({ type, message: `${message}${hint}` })
  })
  const content = yield* Effect.mapError(
    Effect.fromResult(editText({ path: relative, text, mayQuote: !isSecretLike(path) }, edits)),
    (message) => new ToolFailure({ type: "validation_failed", message: `Nothing was changed. ${message}` })
  )
  const write: CanonicalAccess = { _tag: "WriteFile", path, inside, content, base: hashOf(text) }
  return write
})
