/**
 * Lets only so many refinements of a round be under way: one that waits for the model holds its prompt, and a plan may have
 * thousands of tasks. The most urgent ones come first, and one that is more urgent than all that are under way never waits,
 * so that the order of calls is that of a round without this limit.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

interface Waiter {
  readonly turn: number
  granted: boolean
  readonly grant: () => void
}

/** Those that wait, by turn and then in the order of arrival. */
const makeQueue = () => {
  const turns = new Map<number, Set<Waiter>>()
  let [lowest, highest] = [0, -1]
  return {
    add: (waiter: Waiter): void => {
      const same = turns.get(waiter.turn) ?? new Set()
      turns.set(waiter.turn, same.add(waiter))
      lowest = Math.min(lowest, waiter.turn)
      highest = Math.max(highest, waiter.turn)
    },
    remove: (waiter: Waiter): void => {
      const same = turns.get(waiter.turn)
      same?.delete(waiter)
      if (same?.size === 0) turns.delete(waiter.turn)
    },
    first: (): Waiter | undefined => {
      while (lowest < highest && !turns.has(lowest)) lowest += 1
      const [first] = turns.get(lowest) ?? []
      return first
    }
  }
}

/**
 * More than the slots can take, so that the model never waits for a refinement: one may look into files or wait for a person
 * meanwhile. Of those that only wait for a slot, more would bring nothing, and each of them lives long enough to be kept as
 * garbage until the next full collection.
 */
export const mostUnderWay = (slots: number): number => Math.max(64, Math.ceil(1.25 * slots))

export type Admit = <A, E, R>(turn: number, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export interface Admission {
  /** Runs an effect in a place. */
  readonly admit: Admit
  /** Waits for a place, which is the caller's until `held` has run an effect in it. */
  readonly enter: (turn: number) => Effect.Effect<void>
  readonly held: Admit
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Lets `most` be under way at a time. */
export const makeAdmission = (most: number): Admission => {
  const queue = makeQueue()
  const underWay = new Map<number, number>()
  let count = 0

  const take = (turn: number): void => {
    count += 1
    underWay.set(turn, (underWay.get(turn) ?? 0) + 1)
  }

  const leave = (turn: number) =>
    Effect.sync(() => {
      count -= 1
      const left = (underWay.get(turn) ?? 0) - 1
      if (left === 0) underWay.delete(turn)
      else underWay.set(turn, left)
      const next = count < most ? queue.first() : undefined
      if (next === undefined) return
      queue.remove(next)
      take(next.turn)
      next.grant()
    })

  const waitFor = (turn: number, waiter: { current: Waiter | undefined }) =>
    Effect.callback<void>((resume) => {
      const mine: Waiter = {
        turn,
        granted: false,
        grant: () => {
          mine.granted = true
          resume(Effect.void)
        }
      }
      waiter.current = mine
      queue.add(mine)
      return Effect.sync(() => queue.remove(mine))
    })

  /** Only waiting can be interrupted. */
  const enterWith = (restore: Restore, turn: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (count < most || turn < Math.min(...underWay.keys())) {
        take(turn)
        return Effect.void
      }
      const waiter: { current: Waiter | undefined } = { current: undefined }
      return restore(waitFor(turn, waiter)).pipe(
        // A place may be given at the moment of an interruption: it must not get lost.
        Effect.onExit((exit) => (Exit.isFailure(exit) && waiter.current?.granted === true ? leave(turn) : Effect.void))
      )
    })

  const held: Admit = (turn, effect) => Effect.ensuring(effect, leave(turn))

  return {
    admit: (turn, effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(enterWith(restore, turn), () => held(turn, restore(effect)))
      ),
    enter: (turn) => Effect.uninterruptibleMask((restore) => enterWith(restore, turn)),
    held
  }
}
