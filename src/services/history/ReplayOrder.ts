/**
 * Lets the calls of a replay finish in the order of the journal, so that parallel tasks finish in the recorded order.
 * Each fiber of a replay either runs, or is parked until it is its turn, or waits for another fiber. When none runs,
 * the parked fiber whose call comes first in the journal continues.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { MixedScheduler, Scheduler } from "effect/Scheduler"

interface Parked {
  readonly key: string
  readonly position: number
  readonly resume: () => void
}

/** A scheduler like the default one that reports when a task is scheduled and when it has run. */
const watchedScheduler = (begin: () => void, end: () => void): Scheduler => {
  const scheduler = new MixedScheduler()
  return {
    executionMode: scheduler.executionMode,
    shouldYield: (fiber) => scheduler.shouldYield(fiber),
    makeDispatcher: () => {
      const dispatcher = scheduler.makeDispatcher()
      return {
        scheduleTask: (task, priority) => {
          begin()
          dispatcher.scheduleTask(() => {
            try {
              task()
            } finally {
              end()
            }
          }, priority)
        },
        flush: () => dispatcher.flush()
      }
    }
  }
}

export const makeReplayOrder = Effect.map(Deferred.make<ReadonlyArray<string>>(), (stopped) => {
  const parked = new Set<Parked>()
  let running = 0
  let isCheckDue = false

  const check = (): void => {
    isCheckDue = false
    if (running > 0 || parked.size === 0) return
    const next = [...parked].reduce((first, one) => (one.position < first.position ? one : first))
    if (next.position === Infinity) {
      const keys = [...parked].map(({ key }) => key)
      Deferred.doneUnsafe(stopped, Effect.succeed(keys))
      return
    }
    parked.delete(next)
    next.resume()
    checkSoon()
  }

  /** When the fiber that runs now has parked, ended, or scheduled what it does next. */
  const checkSoon = (): void => {
    if (isCheckDue) return
    isCheckDue = true
    setImmediate(check)
  }

  const begin = (): void => {
    running += 1
  }
  const end = (): void => {
    running -= 1
    if (running === 0) checkSoon()
  }
  const scheduler = watchedScheduler(begin, end)

  return {
    /** Parks until the call with this position in the journal is next; one that is not there, `undefined`, is never next. */
    turn: (key: string, position = Infinity) =>
      Effect.callback<void>((resume) => {
        const one: Parked = { key, position, resume: () => resume(Effect.void) }
        parked.add(one)
        checkSoon()
        return Effect.sync(() => {
          parked.delete(one)
        })
      }),
    /** Counts as running while it waits for something outside of the replay, such as a file. */
    outside: <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(begin),
        () => work,
        () => Effect.sync(end)
      ),
    /** Runs the replay to its end, or until none of the parked calls can continue, and returns their keys. */
    conduct: <E, R>(replay: Effect.Effect<unknown, E, R>): Effect.Effect<ReadonlyArray<string>, E, R> =>
      Effect.raceFirst(Effect.as(Effect.provideService(replay, Scheduler, scheduler), []), Deferred.await(stopped))
  }
})
