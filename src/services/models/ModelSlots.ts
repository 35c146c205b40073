/**
 * Keeps the model server busy, and lets at most one call wait there. At most slots + 1 calls are sent at the same time.
 * All others wait here, by priority, and for space if calls share the server's window. The extra call is answered
 * before all calls that wait here. So only a call of the earliest step may be the extra call.
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
 * The priority of a call. Stages of the whole run come first, then earlier steps. Within a step, tasks that have begun
 * come first.
 */
export interface Urgency {
  readonly stage: Stage
  /** The step of the task, from 0; 0 for stages of the whole run. */
  readonly step: number
  /** True for a later turn of a task. It comes before the first turns of other tasks. */
  readonly isBegun: boolean
  /**
   * The beginning of the prompt of the call. Calls with the same beginning follow each other if nothing else decides.
   * The server can then reuse its cache.
   */
  readonly beginning: string
  /** The tokens of prompt and answer; 0 if absent. */
  readonly tokens?: number
  /** The tokens that all sent calls may have together, as far as known. Undefined if calls do not share a window. */
  readonly pool?: () => number | undefined
  /** True for a call that must run alone. */
  readonly isAlone?: boolean
  /** False for a server that would answer the extra call at once, without a queue. */
  readonly mayWait?: boolean
}

interface Call extends Urgency {
  /** The call with the lowest rank goes first. */
  readonly rank: number
  readonly granted: Deferred.Deferred<void>
}

/** The rank of stages of the whole run. */
const beforeAll = -1

/**
 * A slot is reserved for the next turn of a task for this long if only later steps wait. In ms. Most tools take less.
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
  /** Waiting calls by rank. Within a rank, in order of arrival. */
  const waiting = new Map<number, Set<Call>>()
  const running = new Set<Call>()
  /** Waiting calls that were not yet reported, with the time to report them. In order of arrival. */
  const silent = new Map<Call, { readonly at: number; readonly queued: Effect.Effect<void> }>()
  let isWatched = false
  let lastBeginning = ""

  const mayBegin = (call: Call): boolean =>
    fitsWindow(call, running) &&
    (running.size < slots ||
      (call.mayWait !== false && running.size === slots && [...running].every((other) => call.step <= other.step)))
  /** Removes a waiting call. Returns false if the call is not waiting. */
  const leave = (call: Call): boolean => {
    const alike = waiting.get(call.rank)
    const hasLeft = alike?.delete(call) === true
    silent.delete(call)
    if (alike?.size === 0) waiting.delete(call.rank)
    return hasLeft
  }
  /** The most urgent waiting call. */
  const next = (): Call | undefined => {
    const alike = waiting.get(Math.min(...waiting.keys())) ?? []
    for (const call of alike) if (call.beginning === lastBeginning) return call
    const [first] = alike
    return first
  }
  /** Starts the most urgent waiting calls, as long as a slot is free for them. */
  const grant = (): void => {
    if (running.size > slots) return
    for (let call = next(); call !== undefined && mayBegin(call); call = next()) {
      leave(call)
      running.add(call)
      lastBeginning = call.beginning
      Deferred.doneUnsafe(call.granted, Effect.void)
    }
  }
  /** Reports calls that have waited for a moment. One fiber does this for all calls. */
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
          // An interruption may come just when the slot is granted. The slot must be released then, too.
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
     * Runs the effect in a slot. Waits for a slot without a limit. Calls `queued` after a wait of one second. An
     * interruption releases the slot.
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
