/**
 * Finds the folders that are shipped beside the code: prompts and skills. Works from `src/` and from `dist/`, which lie
 * at the same depth.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"

/** The absolute path of a folder at the top of this package. */
export const packageFolder = Effect.fnUntraced(function* (name: "prompts" | "skills") {
  const path = yield* Path.Path
  return yield* path.fromFileUrl(new URL(`../../${name}`, import.meta.url)).pipe(Effect.orDie)
})
