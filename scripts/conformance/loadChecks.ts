/**
 * Checks of cancelled calls, and of more calls than the server accepts.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ask, type Question } from "./Asking.ts"
import { type Check, inTime, notSupported, require, type Target } from "./Check.ts"

/** A question with a long answer. */
export const long: Question = {
  prompt: "Tell a very long story.",
  settings: { maxTokens: 3000, sampling: { temperature: 1, seed: 11 } }
}

/** Fails unless the server answers a short call soon: then it works on nothing else. */
const mustBeFree = (target: Target) =>
  Effect.gen(function* () {
    const began = performance.now()
    yield* inTime(target, ask(target, { prompt: "Hello", settings: { maxTokens: 2 } }), "no answer to a short call")
    return `free again within ${Math.round(performance.now() - began)} ms`
  })

/** The number of calls that fill a queue. */
const many = 24

export const loadChecks: ReadonlyArray<Check> = [
  {
    name: "a call that is left before its first word",
    check: (target) =>
      Effect.gen(function* () {
        const connected = yield* Deferred.make<void>()
        const settings = { ...long.settings, connected: () => Deferred.doneUnsafe(connected, Effect.void) }
        const call = yield* Effect.forkChild(ask(target, { ...long, settings }), { startImmediately: true })
        yield* Deferred.await(connected)
        yield* Fiber.interrupt(call)
        return yield* mustBeFree(target)
      })
  },
  {
    name: "a call that is left while it is answered",
    check: (target) =>
      Effect.gen(function* () {
        const { pieces } = yield* ask(target, { ...long, pieces: 3 })
        yield* require(pieces === 3, () => `${pieces} pieces were read`)
        return yield* mustBeFree(target)
      })
  },
  {
    name: "a call that is left while it waits for another",
    check: (target) =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(Effect.result(ask(target, long)), { startImmediately: true })
        const others = yield* Effect.forEach([1, 2, 3], () =>
          Effect.forkChild(ask(target, long), { startImmediately: true })
        )
        yield* Effect.yieldNow
        yield* Fiber.interruptAll(others)
        yield* Fiber.interrupt(first)
        return yield* mustBeFree(target)
      })
  },
  {
    name: "more calls than the queue takes",
    check: (target) =>
      Effect.gen(function* () {
        const question = { ...long, settings: { ...long.settings, maxTokens: 200 } }
        const results = yield* Effect.forEach(
          Array.from({ length: many }, (_, index) => index),
          () => Effect.result(ask(target, question)),
          { concurrency: many }
        )
        const refused = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
        if (refused.length === 0) return yield* notSupported(`the queue took all ${many} calls`)
        const wrong = refused.find(({ reason }) => !(reason._tag === "Busy" && reason.isOverloaded === true))
        yield* require(wrong === undefined, () => `${wrong?.reason._tag}: ${wrong?.message}`)
        return `${refused.length} of ${many} refused: ${refused[0]?.what}`
      })
  }
]
