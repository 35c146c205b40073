/**
 * Lets the test clock go on, step by step, until an effect has come to its end: for timeouts of what real processes and sockets
 * are part of.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type * as Duration from "effect/Duration"

export const passTime = <A, E, R>(effect: Effect.Effect<A, E, R>, step: Duration.Input) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(step)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    return yield* Fiber.join(fiber)
  })
