/**
 * Sends one prompt once: measured before and after it is sent, planned by what is known of the model, and read while the
 * answer is written. `ModelCaller` decides what is sent again.
 */
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import type { AnswerShape } from "../../domain/documents/AnswerWatch.ts"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import { type ModelAnswer, ModelError } from "../../domain/models/ModelAnswer.ts"
import { generationFor, stageModel, type Think } from "../../domain/models/Generation.ts"
import { type FilledPrompt, neededTokens } from "../../domain/models/PromptSize.ts"
import { readAnswer, usableAnswer } from "./AnswerStream.ts"
import {
  type CallPlan,
  windowTooSmallNote,
  firstTuning,
  planCall,
  type Tuning,
  makeThinking,
  refusalNote
} from "./CallPlan.ts"
import type { ConversationCall } from "./ConversationPrompt.ts"
import { CurrentServer, type Facts } from "../providers/Provider.ts"
import { providerOf } from "../providers/providers.ts"
import { makePromptMeasure, type MeasuredFor, TokenCalibration } from "./TokenCalibration.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { type CallLife, makeHeartbeat } from "./CallHeartbeat.ts"
import type { ServerWait } from "./ServerWait.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"

export interface ModelRequest {
  readonly id: ModelCallId
  readonly prompt: FilledPrompt
  /** A conversation that is sent instead of the prompt, which then only measures it. */
  readonly conversation?: ConversationCall
  /** The step of the task; see `Urgency`. */
  readonly step: number
  /** The model of a skill that chose one; that of the stage, or of the run, when absent. */
  readonly model?: string
  /** The JSON schema that the answer has to fit; see `CallSettings`. */
  readonly format?: object
  /** The expected document; an answer that does not become one is stopped. */
  readonly shape?: AnswerShape
  /** Makes a listener for one answer, which gets the text as it arrives. A repeated request has a new listener. */
  readonly listen?: () => (delta: string) => void
  /** What went wrong with the answers before; nothing when absent. */
  readonly tuning?: Tuning
}

/** Where a call goes to; its window is that of the run, or less when the model supports less. */
interface Target extends MeasuredFor {
  /** The name, when it is not that of the run's model. */
  readonly override: string | undefined
  readonly facts: Facts
}

/** How often a call was sent again, what happened before, and whether it waits for the server. */
export interface Tries {
  readonly retried: number
  readonly isWaiting: boolean
  readonly after?: string
}

/** Makes what sends the calls of a run. What it learns about models holds for all of them. */
export const makeCallAttempts = Effect.fnUntraced(function* (server: ServerWait) {
  const languageModel = yield* LanguageModel.LanguageModel
  const events = yield* RunEvents
  const settings = yield* RunSettings
  const meter = yield* UsageMeter
  const calibration = yield* TokenCalibration
  const { facts: factsOf, serves = (model: string) => providerOf(model) === providerOf(settings.model) } =
    yield* CurrentServer
  const thinking = makeThinking()
  const withHeartbeat = yield* makeHeartbeat(events, settings.parallel)
  let isWindowReported = false

  /** The model that a skill or a stage chose instead of that of the run, if the same server has it. */
  const overrideOf = ({ id, model = stageModel(settings, id.stage) }: ModelRequest) =>
    model === undefined || model === settings.model || !serves(model) ? undefined : model
  const measure = makePromptMeasure(settings, calibration, events)

  const targetOf = (request: ModelRequest): Effect.Effect<Target> => {
    const override = overrideOf(request)
    const name = override ?? settings.model
    return Effect.map(factsOf(name), (facts) => {
      if (facts.isKnown) server.known()
      const window = Math.min(settings.contextWindow, facts.supportedWindow ?? Infinity)
      return { name, override, facts, window }
    })
  }

  /** How the call is sent beside its prompt. */
  const planOf = ({ id, prompt, tuning = firstTuning }: ModelRequest, { facts, name, window }: Target): CallPlan => {
    const promptTokens = neededTokens(prompt, calibration.scale(name))
    return planCall(settings, thinking, {
      model: name,
      facts,
      stage: id.stage,
      tuning,
      promptTokens,
      contextWindow: window
    })
  }

  const reportSmallWindow = ({ contextWindow, isWindowTooSmall }: CallPlan): Effect.Effect<void> => {
    if (!isWindowTooSmall || isWindowReported) return Effect.void
    isWindowReported = true
    return events.publish({ type: "message", level: "info", text: windowTooSmallNote(contextWindow) })
  }

  const collect = (
    request: ModelRequest,
    target: Target,
    planned: CallPlan
  ): Effect.Effect<ModelAnswer, ModelError> => {
    const { format, listen, prompt, shape, conversation } = request
    const { name, override } = target
    const scale = calibration.scale(name)
    const read = (life: CallLife) => {
      const heard = listen?.()
      return readAnswer(languageModel, prompt, {
        heard: life.heard,
        server: {
          host: settings.host,
          model: name,
          promptTokens: neededTokens(prompt, scale),
          window: planned.contextWindow
        },
        meter,
        thinking: { tokens: planned.thinkingTokens, scale },
        arrived: server.reached,
        entered: (phase) =>
          Effect.suspend(() => {
            life.entered(phase)
            if (phase === "thinking") thinking.seen(name, planned.think)
            return events.publish({ type: "model.phase", call: request.id, phase })
          }),
        listen: (piece) => {
          life.wrote(piece)
          heard?.(piece)
        },
        settings: {
          ...planned,
          model: override,
          format,
          connected: life.connected
        },
        shape,
        conversation
      })
    }
    const followed = {
      call: request.id,
      model: name,
      limits: planned.seconds,
      charactersPerToken: scale.charactersPerToken,
      reportsText: request.id.stage === "conclude"
    }
    return Effect.flatMap(withHeartbeat(followed, read), (got) =>
      Effect.andThen(measure.check(request.prompt, target, got), usableAnswer(got))
    )
  }

  /** A setting for thinking that is refused is learnt, and the call is sent without it. */
  const sendPlanned = (
    request: ModelRequest,
    target: Target,
    refused?: Think
  ): Effect.Effect<ModelAnswer, ModelError> => {
    const planned = planOf(request, target)
    const sendWithout = Effect.fnUntraced(function* (error: ModelError) {
      const { think } = planned
      const detail = error.reason._tag === "ThinkingRefused" ? error.reason.detail : ""
      if (think === undefined) return yield* new ModelError({ reason: { _tag: "Refused", detail } })
      if (think === refused) return yield* error
      const { name } = target
      // What was tried after thoughts were cut off is no setting of the person.
      const isReported = think === generationFor(settings, request.id.stage).think
      if (thinking.refuse(name, think) && isReported) {
        yield* events.publish({ type: "message", level: "warning", text: refusalNote(name, think, detail) })
      }
      return yield* sendPlanned(request, target, think)
    })
    return Effect.andThen(reportSmallWindow(planned), collect(request, target, planned)).pipe(
      Effect.catchIf(({ reason }) => reason._tag === "ThinkingRefused", sendWithout)
    )
  }

  /** Sends the prompt once. The start of a call that waited for the server was reported before. */
  const send = Effect.fnUntraced(function* (request: ModelRequest, { after, isWaiting, retried }: Tries) {
    const target = yield* targetOf(request)
    const estimatedTokens = yield* measure.fits(request.prompt, target)
    if (!isWaiting) {
      yield* events.publish({
        type: "model.started",
        call: request.id,
        ...(target.override === undefined ? {} : { model: target.override }),
        estimatedTokens,
        ...(retried === 0 ? {} : { retry: retried }),
        ...(after === undefined ? {} : { after })
      })
    }
    return yield* sendPlanned(request, target)
  })

  /** The name of the model that a request goes to. */
  const nameOf = (request: ModelRequest): string => overrideOf(request) ?? settings.model

  return {
    /** The request with the lighter form of its prompt when the window cannot hold the whole. */
    fitted: (request: ModelRequest): ModelRequest => ({
      ...request,
      prompt: measure.fitted(request.prompt, nameOf(request))
    }),
    /** Learns from the token count of an answer that was recorded. */
    learn: (request: ModelRequest, counted: number, isWhole: boolean) =>
      measure.learn(request.prompt, { name: nameOf(request), window: settings.contextWindow }, counted, isWhole),
    send
  }
})
