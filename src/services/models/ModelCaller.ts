/**
 * One model call from prompt to answer: measured before and after it is sent, in a slot of its own, run as one
 * activity, and published as events. Every stage calls the model through this service.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as LanguageModel from "effect/ai/LanguageModel"
import type { AnswerShape } from "../../domain/documents/AnswerWatch.ts"
import { activityName, type ModelCallId, modelCallKey } from "../../domain/runs/ActivityKey.ts"
import { ModelAnswer, ModelError, type ModelErrorReason } from "../../domain/models/ModelAnswer.ts"
import {
  type FilledPrompt,
  estimatePrompt,
  fitsWindow,
  fittingPrompt,
  largestParts,
  neededTokens
} from "../../domain/models/PromptSize.ts"
import { Activities } from "../journal/Activities.ts"
import { readAnswer, usableAnswer } from "./AnswerStream.ts"
import { hashOf } from "../files/Hash.ts"
import { Journal } from "../journal/Journal.ts"
import type { Talk } from "./ConversationPrompt.ts"
import { ModelOverride } from "../providers/ModelOverride.ts"
import { ModelSlots } from "./ModelSlots.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { TokenCalibration } from "./TokenCalibration.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"

export interface ModelRequest {
  readonly id: ModelCallId
  readonly prompt: FilledPrompt
  /** A conversation that is sent instead of the prompt, which then only measures it. */
  readonly talk?: Talk
  /** Position of the task's step from 0; 0 for stages that see the whole list. */
  readonly step: number
  /** The model of a skill that chose one; the model of the run when absent. */
  readonly model?: string
  /** The expected document; an answer that does not become one is stopped. */
  readonly shape?: AnswerShape
  /** Makes a listener for one answer, which gets the text as it arrives. A repeated request has a new listener. */
  readonly listen?: () => (delta: string) => void
}

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

const unclearCount = (counted: number, estimated: number): string =>
  `The model server counted ${counted} tokens for a prompt of about ${estimated}. Either it leaves out what it had in its cache (Ollama 0.30), or its window is smaller than contextWindow and it dropped the front of the prompt. Look at "ollama ps" for the window.`

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
      const model = yield* LanguageModel.LanguageModel
      const activities = yield* Activities
      const journal = yield* Journal
      const slots = yield* ModelSlots
      const events = yield* RunEvents
      const settings = yield* RunSettings
      const meter = yield* UsageMeter
      const calibration = yield* TokenCalibration
      const warned = yield* Ref.make(false)

      const { contextWindow: window } = settings
      /** The embedded model answers for every skill. */
      const overrideOf = ({ model }: ModelRequest) => (settings.model === "embedded" ? undefined : model)
      const nameOf = (request: ModelRequest): string => overrideOf(request) ?? settings.model

      /** The estimated size of a prompt that the window can hold. */
      const fits = Effect.fnUntraced(function* (prompt: FilledPrompt, name: string) {
        const scale = calibration.scale(name)
        const needed = neededTokens(prompt, scale)
        if (fitsWindow(prompt, window, scale)) return estimatePrompt(prompt, scale)
        return yield* new ModelError({
          reason: { _tag: "ContextOverflow", estimated: needed, window, parts: largestParts(prompt, scale) }
        })
      })

      /** Records the token count of the server for a prompt. */
      const learn = (request: ModelRequest, counted: number, isWhole: boolean) => {
        const prompt = request.prompt.system + request.prompt.user
        return calibration.record(nameOf(request), { prompt, counted, isWhole, window })
      }

      /** An answer is unusable if the server did not read the whole prompt. */
      const checkCount = Effect.fnUntraced(function* (request: ModelRequest, counted: number, isWhole: boolean) {
        const { prompt } = request
        const scale = calibration.scale(nameOf(request))
        const estimated = estimatePrompt(prompt, scale)
        const verdict = yield* learn(request, counted, isWhole)
        if (verdict === "overflow") {
          const parts = largestParts(prompt, scale)
          return yield* new ModelError({ reason: { _tag: "ContextOverflow", estimated, window, counted, parts } })
        }
        if (verdict === "unclear" && !(yield* Ref.getAndSet(warned, true))) {
          yield* events.publish({ type: "message", level: "warning", text: unclearCount(counted, estimated) })
        }
      })

      const collect = Effect.fnUntraced(function* (request: ModelRequest) {
        const { listen, prompt, shape, talk } = request
        const got = yield* readAnswer(model, prompt, {
          server: { host: settings.host, model: nameOf(request) },
          meter,
          ...(listen === undefined ? {} : { listen: listen() }),
          ...(shape === undefined ? {} : { shape }),
          ...(talk === undefined ? {} : { talk })
        }).pipe(Effect.provideService(ModelOverride, overrideOf(request)))
        if (got.promptTokens !== undefined) yield* checkCount(request, got.promptTokens, got.isWholeCount)
        return yield* usableAnswer(got)
      })

      /** Sends the prompt; after a transient failure it is sent again, and no slot is held during the delay. */
      const send = (request: ModelRequest, retried: number): Effect.Effect<ModelAnswer, ModelError> =>
        Effect.gen(function* () {
          const estimatedTokens = yield* fits(request.prompt, nameOf(request))
          const override = overrideOf(request)
          yield* events.publish({
            type: "model.started",
            call: request.id,
            ...(override === undefined ? {} : { model: override }),
            estimatedTokens
          })
          return yield* collect(request)
        }).pipe(
          (attempt) => slots.withSlot({ stage: request.id.stage, step: request.step }, attempt),
          Effect.catchTag("ModelError", (error) =>
            Effect.gen(function* () {
              const { times, wait } = retriesOf(error.reason)
              const willRetry = retried < times
              yield* events.publish({
                type: "model.failed",
                call: request.id,
                reason: error.reason._tag,
                message: error.message,
                willRetry
              })
              if (!willRetry) return yield* error
              yield* Effect.sleep(Duration.times(wait, 2 ** retried))
              return yield* send(request, retried + 1)
            })
          )
        )

      const ask = Effect.fn("ModelCaller.ask")(function* (asked: ModelRequest) {
        const prompt = fittingPrompt(asked.prompt, window, calibration.scale(nameOf(asked)))
        const request = { ...asked, prompt }
        const { id } = request
        const { system, user } = prompt
        const called = { key: modelCallKey(id), input: hashOf([system, user]) }
        let isSent = false
        const execute = Effect.suspend(() => {
          isSent = true
          return Effect.andThen(journal.sent({ key: activityName(called), system, user }), send(request, 0))
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
        if (!isSent && usage.promptTokens !== undefined) yield* learn(request, usage.promptTokens, isWholeCount)
        return answer
      })

      return ModelCaller.of({ ask })
    })
  )
}
