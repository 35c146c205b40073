/**
 * A stand-in for a model server that can be ended and started again at its port while a call is left open.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

export interface Restarting {
  readonly url: string
  /** Waits until a call is left open, ends the server, and starts its successor. */
  readonly restart: Effect.Effect<void>
}

type Start = (port?: number) => Effect.Effect<{ readonly url: string }, never, Scope.Scope>

/** `make` gives what starts a server, on the port of its predecessor; it calls `leaves` for each call that it leaves open. */
export const makeRestarting = Effect.fnUntraced(function* (
  make: (leaves: () => void) => Start
): Effect.fn.Return<Restarting, never, Scope.Scope> {
  let left = Promise.withResolvers<void>()
  const start = make(() => left.resolve())
  const begin = Effect.fnUntraced(function* (port?: number) {
    const scope = yield* Scope.make()
    const { url } = yield* Scope.provide(start(port), scope)
    return { url, stop: Scope.close(scope, Exit.void) }
  })
  let running = yield* begin()
  yield* Effect.addFinalizer(() => Effect.suspend(() => running.stop))
  const { url } = running
  const restart = Effect.gen(function* () {
    yield* Effect.promise(() => left.promise)
    yield* running.stop
    left = Promise.withResolvers()
    running = yield* begin(Number(new URL(url).port))
  })
  return { url, restart }
})
