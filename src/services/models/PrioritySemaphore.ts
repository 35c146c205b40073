/**
 * A semaphore for work of which only so much may be under way. Work that gets no permit waits, the lowest rank first, then the
 * kind of work that went last, and then in order of arrival. Nothing passes what is more urgent.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** The work that has a permit. */
export interface UnderWay {
  readonly count: number
  /** The lowest turn of it; infinite when there is none. */
  readonly earliest: number
}

export interface PermitRules<Work> {
  /** Work with a lower rank gets its permit first. */
  readonly rankOf: (work: Work) => number
  /** Work of one rank that is of one kind goes one after another; all is of one kind when absent. */
  readonly kindOf?: (work: Work) => string
  readonly turnOf: (work: Work) => number
  /** Gives the permit of some work back with `now`, at once or when something more urgent than `next` may have come. */
  readonly giveBack?: (work: Work, next: Work, now: Effect.Effect<void>) => Effect.Effect<void>
  /** True when the work may be under way beside what is. */
  readonly hasPermit: (work: Work, underWay: UnderWay) => boolean
}

/** Runs around the waiting for a permit, when there is none at once. */
export type WhileWaiting = (wait: Effect.Effect<void>) => Effect.Effect<void>

export interface PrioritySemaphore<Work> {
  /** Waits for a permit, which is the caller's until `withTaken` has run an effect. Only waiting can be interrupted. */
  readonly take: (work: Work, whileWaiting?: WhileWaiting) => Effect.Effect<void>
  /** Runs an effect with a permit that was taken for the work, and gives it back in any case. */
  readonly withTaken: <A, E, R>(work: Work, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits for a permit and runs an effect with it. */
  readonly withPermit: <A, E, R>(
    work: Work,
    effect: Effect.Effect<A, E, R>,
    whileWaiting?: WhileWaiting
  ) => Effect.Effect<A, E, R>
}

interface Waiter<Work> {
  readonly work: Work
  readonly granted: Deferred.Deferred<void>
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const makePrioritySemaphore = <Work>({
  giveBack = (_work, _next, now) => now,
  hasPermit,
  kindOf = () => "",
  rankOf,
  turnOf
}: PermitRules<Work>): PrioritySemaphore<Work> => {
  /** In order of arrival. */
  const waiting = new Set<Waiter<Work>>()
  const running: Array<Work> = []
  let lastKind = ""

  const begin = (work: Work): void => {
    running.push(work)
    lastKind = kindOf(work)
  }
  const mayBegin = (work: Work): boolean =>
    hasPermit(work, { count: running.length, earliest: Math.min(...running.map(turnOf)) })
  const isBefore = (one: Work, other: Work): boolean =>
    rankOf(one) === rankOf(other) ? kindOf(one) === lastKind && kindOf(other) !== lastKind : rankOf(one) < rankOf(other)
  /** The most urgent of those that wait. */
  const next = (): Waiter<Work> | undefined => {
    let first: Waiter<Work> | undefined
    for (const waiter of waiting) if (first === undefined || isBefore(waiter.work, first.work)) first = waiter
    return first
  }

  const giveBackNow = (work: Work) =>
    Effect.sync(() => {
      running.splice(running.indexOf(work), 1)
      for (let waiter = next(); waiter !== undefined && mayBegin(waiter.work); waiter = next()) {
        waiting.delete(waiter)
        begin(waiter.work)
        Deferred.doneUnsafe(waiter.granted, Effect.void)
      }
    })
  const release = (work: Work) =>
    Effect.suspend(() => {
      const waiter = next()
      return waiter === undefined ? giveBackNow(work) : giveBack(work, waiter.work, giveBackNow(work))
    })

  const takeWith = (restore: Restore, work: Work, whileWaiting: WhileWaiting = (wait) => wait): Effect.Effect<void> =>
    Effect.suspend(() => {
      const first = next()
      if ((first === undefined || rankOf(work) < rankOf(first.work)) && mayBegin(work)) {
        begin(work)
        return Effect.void
      }
      const mine: Waiter<Work> = { work, granted: Deferred.makeUnsafe() }
      waiting.add(mine)
      return restore(whileWaiting(Deferred.await(mine.granted))).pipe(
        // A permit may be given at the moment of an interruption: it must not get lost.
        Effect.onError(() => (waiting.delete(mine) ? Effect.void : release(work)))
      )
    })

  const withTaken: PrioritySemaphore<Work>["withTaken"] = (work, effect) => Effect.ensuring(effect, release(work))

  return {
    take: (work, whileWaiting) => Effect.uninterruptibleMask((restore) => takeWith(restore, work, whileWaiting)),
    withTaken,
    withPermit: (work, effect, whileWaiting) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(takeWith(restore, work, whileWaiting), () => withTaken(work, restore(effect)))
      )
  }
}

/** Runs an effect, and beside it what ends with it. */
export const meanwhile = <A, E, R, R2>(
  beside: Effect.Effect<unknown, never, R2>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | R2> =>
  Effect.acquireUseRelease(
    Effect.forkChild(beside, { startImmediately: true }),
    () => effect,
    (fiber) => Fiber.interrupt(fiber)
  )
