/**
 * Keeps the model server busy without letting calls queue up in it: at most slots + 1 calls are in flight, the rest
 * waits here in order of priority. The call beyond the slots waits in the server, ahead of whatever comes after it: a
 * refinement takes that place only when no call in flight is more urgent, since it would hold back their executions.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Stage } from "../../domain/runs/ActivityKey.ts"
import { progressEvery } from "../../domain/runs/SignOfLife.ts"
import { type CallTimers, makeCallTimers } from "../providers/CallTimers.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makePrioritySemaphore } from "./PrioritySemaphore.ts"

/** The priority of a call: stages that see the whole list, then execution, then refinement; earlier steps first. */
export interface Urgency {
  readonly stage: Stage
  /** The turn of the task, from 0: the position of its step in the list, unless tasks start before their step. */
  readonly step: number
}

const stageRank: Record<Stage, number> = { plan: 0, iterate: 0, conclude: 0, ask: 0, execute: 1, refine: 2 }

const maxSteps = 1_000_000

const rankOf = ({ stage, step }: Urgency): number => stageRank[stage] * maxSteps + Math.min(step, maxSteps - 1)

const makeSlots = (slots: number, timers: CallTimers) => {
  const semaphore = makePrioritySemaphore<Urgency>({
    rankOf,
    turnOf: ({ step }) => step,
    hasPermit: ({ stage, step }, underWay) =>
      underWay.count < slots || (underWay.count === slots && !(stage === "refine" && underWay.earliest < step))
  })
  return <A, E, R>(
    urgency: Urgency,
    effect: Effect.Effect<A, E, R>,
    queued: Effect.Effect<void> = Effect.void
  ): Effect.Effect<A, E, R> =>
    semaphore.withPermit(urgency, effect, (wait) =>
      Clock.clockWith((clock) =>
        timers.during(clock.currentTimeMillisUnsafe() + progressEvery, Effect.as(queued, undefined), wait)
      )
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
