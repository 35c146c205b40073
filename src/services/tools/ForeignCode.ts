/**
 * Isolates code of plugins: it runs in a fiber of its own, and what it throws is reported in one line.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { printable } from "../../domain/text/Printable.ts"

const maxLength = 500

const textOf = (thrown: unknown): string => {
  if (thrown instanceof Error) return `${thrown.message === "" ? thrown.name : thrown.message}`
  if (typeof thrown === "string") return thrown
  const isValue = thrown === null || (typeof thrown !== "object" && typeof thrown !== "function")
  return isValue ? String(thrown) : "a value that is not an error was thrown"
}

/** The text of what was thrown, whose own code may throw when it is looked at. */
const safeTextOf = (thrown: unknown): string => {
  try {
    return textOf(thrown)
  } catch {
    return "an error that cannot be read was thrown"
  }
}

/** The first line of the first failure or defect, without a stack trace and without power over a terminal. */
export const causeText = (cause: Cause.Cause<unknown>): string => {
  const failure = Result.orElse(Cause.findError(cause), () => Cause.findDefect(cause))
  const text = Result.isSuccess(failure) ? safeTextOf(failure.success) : "it interrupted itself"
  return printable(text.split("\n", 1).join("").slice(0, maxLength))
}

/** What waits for the exit of an effect that did not end at once. When it fails, the effect is interrupted. */
export type Wait<A, E, E2, R2> = (ended: Effect.Effect<Exit.Exit<A, E>>) => Effect.Effect<Exit.Exit<A, E>, E2, R2>

/**
 * Runs the effect in a fiber of its own and gives its exit. Interruption of the caller interrupts the effect and waits for
 * it; an effect that interrupts itself does not interrupt the caller. Timeouts inside work even while a layer is built.
 */
export const runIsolated = <A, E, R, E2 = never, R2 = never>(
  effect: Effect.Effect<A, E, R>,
  wait: Wait<A, E, E2, R2> = (ended) => ended
): Effect.Effect<Exit.Exit<A, E>, E2, R | R2> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkChild(effect, { startImmediately: true }), (fiber) => {
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return Effect.succeed(exit)
      return Effect.onError(restore(wait(Fiber.await(fiber))), () => Fiber.interrupt(fiber))
    })
  )
