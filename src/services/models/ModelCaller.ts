/**
 * Makes one model call, from the prompt to the answer. It waits for a slot, is retried if that may help, is recorded as
 * one activity, and emits events. Every stage calls the model through this service.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Limits, limitsOf } from "../../domain/configuration/Limits.ts"
import { activityName, type ModelCallId, modelCallKey } from "../../domain/runs/ActivityKey.ts"
import { ModelAnswer, ModelError, type ModelErrorReason } from "../../domain/models/ModelAnswer.ts"
import { progressEvery } from "../../domain/runs/RunEvent.ts"
import { Activities } from "../journal/Activities.ts"
import { promptHash } from "../files/Hash.ts"
import { Journal } from "../journal/Journal.ts"
import { makeCallAttempts, type ModelRequest, type Tries } from "./CallAttempt.ts"
import { ModelSlots } from "./ModelSlots.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeServerWait } from "./ServerWait.ts"

/**
 * How often a call is retried, and the setting that limits this. `wait` is the delay before the first retry. It doubles
 * with each retry.
 */
interface Retries {
  readonly times: number
  readonly wait: Duration.Duration
  readonly name?: "busyRetries" | "brokenRetries"
}

const retriesOf = (reason: ModelErrorReason, limits: Limits): Retries => {
  const { brokenRetries, busyRetries, unreachableRetries } = limits
  if (reason._tag === "Unreachable") return { times: unreachableRetries, wait: Duration.millis(250) }
  if (reason._tag === "Busy") {
    const wait = Duration.seconds(1)
    if (reason.limit === undefined) return { times: busyRetries, wait, name: "busyRetries" }
    return { times: brokenRetries, wait, name: "brokenRetries" }
  }
  // A call that used its whole time is not retried, because it would probably do so again.
  const isBroken = reason._tag === "DiedMidStream" && reason.limit?.name !== "callSeconds"
  if (!isBroken) return { times: 0, wait: Duration.zero }
  return { times: brokenRetries, wait: Duration.millis(250), name: "brokenRetries" }
}

const afterRetries = (error: ModelError, { name, times }: Retries): ModelError =>
  name !== undefined && times > 0 && (error.reason._tag === "Busy" || error.reason._tag === "DiedMidStream")
    ? new ModelError({ reason: { ...error.reason, retried: { name, times } } })
    : error

/** The event of a failed call. `next` contains the number of the next retry and the maximum number of retries. */
const failedEvent = (
  call: ModelCallId,
  { message, reason, what }: ModelError,
  willRetry: boolean,
  next: { readonly retry?: number; readonly retries?: number } = {}
) => ({ type: "model.failed", call, reason: reason._tag, message, willRetry, what, ...next }) as const

/**
 * Errors that do not prove that the server responds: a prompt that is too large, for example, may never have been sent.
 */
const saysNothing: ReadonlySet<string> = new Set(["Unreachable", "Busy", "ContextOverflow"])

export class ModelCaller extends Context.Service<ModelCaller>()("task-conductor/services/models/ModelCaller", {
  make: Effect.gen(function* () {
    const activities = yield* Activities
    const journal = yield* Journal
    const slots = yield* ModelSlots
    const events = yield* RunEvents
    const { limits } = yield* RunSettings
    const server = yield* makeServerWait(events, limits.serverWaitSeconds)
    const attempts = yield* makeCallAttempts(server)

    /** Handles a failed call: waits for the server, retries after a delay, or fails. */
    const sendAgain = Effect.fnUntraced(function* (request: ModelRequest, error: ModelError, tries: Tries) {
      const { id } = request
      if (!saysNothing.has(error.reason._tag)) yield* server.reached
      if (server.waitsFor(error)) {
        if (!tries.isWaiting) yield* events.publish(failedEvent(id, error, true))
        yield* Effect.tapError(server.after(error), (late) => events.publish(failedEvent(id, late, false)))
        return yield* send(request, { ...tries, isWaiting: true })
      }
      const retries = retriesOf(error.reason, limitsOf(limits, id.stage))
      const { times, wait } = retries
      const { reason } = error
      const why = `${reason._tag} ${"limit" in reason ? (reason.limit?.name ?? "") : ""}`
      const retry = (tries.byReason.get(why) ?? 0) + 1
      const willRetry = retry <= times
      const reported = willRetry ? error : afterRetries(error, retries)
      yield* events.publish(failedEvent(id, reported, willRetry, willRetry ? { retry, retries: times } : {}))
      if (!willRetry) return yield* reported
      yield* Effect.sleep(Duration.times(wait, 2 ** (retry - 1)))
      const byReason = new Map(tries.byReason).set(why, retry)
      const isAlone = error.reason._tag === "Busy" && error.reason.isShared === true
      return yield* send(request, { retried: retry, byReason, isWaiting: false, after: error.what, isAlone })
    })

    /** Sends the prompt when a slot is free. If the call waits for a slot, reports this. */
    const inSlot = Effect.fnUntraced(function* (request: ModelRequest, tries: Tries) {
      const { id, prompt, step } = request
      const isAlone = tries.isAlone === true
      const needs = yield* attempts.needs(request)
      const call = { stage: id.stage, step, isBegun: id.attempt > 1, beginning: prompt.system, isAlone, ...needs }
      const waiting = { call: id, phase: "queued", seconds: progressEvery / 1000 } as const
      const queued = events.publish({ type: "model.progress", ...waiting })
      return yield* slots.withSlot(call, attempts.send(request, tries), queued)
    })

    /** Sends the prompt. If the server does not respond, gives up the slot until it is back. */
    const send = (request: ModelRequest, tries: Tries): Effect.Effect<ModelAnswer, ModelError> =>
      (tries.isWaiting ? Effect.void : server.ready).pipe(
        Effect.andThen(inSlot(request, tries)),
        Effect.catchTag("ModelError", (error) => sendAgain(request, error, tries))
      )

    const ask = Effect.fnUntraced(function* (asked: ModelRequest) {
      const request = attempts.fitted(asked)
      const { id, prompt } = request
      const { system, user } = prompt
      const called = { key: modelCallKey(id), input: promptHash(system, user) }
      let isSent = false
      const execute = Effect.suspend(() => {
        isSent = true
        return Effect.andThen(
          journal.enqueue({ type: "prompt", key: activityName(called), system, user }),
          send(request, { retried: 0, byReason: new Map(), isWaiting: false })
        )
      })
      const answer = yield* activities.run({
        ...called,
        prompt: { system, user },
        success: ModelAnswer,
        error: ModelError,
        execute,
        emit: ({ usage }) => events.publish({ type: "model.finished", call: id, usage })
      })
      /** An answer from the journal improves the estimate of tokens, too. */
      if (!isSent) yield* attempts.learn(request, answer)
      return answer
    })

    return {
      /**
       * Sends one prompt and waits for the whole answer. Sends the shorter form of a prompt if only that fits the
       * window.
       *
       * Fails if the answer is empty, cut off or unreadable, or if the prompt does not fit the window, by the estimate
       * or by the server's count.
       */
      ask
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
