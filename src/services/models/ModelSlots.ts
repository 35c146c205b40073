/**
 * Keeps the model server busy without letting calls queue up in it: at most slots + 1 calls are in flight, the rest
 * waits here in order of priority. The call beyond the slots waits in the server, ahead of whatever comes after it: a
 * refinement takes that place only when no call in flight is more urgent, since it would hold back their executions.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { Stage } from "../../domain/runs/ActivityKey.ts"
import { progressEvery } from "../../domain/runs/SignOfLife.ts"
import { type CallTimers, makeCallTimers } from "../providers/CallTimers.ts"
import { RunSettings } from "../runs/RunSettings.ts"

/** The priority of a call: stages that see the whole list, then execution, then refinement; earlier steps first. */
export interface Urgency {
  readonly stage: Stage
  /** The turn of the task, from 0: the position of its step in the list, unless tasks start before their step. */
  readonly step: number
}

interface Waiter {
  readonly urgency: Urgency
  granted: boolean
  readonly grant: () => void
}

const stageRank: Record<Stage, number> = { plan: 0, iterate: 0, conclude: 0, ask: 0, execute: 1, refine: 2 }

const maxSteps = 1_000_000

const rankOf = ({ stage, step }: Urgency): number => stageRank[stage] * maxSteps + Math.min(step, maxSteps - 1)

/** Waiters in first-come order per rank. There are only a few ranks (stages times steps), so a scan finds the first. */
const makeLine = () => {
  const ranks = new Map<number, Set<Waiter>>()
  const remove = (waiter: Waiter): void => {
    const rank = rankOf(waiter.urgency)
    const same = ranks.get(rank)
    same?.delete(waiter)
    if (same?.size === 0) ranks.delete(rank)
  }
  return {
    add: (waiter: Waiter): void => {
      const rank = rankOf(waiter.urgency)
      const same = ranks.get(rank) ?? new Set()
      ranks.set(rank, same.add(waiter))
    },
    remove,
    /** The first one, which stays in the line. */
    first: (): Waiter | undefined => {
      if (ranks.size === 0) return undefined
      const [first] = ranks.get(Math.min(...ranks.keys())) ?? []
      return first
    }
  }
}

/** The calls in flight, by their turns. */
const makeInFlight = () => {
  const turns = new Map<number, number>()
  let count = 0
  const change = ({ step }: Urgency, by: number): void => {
    count += by
    const left = (turns.get(step) ?? 0) + by
    if (left === 0) turns.delete(step)
    else turns.set(step, left)
  }
  return {
    add: (urgency: Urgency): void => change(urgency, 1),
    remove: (urgency: Urgency): void => change(urgency, -1),
    count: (): number => count,
    /** True when a call in flight has an earlier turn. */
    isBehind: ({ step }: Urgency): boolean => Math.min(...turns.keys()) < step
  }
}

const makeSlots = (slots: number, timers: CallTimers) => {
  const line = makeLine()
  const inFlight = makeInFlight()

  const hasPlace = (urgency: Urgency): boolean =>
    inFlight.count() < slots ||
    (inFlight.count() === slots && !(urgency.stage === "refine" && inFlight.isBehind(urgency)))

  /** Lets as many go as there are places for; the first one that has to wait keeps its place in the line. */
  const admit = (): void => {
    for (let next = line.first(); next !== undefined && hasPlace(next.urgency); next = line.first()) {
      line.remove(next)
      inFlight.add(next.urgency)
      next.grant()
    }
  }

  const release = (urgency: Urgency) =>
    Effect.sync(() => {
      inFlight.remove(urgency)
      admit()
    })

  const acquire = (urgency: Urgency, waiter: { current: Waiter | undefined }) =>
    Effect.callback<void>((resume) => {
      const mine: Waiter = {
        urgency,
        granted: false,
        grant: () => {
          mine.granted = true
          resume(Effect.void)
        }
      }
      waiter.current = mine
      line.add(mine)
      admit()
      return Effect.sync(() => line.remove(mine))
    })

  /** Waits for a slot; `queued` runs when that takes longer than a moment. */
  const wait = (urgency: Urgency, waiter: { current: Waiter | undefined }, queued: Effect.Effect<void>) =>
    Clock.clockWith((clock) => {
      const due = Effect.as(queued, undefined)
      return timers.during(clock.currentTimeMillisUnsafe() + progressEvery, due, acquire(urgency, waiter))
    })

  return <A, E, R>(
    urgency: Urgency,
    effect: Effect.Effect<A, E, R>,
    queued: Effect.Effect<void> = Effect.void
  ): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const run = Effect.ensuring(restore(effect), release(urgency))
        if (line.first() === undefined && hasPlace(urgency)) {
          inFlight.add(urgency)
          return run
        }
        const waiter: { current: Waiter | undefined } = { current: undefined }
        return restore(wait(urgency, waiter, queued)).pipe(
          // A slot may be granted at the moment of an interruption: it must not get lost.
          Effect.onExit((exit) =>
            Exit.isFailure(exit) && waiter.current?.granted === true ? release(urgency) : Effect.void
          ),
          Effect.andThen(run)
        )
      })
    )
}

export class ModelSlots extends Context.Service<
  ModelSlots,
  {
    /**
     * Runs the effect in a slot of its own and waits for one without a limit; `queued` runs when it has waited for a second.
     * Interruption releases the slot.
     */
    withSlot<A, E, R>(
      urgency: Urgency,
      effect: Effect.Effect<A, E, R>,
      queued?: Effect.Effect<void>
    ): Effect.Effect<A, E, R>
  }
>()("task-conductor/services/models/ModelSlots") {
  static readonly layer = Layer.effect(
    ModelSlots,
    Effect.gen(function* () {
      const { slots } = yield* RunSettings
      return ModelSlots.of({ withSlot: makeSlots(slots, yield* makeCallTimers) })
    })
  )
}
