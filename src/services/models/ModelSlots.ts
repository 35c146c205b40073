/**
 * Keeps the model server busy without queueing calls in it. At most slots + 1 calls are in flight. The others wait here
 * by priority, and for free space if calls share the server's window. The extra call waits in the server, ahead of all
 * later ones. So only a call of the earliest step in flight may take that place; others would delay more urgent calls.
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
 * The priority of a call: stages of the whole run first, then earlier steps, and within a step tasks that have begun.
 */
export interface Urgency {
  readonly stage: Stage
  /** The step of the task, from 0; 0 for stages of the whole run. */
  readonly step: number
  /** True for a later turn of a task, which precedes first turns of other tasks. */
  readonly isBegun: boolean
  /**
   * The beginning of its prompt. Calls with the same beginning run in succession if nothing else decides, so that the
   * server can reuse its cache.
   */
  readonly beginning: string
  /** The tokens of prompt and answer; 0 if absent. */
  readonly tokens?: number
  /**
   * How many tokens all calls in flight may have together, as far as known. Undefined if they do not share a window.
   */
  readonly pool?: () => number | undefined
  /** True for a call that must run without others in flight. */
  readonly isAlone?: boolean
  /** False for a server that would process the extra call at once instead of queueing it. */
  readonly mayWait?: boolean
}

interface Call extends Urgency {
  /** The call with the lowest rank goes first. */
  readonly rank: number
  readonly granted: Deferred.Deferred<void>
}

/** The rank of stages of the whole run. */
const beforeAll = -1

/** How long a slot is reserved for the next turn of a task if only later steps wait, in ms. Most tools take less. */
const toolsTake = 20

const callOf = (urgency: Urgency): Call => {
  const isTask = urgency.stage === "task"
  const step = isTask ? urgency.step : 0
  const rank = isTask ? 2 * step + (urgency.isBegun ? 0 : 1) : beforeAll
  return { ...urgency, step, rank, granted: Deferred.makeUnsafe<void>() }
}

/** True if the server's window has space for a call beside those in flight. */
const fitsWindow = ({ isAlone = false, pool, tokens = 0 }: Call, running: ReadonlySet<Call>): boolean => {
  const others = [...running]
  if (others.length === 0) return true
  if (isAlone || others.some((other) => other.isAlone === true)) return false
  return others.reduce((sum, other) => sum + (other.tokens ?? 0), tokens) <= (pool?.() ?? Infinity)
}

const makeSlots = (slots: number, scope: Scope.Scope): ModelSlots["Service"]["withSlot"] => {
  /** Waiting calls by rank, in order of arrival. */
  const waiting = new Map<number, Set<Call>>()
  const running = new Set<Call>()
  /** Calls that wait without having reported it, in order of arrival, with the time to report. */
  const silent = new Map<Call, { readonly at: number; readonly queued: Effect.Effect<void> }>()
  let isWatched = false
  let lastBeginning = ""

  const mayBegin = (call: Call): boolean =>
    fitsWindow(call, running) &&
    (running.size < slots ||
      (call.mayWait !== false && running.size === slots && [...running].every((other) => call.step <= other.step)))
  /** Removes a waiting call. Returns false if it does not wait. */
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
  /** Starts waiting calls while a slot is free for the most urgent. */
  const grant = (): void => {
    if (running.size > slots) return
    for (let call = next(); call !== undefined && mayBegin(call); call = next()) {
      leave(call)
      running.add(call)
      lastBeginning = call.beginning
      Deferred.doneUnsafe(call.granted, Effect.void)
    }
  }
  /** Reports calls that have waited for a moment. One fiber serves all calls. */
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
          // A slot that is granted at the moment of an interruption must be released.
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
     * Runs the effect in a slot, waiting for one without a limit. `queued` runs after it has waited for a second. An
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
