/**
 * Lets real sockets, files and processes go on until a condition holds, for what tells nobody when it happens.
 */
import * as Effect from "effect/Effect"
import { waitLimit } from "./withinLimit.ts"

/** Looks again and again; fails at the limit, with what was seen by then. */
export const waitFor = Effect.fnUntraced(function* (
  what: string,
  condition: () => boolean,
  seen: () => string = () => "nothing else"
) {
  const end = performance.now() + waitLimit
  for (let turn = 0; !condition(); turn += 1) {
    if (performance.now() > end) throw new Error(`${what} did not happen, but ${seen()}`)
    /* Most of what is waited for happens within a few turns of the event loop. */
    yield* Effect.promise(() => new Promise((resolve) => (turn < 100 ? setImmediate(resolve) : setTimeout(resolve, 5))))
  }
})
