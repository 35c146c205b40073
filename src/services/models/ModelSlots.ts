/**
 * Keeps the model server busy, and lets at most one call wait in the server. At most slots + 1 calls are sent at the
 * same time. All other calls wait here, by priority. If calls share the server's window, they also wait for space in
 * it.
 *
 * The extra call waits in the server, which answers it before all calls that wait here. Only a call of the earliest
 * step may therefore be the extra call.
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

/**
 * What decides the priority of a call. Stages of the whole run come first, then earlier steps. Within a step, begun
 * tasks come first.
 */
export interface Urgency {
  readonly stage: Stage
  /** The step of the task, from 0; 0 for stages of the whole run. */
  readonly step: number
  /** True for a later turn of a task. It comes before the first turns of other tasks. */
  readonly isBegun: boolean
  /**
   * The beginning of the prompt. Of equally urgent calls, those with the same beginning follow each other, so that the
   * server can reuse its cache.
   */
  readonly beginning: string
  /** The tokens of prompt and answer together; 0 if absent. */
  readonly tokens?: number
  /** How many tokens all sent calls may have together, as far as known. Undefined if calls do not share a window. */
  readonly pool?: () => number | undefined
  /** True for a call that must run alone. */
  readonly isAlone?: boolean
  /**
   * Unless this is false: if all slots are taken, one more call may be sent, and waits at the server. False for a
   * server without a queue, which would answer this call at once.
   */
  readonly mayWait?: boolean
}

interface Call extends Urgency {
  /** The call with the lowest rank goes first. */
  readonly rank: number
  readonly granted: Deferred.Deferred<void>
}

/** The rank of calls for stages of the whole run. These calls go before the calls of tasks. */
const beforeAll = -1

/**
 * For this time, in milliseconds, a slot is reserved for the next turn of a task. Calls of later steps must wait. Most
 * tools finish in this time, and the task then makes its next call.
 */
const toolsTake = 20

const callOf = (urgency: Urgency): Call => {
  const isTask = urgency.stage === "task"
  const step = isTask ? urgency.step : 0
  const rank = isTask ? 2 * step + (urgency.isBegun ? 0 : 1) : beforeAll
  return { ...urgency, step, rank, granted: Deferred.makeUnsafe<void>() }
}

/** True if the server's window has space for one more call. */
const fitsWindow = ({ isAlone = false, pool, tokens = 0 }: Call, running: ReadonlySet<Call>): boolean => {
  const others = [...running]
  if (others.length === 0) return true
  if (isAlone || others.some((other) => other.isAlone === true)) return false
  return others.reduce((sum, other) => sum + (other.tokens ?? 0), tokens) <= (pool?.() ?? Infinity)
}

const makeSlots = (slots: number, scope: Scope.Scope): ModelSlots["Service"]["withSlot"] => {
  /** Waiting calls by rank, in the order of their arrival. */
  const waiting = new Map<number, Set<Call>>()
  const running = new Set<Call>()
  /**
   * Waiting calls whose wait was not reported yet, in the order of their arrival. `at` is the time of the report, in
   * milliseconds.
   */
  const silent = new Map<Call, { readonly at: number; readonly queued: Effect.Effect<void> }>()
  let isWatched = false
  let lastBeginning = ""

  const mayBegin = (call: Call): boolean =>
    fitsWindow(call, running) &&
    (running.size < slots ||
      (call.mayWait !== false && running.size === slots && [...running].every((other) => call.step <= other.step)))
  /** Removes a waiting call. Returns false if it was not waiting. */
  const leave = (call: Call): boolean => {
    const alike = waiting.get(call.rank)
    const hasLeft = alike?.delete(call) === true
    silent.delete(call)
    if (alike?.size === 0) waiting.delete(call.rank)
    return hasLeft
  }
  /** The most urgent waiting call, preferably with the same beginning as the last one. */
  const next = (): Call | undefined => {
    const alike = waiting.get(Math.min(...waiting.keys())) ?? []
    for (const call of alike) if (call.beginning === lastBeginning) return call
    const [first] = alike
    return first
  }
  /** Starts the most urgent waiting calls while slots are free. */
  const grant = (): void => {
    if (running.size > slots) return
    for (let call = next(); call !== undefined && mayBegin(call); call = next()) {
      leave(call)
      running.add(call)
      lastBeginning = call.beginning
      Deferred.doneUnsafe(call.granted, Effect.void)
    }
  }
  /** One fiber reports all calls that have waited for one second. */
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
          // Releases the slot even if an interruption comes just when it is granted.
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
     * Runs the effect in a slot, after a wait without limit. Calls `queued` after one second. An interruption releases
     * the slot.
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
