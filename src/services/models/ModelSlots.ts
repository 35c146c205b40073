/**
 * Keeps the model server busy without letting calls queue up in it: at most slots + 1 calls are in flight, the rest
 * waits here in order of priority. The call beyond the slots waits in the server, ahead of whatever comes after it: only a
 * call of the earliest turn in flight takes that place, since another would hold back what is more urgent.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Stage } from "../../domain/runs/ActivityKey.ts"
import { progressEvery } from "../../domain/runs/RunEvent.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makePrioritySemaphore, meanwhile } from "./PrioritySemaphore.ts"

/**
 * The priority of a call: stages that see the whole list, then earlier turns, and in a turn refinement before execution, so that
 * the server changes less often between prompts that begin differently (docs/decisions/066).
 */
export interface Urgency {
  readonly stage: Stage
  /** The turn of the task, from 0; 0 for stages that see the whole list. */
  readonly turn: number
  /** What its prompt begins with: calls that begin alike go one after another where nothing else decides. */
  readonly beginning: string
}

interface Call {
  readonly isRefinement: boolean
  readonly rank: number
  readonly turn: number
  readonly beginning: string
}

/** Of stages that see the whole list, and of the first execution of all: a person sees early whether the results are any good. */
const beforeAll = -1

/**
 * How long a slot is kept after a refinement when only later turns wait, in ms: most tools take less, and then the execution of the task
 * goes before these.
 */
const toolsTake = 20

const makeSlots = (slots: number, scope: Scope.Scope) => {
  let hasExecuted = false
  const callOf = ({ beginning, stage, turn }: Urgency): Call => {
    const isTask = stage === "refine" || (stage === "execute" && hasExecuted)
    if (stage === "execute") hasExecuted = true
    if (!isTask) return { isRefinement: false, rank: beforeAll, turn: 0, beginning }
    const isRefinement = stage === "refine"
    return { isRefinement, rank: 2 * turn + (isRefinement ? 0 : 1), turn, beginning }
  }
  const semaphore = makePrioritySemaphore<Call>({
    rankOf: ({ rank }) => rank,
    kindOf: ({ beginning }) => beginning,
    turnOf: ({ turn }) => turn,
    giveBack: ({ isRefinement, turn }, next, now) =>
      isRefinement && turn < next.turn ? Effect.asVoid(Effect.forkIn(Effect.delay(now, toolsTake), scope)) : now,
    hasPermit: ({ turn }, underWay) => underWay.count < slots || (underWay.count === slots && turn <= underWay.earliest)
  })
  return <A, E, R>(
    urgency: Urgency,
    effect: Effect.Effect<A, E, R>,
    queued: Effect.Effect<void> = Effect.void
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() =>
      semaphore.withPermit(callOf(urgency), effect, (wait) => meanwhile(Effect.delay(queued, progressEvery), wait))
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
      const { parallel } = yield* RunSettings
      return ModelSlots.of({ withSlot: makeSlots(parallel, yield* Effect.scope) })
    })
  )
}
