/**
 * Checks of calls and runs while the server restarts.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { resume, run, type RunHandle } from "../../src/index.ts"
import { ask } from "./Asking.ts"
import { type Check, type CheckFailed, inTime, NotTried, require, type Target } from "./Check.ts"
import { long } from "./loadChecks.ts"
import { mustEnd, orderFor } from "./runCheck.ts"

/** Errors that tell the user that the server is gone. */
const clear: ReadonlySet<string> = new Set(["Unreachable", "DiedMidStream", "Busy"])

/** The restart command; without it the check is skipped. */
const restartOf = ({ restart }: Target) =>
  restart === undefined
    ? Effect.fail(new NotTried({ why: "--restart names no command that ends the server and starts it again" }))
    : Effect.succeed(restart)

/** Waits until the server answers a call; returns the time it took. */
const untilAnswering = (target: Target) =>
  Effect.gen(function* () {
    const began = performance.now()
    const call = ask(target, { prompt: "Hello", settings: { maxTokens: 2 } })
    yield* inTime(target, Effect.retry(call, Schedule.spaced("100 millis")), "no answer after the restart")
    return `It answers again after ${Math.round(performance.now() - began)} ms`
  })

/** Waits until a run has sent its first prompt. */
const firstPrompt = ({ events }: RunHandle) =>
  Effect.promise(async () => {
    for await (const { type } of events) if (type === "model.started") return
  })

/** Restarts the server during a call. Undefined if the answer was faster. */
const loseCall = (target: Target, restart: Effect.Effect<void, CheckFailed>, seed: number) =>
  Effect.gen(function* () {
    const answered = yield* Deferred.make<void>()
    const heard = () => Deferred.doneUnsafe(answered, Effect.void)
    const settings = { ...long.settings, sampling: { temperature: 1, seed } }
    const asked = ask(target, { ...long, settings, heard })
    const call = yield* Effect.forkChild(Effect.result(asked), { startImmediately: true })
    yield* Effect.raceFirst(Deferred.await(answered), Fiber.await(call))
    yield* restart
    const result = yield* inTime(target, Fiber.join(call), "the call did not end")
    return result._tag === "Success" ? undefined : result.failure
  })

export const restartChecks: ReadonlyArray<Check> = [
  {
    name: "a call whose server starts again",
    check: (target) =>
      Effect.gen(function* () {
        const restart = yield* restartOf(target)
        for (const seed of [11, 12, 13]) {
          const error = yield* loseCall(target, restart, seed)
          if (error !== undefined) yield* require(clear.has(error.reason._tag), () => error.message)
          const again = yield* untilAnswering(target)
          if (error !== undefined) return `${error.message} ${again}`
        }
        return yield* new NotTried({ why: "three answers ended before the server did" })
      })
  },
  {
    name: "a run whose server starts again",
    check: (target) =>
      Effect.gen(function* () {
        const restart = yield* restartOf(target)
        const started = run({ ...(yield* orderFor(target, "When is the meeting, and does it move?")), keep: false })
        yield* firstPrompt(started)
        yield* restart
        return `went on: ${yield* mustEnd(started)}`
      }).pipe(Effect.scoped)
  },
  {
    name: "a run that is resumed on a server that started again",
    check: (target) =>
      Effect.gen(function* () {
        const restart = yield* restartOf(target)
        const order = yield* orderFor(target, "Where is the meeting, and when?")
        const stopped = run(order)
        yield* firstPrompt(stopped)
        yield* restart
        yield* Effect.promise(stopped.interrupt)
        const { status } = yield* Effect.promise(() => stopped.report)
        yield* require(status === "interrupted", () => `ended as ${status}, though it was interrupted`)
        yield* untilAnswering(target)
        const { prompt: _prompt, ...as } = order
        return `resumed: ${yield* mustEnd(resume(stopped.runId, as))}`
      }).pipe(Effect.scoped)
  }
]
