/**
 * Lets real sockets, files and processes go on until a condition holds, without sleeping.
 */
import * as Effect from "effect/Effect"

/** Looks after each turn of the event loop; fails loudly when it never holds. */
export const waitFor = Effect.fnUntraced(function* (what: string, condition: () => boolean) {
  for (let turn = 0; turn < 50_000; turn++) {
    if (condition()) return
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  throw new Error(`${what} did not happen`)
})
