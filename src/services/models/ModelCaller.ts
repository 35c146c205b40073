/**
 * One model call from prompt to answer: in a slot of its own, sent again when that may help, run as one activity, and
 * published as events. Every stage calls the model through this service.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { activityName, modelCallKey } from "../../domain/runs/ActivityKey.ts"
import { ModelAnswer, ModelError, type ModelErrorReason } from "../../domain/models/ModelAnswer.ts"
import { Activities } from "../journal/Activities.ts"
import { hashOf } from "../files/Hash.ts"
import { Journal } from "../journal/Journal.ts"
import { makeCallAttempts, type ModelRequest } from "./CallAttempt.ts"
import { ModelSlots } from "./ModelSlots.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeServerWait } from "./ServerWait.ts"

/** How often a call is retried, and the delay before the first retry; the delay doubles. */
const retriesOf = (reason: ModelErrorReason): { readonly times: number; readonly wait: Duration.Duration } => {
  switch (reason._tag) {
    case "Busy":
      return { times: 3, wait: Duration.seconds(1) }
    case "Unreachable":
      return { times: 2, wait: Duration.millis(250) }
    case "DiedMidStream":
      return { times: 1, wait: Duration.millis(250) }
    default:
      return { times: 0, wait: Duration.zero }
  }
}

/** Errors that do not show that the server answers; a prompt that is too large may never have been sent. */
const saysNothing: ReadonlySet<string> = new Set(["Unreachable", "Busy", "ContextOverflow"])

/** How often a call was sent again, and whether it waits for the server. */
interface Tries {
  readonly retried: number
  readonly isWaiting: boolean
}

export class ModelCaller extends Context.Service<
  ModelCaller,
  {
    /**
     * Sends one prompt and waits for the whole answer. An answer that is empty, cut off or hopeless is an error, and so
     * is a prompt that the window cannot hold, before it is sent or by what the server counted. A prompt that has a lighter
     * form is sent in that form when the window cannot hold the whole.
     */
    ask(request: ModelRequest): Effect.Effect<ModelAnswer, ModelError>
  }
>()("task-conductor/services/models/ModelCaller") {
  static readonly layer = Layer.effect(
    ModelCaller,
    Effect.gen(function* () {
      const activities = yield* Activities
      const journal = yield* Journal
      const slots = yield* ModelSlots
      const events = yield* RunEvents
      const { limits } = yield* RunSettings
      const server = yield* makeServerWait(events, limits.serverWaitSeconds)
      const attempts = yield* makeCallAttempts(server)

      /** Decides about a failed call: it waits for the server, is sent again after a delay, or has failed. */
      const sendAgain = Effect.fnUntraced(function* (request: ModelRequest, error: ModelError, tries: Tries) {
        const failed = (reason: ModelError, willRetry: boolean) =>
          events.publish({
            type: "model.failed",
            call: request.id,
            reason: reason.reason._tag,
            message: reason.message,
            willRetry
          })
        if (!saysNothing.has(error.reason._tag)) yield* server.reached
        if (server.waitsFor(error)) {
          if (!tries.isWaiting) yield* failed(error, true)
          yield* server.after(error).pipe(Effect.tapError((late) => failed(late, false)))
          return yield* send(request, { ...tries, isWaiting: true })
        }
        const { times, wait } = retriesOf(error.reason)
        const willRetry = tries.retried < times
        yield* failed(error, willRetry)
        if (!willRetry) return yield* error
        yield* Effect.sleep(Duration.times(wait, 2 ** tries.retried))
        return yield* send(request, { retried: tries.retried + 1, isWaiting: false })
      })

      /** Sends the prompt. No slot is held while the call waits. */
      const send = (request: ModelRequest, tries: Tries): Effect.Effect<ModelAnswer, ModelError> =>
        (tries.isWaiting ? Effect.void : server.ready).pipe(
          Effect.andThen(
            slots.withSlot({ stage: request.id.stage, step: request.step }, attempts.send(request, tries.isWaiting))
          ),
          Effect.catchTag("ModelError", (error) => sendAgain(request, error, tries))
        )

      const ask = Effect.fn("ModelCaller.ask")(function* (asked: ModelRequest) {
        const request = attempts.fitted(asked)
        const { id, prompt } = request
        const { system, user } = prompt
        const called = { key: modelCallKey(id), input: hashOf([system, user]) }
        let isSent = false
        const execute = Effect.suspend(() => {
          isSent = true
          return Effect.andThen(
            journal.sent({ key: activityName(called), system, user }),
            send(request, { retried: 0, isWaiting: false })
          )
        })
        const answer = yield* activities.run({
          ...called,
          prompt: { system, user },
          success: ModelAnswer,
          error: ModelError,
          execute,
          tell: ({ usage }) => events.publish({ type: "model.finished", call: id, usage })
        })
        const { isWholeCount = false, usage } = answer
        /* The token count of a recorded answer calibrates the estimate like that of a new one. */
        if (!isSent && usage.promptTokens !== undefined)
          yield* attempts.learn(request, usage.promptTokens, isWholeCount)
        return answer
      })

      return ModelCaller.of({ ask })
    })
  )
}
