/** Protects the files that commands write. In a foreign project, a link could lead a write out of the folder. */
import * as Effect from "effect/Effect"
import { printable } from "../../domain/text/Printable.ts"
import { leadsOut } from "../../services/files/CanonicalPath.ts"
import { usageFailure } from "./Failure.ts"

/** Fails if a link leads the path out of the folder. A path outside the folder is accepted: the user chose it. */
export const requireStays = Effect.fnUntraced(function* (folder: string, file: string) {
  const real = yield* leadsOut(folder, file)
  if (real === undefined) return
  return yield* usageFailure(
    `Nothing was written: ${printable(file)} leads out of this folder through a link, to ${printable(real)}. Remove the link, or name that place itself.`
  )
})
