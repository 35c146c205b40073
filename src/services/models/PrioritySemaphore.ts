/**
 * A semaphore for work of which only so much may be under way. Work that gets no permit waits, the lowest rank first, then the
 * kind of work that went last, and then in order of arrival. Nothing passes what is more urgent.
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
  /** Work of one rank that is of one kind goes one after another; all is of one kind when absent. */
  readonly kindOf?: (work: Work) => string
  readonly turnOf: (work: Work) => number
  /** Gives the permit of some work back with `now`, at once or when something more urgent than `next` may have come. */
  readonly giveBack?: (work: Work, next: Work, now: Effect.Effect<void>) => Effect.Effect<void>
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

type Kinds<Work> = Map<string, Set<Waiter<Work>>>

const makeLine = <Work>(rankOf: (work: Work) => number, kindOf: (work: Work) => string) => {
  const waiting = new Map<number, Kinds<Work>>()
  /** Those that somebody waits in, the lowest first. */
  const ranks: Array<number> = []

  const kindsOf = (rank: number): Kinds<Work> => {
    const known = waiting.get(rank)
    if (known !== undefined) return known
    const kinds: Kinds<Work> = new Map()
    waiting.set(rank, kinds)
    const higher = ranks.findIndex((other) => other > rank)
    ranks.splice(higher < 0 ? ranks.length : higher, 0, rank)
    return kinds
  }
  return {
    add: (waiter: Waiter<Work>): void => {
      const kinds = kindsOf(rankOf(waiter.work))
      const kind = kindOf(waiter.work)
      const same = kinds.get(kind)
      if (same === undefined) kinds.set(kind, new Set([waiter]))
      else same.add(waiter)
    },
    remove: (waiter: Waiter<Work>): void => {
      const rank = rankOf(waiter.work)
      const kind = kindOf(waiter.work)
      const kinds = waiting.get(rank)
      const same = kinds?.get(kind)
      if (kinds === undefined || same?.delete(waiter) !== true || same.size > 0) return
      kinds.delete(kind)
      if (kinds.size > 0) return
      waiting.delete(rank)
      ranks.splice(ranks.indexOf(rank), 1)
    },
    /** The next one, of this kind if it can be; it stays in the line. */
    next: (kind: string): Waiter<Work> | undefined => {
      const [lowest] = ranks
      const kinds = lowest === undefined ? undefined : waiting.get(lowest)
      if (kinds === undefined) return undefined
      const [first] = kinds.values()
      const [next] = kinds.get(kind) ?? first ?? []
      return next
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
  giveBack,
  hasPermit,
  kindOf = () => "",
  rankOf,
  turnOf
}: PermitRules<Work>): PrioritySemaphore<Work> => {
  const line = makeLine(rankOf, kindOf)
  const underWay = makeUnderWay(turnOf)
  let lastKind = ""

  const begin = (work: Work): void => {
    underWay.add(work)
    lastKind = kindOf(work)
  }

  const giveBackNow = (work: Work) =>
    Effect.sync(() => {
      underWay.remove(work)
      let next = line.next(lastKind)
      while (next !== undefined && hasPermit(next.work, underWay.now)) {
        line.remove(next)
        begin(next.work)
        next.grant()
        next = line.next(lastKind)
      }
    })

  const release = (work: Work) =>
    Effect.suspend(() => {
      const next = line.next(lastKind)
      const now = giveBackNow(work)
      return next === undefined || giveBack === undefined ? now : giveBack(work, next.work, now)
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
      const next = line.next(lastKind)
      if ((next === undefined || rankOf(work) < rankOf(next.work)) && hasPermit(work, underWay.now)) {
        begin(work)
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
