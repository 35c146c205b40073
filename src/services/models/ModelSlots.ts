/**
 * Keeps the model server busy without letting calls queue up in it: at most slots + 1 calls are in flight, the rest
 * waits here in order of priority, and for room where calls share the memory of the server. The call beyond the slots waits in the server, ahead of whatever comes after it: only a
 * call of the earliest step in flight takes that place, since another would hold back what is more urgent.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Stage } from "../../domain/runs/ActivityKey.ts"
import { progressEvery } from "../../domain/runs/RunEvent.ts"
import { RunSettings } from "../runs/RunSettings.ts"

/** The priority of a call: stages that see the whole list, then earlier steps, and in a step the tasks that have begun. */
export interface Urgency {
  readonly stage: Stage
  /** The step of the task, from 0; 0 for stages that see the whole list. */
  readonly step: number
  /** True for a later turn of a task, which goes before the first turns of others. */
  readonly isBegun: boolean
  /** What its prompt begins with: calls that begin alike go one after another where nothing else decides. */
  readonly beginning: string
  /** The tokens of its prompt and answer; 0 when absent. */
  readonly tokens?: number
  /** How many tokens all calls under way may have together, as far as it is known by now that they share the window of the server. */
  readonly pool?: () => number | undefined
  /** True for a call that nothing may be under way beside. */
  readonly isAlone?: boolean
  /** False for a server that would not let it wait, but work on it beside the others. */
  readonly mayWait?: boolean
}

interface Call extends Urgency {
  /** The call with the lowest rank goes first. */
  readonly rank: number
  readonly granted: Deferred.Deferred<void>
}

/** Of stages that see the whole list. */
const beforeAll = -1

/** How long a slot is kept for the next turn of a task when only later steps wait, in ms: most tools take less. */
const toolsTake = 20

const callOf = (urgency: Urgency): Call => {
  const isTask = urgency.stage === "task"
  const step = isTask ? urgency.step : 0
  const rank = isTask ? 2 * step + (urgency.isBegun ? 0 : 1) : beforeAll
  return { ...urgency, step, rank, granted: Deferred.makeUnsafe<void>() }
}

/** True when the window of the server has room for a call beside those under way. */
const hasRoom = ({ isAlone = false, pool, tokens = 0 }: Call, running: ReadonlySet<Call>): boolean => {
  const others = [...running]
  if (others.length === 0) return true
  if (isAlone || others.some((other) => other.isAlone === true)) return false
  return others.reduce((sum, other) => sum + (other.tokens ?? 0), tokens) <= (pool?.() ?? Infinity)
}

const makeSlots = (slots: number, scope: Scope.Scope): ModelSlots["Service"]["withSlot"] => {
  /** By rank, those of a rank in order of arrival. */
  const waiting = new Map<number, Set<Call>>()
  const running = new Set<Call>()
  /** Calls that wait and have not said so, in order of arrival, and when they do. */
  const silent = new Map<Call, { readonly at: number; readonly queued: Effect.Effect<void> }>()
  let isWatched = false
  let lastBeginning = ""

  const mayBegin = (call: Call): boolean =>
    hasRoom(call, running) &&
    (running.size < slots ||
      (call.mayWait !== false && running.size === slots && [...running].every((other) => call.step <= other.step)))
  /** False for a call that does not wait. */
  const leave = (call: Call): boolean => {
    const alike = waiting.get(call.rank)
    const hasLeft = alike?.delete(call) === true
    silent.delete(call)
    if (alike?.size === 0) waiting.delete(call.rank)
    return hasLeft
  }
  /** The most urgent of the calls that wait. */
  const next = (): Call | undefined => {
    const alike = waiting.get(Math.min(...waiting.keys())) ?? []
    for (const call of alike) if (call.beginning === lastBeginning) return call
    const [first] = alike
    return first
  }
  /** Lets calls go as long as there is a slot for the most urgent. */
  const grant = (): void => {
    if (running.size > slots) return
    for (let call = next(); call !== undefined && mayBegin(call); call = next()) {
      leave(call)
      running.add(call)
      lastBeginning = call.beginning
      Deferred.doneUnsafe(call.granted, Effect.void)
    }
  }
  /** Says that calls wait when they have waited for a moment, as long as there are any; all have one fiber. */
  const watch = Effect.gen(function* () {
    for (const [call, { at, queued }] of silent) {
      yield* Effect.sleep(Math.max(0, at - (yield* Clock.currentTimeMillis)))
      if (silent.delete(call)) yield* queued
    }
    isWatched = false
  })
  const wait = Effect.fnUntraced(function* (call: Call, queued: Effect.Effect<void>) {
    silent.set(call, { at: (yield* Clock.currentTimeMillis) + progressEvery, queued })
    if (!isWatched) yield* Effect.forkIn(watch, scope)
    isWatched = true
    yield* Deferred.await(call.granted)
  })
  const release = (call: Call) =>
    Effect.suspend(() => {
      const now = Effect.sync(() => {
        running.delete(call)
        grant()
      })
      const waiter = call.stage === "task" ? next() : undefined
      const isKept = waiter !== undefined && call.step < waiter.step
      return isKept ? Effect.asVoid(Effect.forkIn(Effect.delay(now, toolsTake), scope)) : now
    })

  return (urgency, effect, queued = Effect.void) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const call = callOf(urgency)
        waiting.set(call.rank, (waiting.get(call.rank) ?? new Set()).add(call))
        grant()
        return Effect.suspend(() => (running.has(call) ? Effect.void : restore(wait(call, queued)))).pipe(
          // A slot may be given at the moment of an interruption: it must not get lost.
          Effect.onError(() => (leave(call) ? Effect.void : release(call))),
          Effect.andThen(Effect.ensuring(restore(effect), release(call)))
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
      const { parallel } = yield* RunSettings
      return ModelSlots.of({ withSlot: makeSlots(parallel, yield* Effect.scope) })
    })
  )
}
