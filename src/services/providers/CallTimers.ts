/**
 * The timers of model calls on one fiber. Most calls end before anything of theirs is due, and so cost neither a fiber nor a
 * timer of the platform each.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Runs when a timer is due. The time of the next one is the result; none when the timer has ended. */
export type Due = Effect.Effect<number | undefined>

export interface CallTimers {
  /** Starts a timer that is due at a time in ms; the result ends it. */
  readonly start: (at: number, due: Due) => Effect.Effect<() => void>
  /** Has a timer as long as the effect takes. */
  readonly during: <A, E, R>(at: number, due: Due, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface Timer {
  at: number
  readonly due: Due
}

/** The one that sleeps until the next timer is due. */
interface Sleeper {
  wakesAt: number
}

/** The timers end with the scope. What is due runs one after another, so it must not wait for long. */
export const makeCallTimers: Effect.Effect<CallTimers, never, Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const timers = new Set<Timer>()
  let current: Sleeper | undefined

  const runDue = Effect.fnUntraced(function* (now: number) {
    for (const timer of timers) {
      if (timer.at > now) continue
      const at = yield* Effect.catchCause(timer.due, () => Effect.undefined)
      if (at === undefined) timers.delete(timer)
      else timer.at = at
    }
  })

  /** Sleeps from timer to timer, until there is none or another took its place for a timer that is due earlier. */
  const watch = Effect.fnUntraced(function* (sleeper: Sleeper) {
    const clock = yield* Clock.Clock
    while (current === sleeper) {
      // A timer that is started meanwhile counts below.
      sleeper.wakesAt = -Infinity
      yield* runDue(clock.currentTimeMillisUnsafe())
      sleeper.wakesAt = [...timers].reduce((first, { at }) => Math.min(first, at), Infinity)
      if (timers.size === 0) current = undefined
      else yield* Effect.sleep(Duration.millis(Math.max(0, sleeper.wakesAt - clock.currentTimeMillisUnsafe())))
    }
  })

  const start: CallTimers["start"] = (at, due) =>
    Effect.suspend(() => {
      const timer: Timer = { at, due }
      timers.add(timer)
      const end = () => void timers.delete(timer)
      if (current !== undefined && current.wakesAt <= at) return Effect.succeed(end)
      const sleeper = { wakesAt: at }
      current = sleeper
      return Effect.as(Effect.forkIn(watch(sleeper), scope), end)
    })
  return {
    start,
    during: (at, due, effect) =>
      Effect.acquireUseRelease(
        start(at, due),
        () => effect,
        (end) => Effect.sync(end)
      )
  }
})
