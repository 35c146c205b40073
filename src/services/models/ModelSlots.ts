/**
 * Keeps the model server busy without letting calls queue up in it: at most slots + 1 calls are in flight, the rest
 * waits here in order of priority.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { Stage } from "../../domain/runs/ActivityKey.ts"
import { RunSettings } from "../runs/RunSettings.ts"

/** The priority of a call: stages that see the whole list, then execution, then refinement; earlier steps first. */
export interface Urgency {
  readonly stage: Stage
  /** Position of the task's step in the list, from 0. */
  readonly step: number
}

interface Waiter {
  granted: boolean
  readonly grant: () => void
}

const stageRank: Record<Stage, number> = { plan: 0, iterate: 0, conclude: 0, ask: 0, execute: 1, refine: 2 }

const maxSteps = 1_000_000

const rankOf = ({ stage, step }: Urgency): number => stageRank[stage] * maxSteps + Math.min(step, maxSteps - 1)

/** Waiters in first-come order per rank. There are only a few ranks (stages times steps), so a scan finds the first. */
const makeLine = () => {
  const ranks = new Map<number, Set<Waiter>>()
  return {
    add: (rank: number, waiter: Waiter): void => {
      const same = ranks.get(rank) ?? new Set()
      ranks.set(rank, same.add(waiter))
    },
    remove: (rank: number, waiter: Waiter): void => {
      const same = ranks.get(rank)
      same?.delete(waiter)
      if (same?.size === 0) ranks.delete(rank)
    },
    takeFirst: (): Waiter | undefined => {
      if (ranks.size === 0) return undefined
      const rank = Math.min(...ranks.keys())
      const [first] = ranks.get(rank) ?? []
      if (first !== undefined) {
        ranks.get(rank)?.delete(first)
        if (ranks.get(rank)?.size === 0) ranks.delete(rank)
      }
      return first
    }
  }
}

const makeSlots = (places: number) => {
  let free = places
  const line = makeLine()

  const release = Effect.sync(() => {
    const next = line.takeFirst()
    if (next === undefined) free += 1
    else next.grant()
  })

  const acquire = (urgency: Urgency, waiter: { current: Waiter | undefined }) =>
    Effect.callback<void>((resume) => {
      const rank = rankOf(urgency)
      const mine: Waiter = {
        granted: false,
        grant: () => {
          mine.granted = true
          resume(Effect.void)
        }
      }
      waiter.current = mine
      if (free > 0) {
        free -= 1
        mine.grant()
      } else {
        line.add(rank, mine)
      }
      return Effect.sync(() => line.remove(rank, mine))
    })

  /** Waits for a slot, with `meanwhile` beside it. */
  const wait = (urgency: Urgency, waiter: { current: Waiter | undefined }, meanwhile: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const beside = yield* Effect.forkChild(meanwhile)
      yield* Effect.ensuring(acquire(urgency, waiter), Fiber.interrupt(beside))
    })

  return <A, E, R>(
    urgency: Urgency,
    effect: Effect.Effect<A, E, R>,
    meanwhile: Effect.Effect<void> = Effect.void
  ): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const run = Effect.ensuring(restore(effect), release)
        if (free > 0) {
          free -= 1
          return run
        }
        const waiter: { current: Waiter | undefined } = { current: undefined }
        return restore(wait(urgency, waiter, meanwhile)).pipe(
          // A slot may be granted at the moment of an interruption: it must not get lost.
          Effect.onExit((exit) => (Exit.isFailure(exit) && waiter.current?.granted === true ? release : Effect.void)),
          Effect.andThen(run)
        )
      })
    )
}

export class ModelSlots extends Context.Service<
  ModelSlots,
  {
    /**
     * Runs the effect in a slot of its own and waits for one without a limit; `meanwhile` runs as long as it waits.
     * Interruption releases the slot.
     */
    withSlot<A, E, R>(
      urgency: Urgency,
      effect: Effect.Effect<A, E, R>,
      meanwhile?: Effect.Effect<void>
    ): Effect.Effect<A, E, R>
  }
>()("task-conductor/services/models/ModelSlots") {
  static readonly layer = Layer.effect(
    ModelSlots,
    Effect.gen(function* () {
      const { slots } = yield* RunSettings
      return ModelSlots.of({ withSlot: makeSlots(slots + 1) })
    })
  )
}
