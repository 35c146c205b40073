/**
 * A semaphore for work of which only so much may be under way. Work that gets no permit waits, the lowest rank first and then
 * in order of arrival, so that nothing passes what came before it unless it is more urgent.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The work that has a permit. */
export interface UnderWay {
  readonly count: number
  /** The lowest turn of it; infinite when there is none. */
  readonly earliest: number
}

export interface PermitRules<Work> {
  /** Work with a lower rank gets its permit first. */
  readonly rankOf: (work: Work) => number
  readonly turnOf: (work: Work) => number
  /** True when the work may be under way beside what is. */
  readonly hasPermit: (work: Work, underWay: UnderWay) => boolean
}

type WithPermit<Work> = <A, E, R>(work: Work, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Runs around the waiting for a permit, when there is none at once. */
export type WhileWaiting = (wait: Effect.Effect<void>) => Effect.Effect<void>

export interface PrioritySemaphore<Work> {
  /** Waits for a permit, which is the caller's until `withTaken` has run an effect. Only waiting can be interrupted. */
  readonly take: (work: Work, whileWaiting?: WhileWaiting) => Effect.Effect<void>
  /** Runs an effect with a permit that was taken for the work, and gives it back in any case. */
  readonly withTaken: WithPermit<Work>
  /** Waits for a permit and runs an effect with it. */
  readonly withPermit: <A, E, R>(
    work: Work,
    effect: Effect.Effect<A, E, R>,
    whileWaiting?: WhileWaiting
  ) => Effect.Effect<A, E, R>
}

interface Waiter<Work> {
  readonly work: Work
  granted: boolean
  readonly grant: () => void
}

const makeLine = <Work>(rankOf: (work: Work) => number) => {
  const waiting = new Map<number, Set<Waiter<Work>>>()
  /** Those that somebody waits in, the lowest first. */
  const ranks: Array<number> = []
  return {
    add: (waiter: Waiter<Work>): void => {
      const rank = rankOf(waiter.work)
      const same = waiting.get(rank)
      if (same !== undefined) return void same.add(waiter)
      waiting.set(rank, new Set([waiter]))
      const higher = ranks.findIndex((other) => other > rank)
      ranks.splice(higher < 0 ? ranks.length : higher, 0, rank)
    },
    remove: (waiter: Waiter<Work>): void => {
      const rank = rankOf(waiter.work)
      const same = waiting.get(rank)
      if (same?.delete(waiter) !== true || same.size > 0) return
      waiting.delete(rank)
      ranks.splice(ranks.indexOf(rank), 1)
    },
    /** The first one, which stays in the line. */
    first: (): Waiter<Work> | undefined => {
      const [lowest] = ranks
      if (lowest === undefined) return undefined
      const [first] = waiting.get(lowest) ?? []
      return first
    }
  }
}

const makeUnderWay = <Work>(turnOf: (work: Work) => number) => {
  const turns = new Map<number, number>()
  let count = 0
  const change = (work: Work, by: number): void => {
    count += by
    const left = (turns.get(turnOf(work)) ?? 0) + by
    if (left === 0) turns.delete(turnOf(work))
    else turns.set(turnOf(work), left)
  }
  return {
    add: (work: Work): void => change(work, 1),
    remove: (work: Work): void => change(work, -1),
    now: {
      get count() {
        return count
      },
      get earliest() {
        return Math.min(...turns.keys())
      }
    } satisfies UnderWay
  }
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const makePrioritySemaphore = <Work>({
  hasPermit,
  rankOf,
  turnOf
}: PermitRules<Work>): PrioritySemaphore<Work> => {
  const line = makeLine(rankOf)
  const underWay = makeUnderWay(turnOf)

  const release = (work: Work) =>
    Effect.sync(() => {
      underWay.remove(work)
      for (let next = line.first(); next !== undefined && hasPermit(next.work, underWay.now); next = line.first()) {
        line.remove(next)
        underWay.add(next.work)
        next.grant()
      }
    })

  const waitInLine = (work: Work, waiter: { current: Waiter<Work> | undefined }) =>
    Effect.callback<void>((resume) => {
      const mine: Waiter<Work> = {
        work,
        granted: false,
        grant: () => {
          mine.granted = true
          resume(Effect.void)
        }
      }
      waiter.current = mine
      line.add(mine)
      return Effect.sync(() => line.remove(mine))
    })

  const takeWith = (restore: Restore, work: Work, whileWaiting: WhileWaiting = (wait) => wait): Effect.Effect<void> =>
    Effect.suspend(() => {
      const isBefore = (first: Waiter<Work> | undefined) => first === undefined || rankOf(work) < rankOf(first.work)
      if (isBefore(line.first()) && hasPermit(work, underWay.now)) {
        underWay.add(work)
        return Effect.void
      }
      const waiter: { current: Waiter<Work> | undefined } = { current: undefined }
      return restore(whileWaiting(waitInLine(work, waiter))).pipe(
        // A permit may be given at the moment of an interruption: it must not get lost.
        Effect.onExit((exit) =>
          Exit.isFailure(exit) && waiter.current?.granted === true ? release(work) : Effect.void
        )
      )
    })

  const withTaken: WithPermit<Work> = (work, effect) => Effect.ensuring(effect, release(work))

  return {
    take: (work, whileWaiting) => Effect.uninterruptibleMask((restore) => takeWith(restore, work, whileWaiting)),
    withTaken,
    withPermit: (work, effect, whileWaiting) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(takeWith(restore, work, whileWaiting), () => withTaken(work, restore(effect)))
      )
  }
}
