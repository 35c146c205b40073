/**
 * Where commands write that a person starts in a project of others: a link of the project must not lead what is written to
 * another place.
 */
import * as Effect from "effect/Effect"
import { printable } from "../../domain/text/Printable.ts"
import { leadsOut } from "../../services/files/CanonicalPath.ts"
import { usageFailure } from "./Failure.ts"

/** Fails for a place in a folder that a link leads out of it. A place elsewhere, which the person named, is theirs to name. */
export const requireStays = Effect.fnUntraced(function* (folder: string, file: string) {
  const real = yield* leadsOut(folder, file)
  if (real === undefined) return
  return yield* usageFailure(
    `Nothing was written: ${printable(file)} leads out of this folder through a link, to ${printable(real)}. Remove the link, or name that place itself.`
  )
})
