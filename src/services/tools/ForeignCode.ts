/**
 * Isolates the code of plugins in a fiber of its own, and reports its errors in one line. If stopped code does not end,
 * the program goes on without it after a moment.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Scope from "effect/Scope"
import { schemaErrorText } from "../../domain/text/SchemaText.ts"
import { printable } from "../../domain/text/Printable.ts"

const maxLength = 500

/** The text of an error's cause if the cause is another error or a problem that a schema found. Otherwise empty. */
const causeOf = ({ cause }: Error): string => {
  if (cause instanceof Error) return `${cause.message}`
  return SchemaIssue.isIssue(cause) ? schemaErrorText(new Schema.SchemaError(cause)) : ""
}

/** The text of an error and of its cause, which is often clearer: `fetch failed: connect ECONNREFUSED`. */
const errorText = (error: Error): string => {
  /** Foreign code may set the message to any value. */
  const text = `${error.message === "" ? error.name : error.message}`
  const below = causeOf(error)
  return below === "" || text.includes(below) ? text : `${text.replace(/\.$/, "")}: ${below}`
}

const textOf = (thrown: unknown): string => {
  if (thrown instanceof Error) return errorText(thrown)
  if (typeof thrown === "string") return thrown
  if (Predicate.hasProperty(thrown, "message") && typeof thrown.message === "string") return thrown.message
  if (Predicate.hasProperty(thrown, "_tag") && typeof thrown._tag === "string") return thrown._tag
  const isValue = thrown === null || (typeof thrown !== "object" && typeof thrown !== "function")
  return isValue ? String(thrown) : "a value that is not an error was thrown"
}

/** The text of a thrown value. Reading it may run code that throws, too. */
const safeTextOf = (thrown: unknown): string => {
  try {
    return textOf(thrown)
  } catch {
    return "an error that cannot be read was thrown"
  }
}

/** The first line of the first failure or defect, without a stack trace or control characters. */
export const causeText = (cause: Cause.Cause<unknown>): string => {
  const failure = Result.orElse(Cause.findError(cause), () => Cause.findDefect(cause))
  const text = Result.isSuccess(failure) ? safeTextOf(failure.success) : "it interrupted itself"
  return printable(text.split("\n", 1).join("").slice(0, maxLength))
}

/** Waits for the exit of an effect that did not end at once. If the wait itself fails, the effect is interrupted. */
export type Wait<A, E, E2, R2> = (ended: Effect.Effect<Exit.Exit<A, E>>) => Effect.Effect<Exit.Exit<A, E>, E2, R2>

/** The time for a plugin's code to end after it was stopped. */
const grace = Duration.seconds(2)

/**
 * Interrupts the fiber and waits for its end. Waits at most `grace` for foreign code. Returns true if the fiber has
 * ended. If the caller is interrupted, the wait is not shortened.
 */
const stopped = (fiber: Fiber.Fiber<unknown, unknown>, isForeign: boolean): Effect.Effect<boolean> => {
  if (!isForeign) return Effect.as(Fiber.interrupt(fiber), true)
  return Effect.gen(function* () {
    fiber.interruptUnsafe()
    /** An interrupted fiber cannot limit the time of its own wait, so another fiber waits. */
    const waiting = yield* Effect.forkDetach(Effect.timeoutOption(Fiber.await(fiber), grace), {
      startImmediately: true
    })
    const ended = yield* Fiber.await(waiting)
    return Exit.isSuccess(ended) && Option.isSome(ended.value)
  })
}

/** The code of a plugin, which may never end. */
interface Foreign<E2> {
  /** The failure of an effect that was stopped but did not end. */
  readonly endless: (failure: E2) => E2
}

/**
 * Runs the effect in a fiber of its own and returns its exit. If the caller is interrupted, the effect is interrupted
 * too, and the caller waits for its end. An effect that interrupts itself does not interrupt the caller.
 *
 * `wait` may limit the time of the effect, even while it builds a layer. Foreign code that does not end in time
 * continues in the background.
 */
export const runIsolated = <A, E, R, E2 = never, R2 = never>(
  effect: Effect.Effect<A, E, R>,
  wait: Wait<A, E, E2, R2> = (ended) => ended,
  foreign?: Foreign<E2>
): Effect.Effect<Exit.Exit<A, E>, E2, R | R2> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) => {
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return Effect.succeed(exit)
      return Effect.catchCause(restore(wait(Fiber.await(fiber))), (cause) =>
        Effect.flatMap(stopped(fiber, foreign !== undefined), (hasEnded) =>
          Effect.failCause(hasEnded || foreign === undefined ? cause : Cause.map(cause, foreign.endless))
        )
      )
    })
  )

/**
 * A scope for the resources of a plugin, which closes with the caller's scope. Resources that do not close in time are
 * abandoned.
 */
export const openForeignScope: Effect.Effect<Scope.Closeable, never, Scope.Scope> = Effect.acquireRelease(
  Scope.make(),
  (scope, exit) => closeForeignScope(scope, exit)
)

/** Closes the scope of a plugin's resources. Waits for their release for at most `grace`. */
export const closeForeignScope = (scope: Scope.Closeable, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Effect.flatMap(Effect.forkDetach(Scope.close(scope, exit), { startImmediately: true }), (closing) =>
    Effect.asVoid(
      Effect.flatMap(
        Effect.forkDetach(Effect.timeoutOption(Fiber.await(closing), grace), { startImmediately: true }),
        Fiber.await
      )
    )
  )
