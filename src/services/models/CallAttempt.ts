/**
 * Sends one prompt once: measured before and after it is sent, planned by what is known of the model, and read while the
 * answer is written. `ModelCaller` decides what is sent again.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as LanguageModel from "effect/ai/LanguageModel"
import type { AnswerShape } from "../../domain/documents/AnswerWatch.ts"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import { type ModelAnswer, ModelError } from "../../domain/models/ModelAnswer.ts"
import { generationFor, stageModel, type Think } from "../../domain/models/Generation.ts"
import { otherModel } from "../../domain/models/ModelName.ts"
import {
  type FilledPrompt,
  estimatePrompt,
  fitsWindow,
  fittingPrompt,
  largestParts,
  neededTokens
} from "../../domain/models/PromptSize.ts"
import { readAnswer, usableAnswer } from "./AnswerStream.ts"
import type { Phase } from "./AnswerWriting.ts"
import { type CallPlan, crowdedNote, firstTuning, planCall, type Tuning } from "./CallPlan.ts"
import type { Talk } from "./ConversationPrompt.ts"
import { makeCallTimers } from "../providers/CallTimers.ts"
import { ModelFacts } from "../providers/ModelFacts.ts"
import { PromptAnswers } from "../providers/StreamedModel.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { type CallLife, makeSignsOfLife } from "./SignsOfLife.ts"
import type { ServerWait } from "./ServerWait.ts"
import { makeThinking, refusalNote } from "./Thinking.ts"
import { TokenCalibration } from "./TokenCalibration.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"

export interface ModelRequest {
  readonly id: ModelCallId
  readonly prompt: FilledPrompt
  /** A conversation that is sent instead of the prompt, which then only measures it. */
  readonly talk?: Talk
  /** Position of the task's step from 0; 0 for stages that see the whole list. */
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

/** How often a call was sent again, what happened before, and whether it waits for the server. */
export interface Tries {
  readonly retried: number
  readonly isWaiting: boolean
  readonly after?: string
}

const unclearCount = (counted: number, estimated: number): string =>
  `The model server counted ${counted} tokens for a prompt of about ${estimated}. Either it leaves out what it had in its cache (Ollama 0.30), or its window is smaller than contextWindow and it dropped the front of the prompt. Look at "ollama ps" for the window.`

/** Makes what sends the calls of a run. What it learns about models holds for all of them. */
export const makeCallAttempts = Effect.fnUntraced(function* (server: ServerWait) {
  const answerer = { model: yield* LanguageModel.LanguageModel, answers: yield* PromptAnswers }
  const events = yield* RunEvents
  const settings = yield* RunSettings
  const meter = yield* UsageMeter
  const calibration = yield* TokenCalibration
  const factsOf = yield* ModelFacts
  const thinking = makeThinking()
  const withSigns = yield* makeSignsOfLife(events, settings.slots, yield* makeCallTimers)
  const warned = yield* Ref.make(false)
  const crowded = yield* Ref.make(false)

  const overrideOf = ({ id, model = stageModel(settings.generation, id.stage) }: ModelRequest) =>
    otherModel(settings.model, model)
  const nameOf = (request: ModelRequest): string => overrideOf(request) ?? settings.model

  /** The request with the lighter form of its prompt when the window cannot hold the whole. */
  const fitted = (request: ModelRequest): ModelRequest => ({
    ...request,
    prompt: fittingPrompt(request.prompt, settings.contextWindow, calibration.scale(nameOf(request)))
  })

  /** The window of a call: that of the run, or less when the model of a skill supports less. */
  const windowOf = Effect.fnUntraced(function* (request: ModelRequest) {
    const facts = yield* factsOf(nameOf(request))
    if (facts.isKnown) yield* server.known
    return Math.min(settings.contextWindow, facts.supportedWindow ?? Infinity)
  })

  /** The estimated size of a prompt that the window can hold. */
  const fits = Effect.fnUntraced(function* (prompt: FilledPrompt, name: string, window: number) {
    const scale = calibration.scale(name)
    const needed = neededTokens(prompt, scale)
    if (fitsWindow(prompt, window, scale)) return estimatePrompt(prompt, scale)
    return yield* new ModelError({
      reason: { _tag: "ContextOverflow", estimated: needed, window, parts: largestParts(prompt, scale) }
    })
  })

  /** Records the token count of the server for a prompt. */
  const learn = (request: ModelRequest, counted: number, isWhole: boolean, window: number = settings.contextWindow) => {
    const prompt = request.prompt.system + request.prompt.user
    return calibration.record(nameOf(request), { prompt, counted, isWhole, window })
  }

  /** An answer is unusable if the server did not read the whole prompt. */
  const checkCount = Effect.fnUntraced(function* (
    request: ModelRequest,
    counted: number,
    isWhole: boolean,
    window: number
  ) {
    const { prompt } = request
    const scale = calibration.scale(nameOf(request))
    const estimated = estimatePrompt(prompt, scale)
    const verdict = yield* learn(request, counted, isWhole, window)
    if (verdict === "overflow") {
      const parts = largestParts(prompt, scale)
      return yield* new ModelError({ reason: { _tag: "ContextOverflow", estimated, window, counted, parts } })
    }
    if (verdict === "unclear" && !(yield* Ref.getAndSet(warned, true))) {
      yield* events.publish({ type: "message", level: "warning", text: unclearCount(counted, estimated) })
    }
  })

  /** How the call is sent beside its prompt. */
  const plan = Effect.fnUntraced(function* (request: ModelRequest, contextWindow: number) {
    const name = nameOf(request)
    const facts = yield* factsOf(name)
    const promptTokens = neededTokens(request.prompt, calibration.scale(name))
    const { id, tuning = firstTuning } = request
    const call = { model: name, facts, stage: id.stage, tuning, promptTokens, contextWindow }
    const planned = planCall(settings, thinking, call)
    if (planned.isCrowded && !(yield* Ref.getAndSet(crowded, true))) {
      yield* events.publish({ type: "message", level: "info", text: crowdedNote(contextWindow) })
    }
    return planned
  })

  const collect = Effect.fnUntraced(function* (request: ModelRequest, planned: CallPlan) {
    const { format, listen, prompt, shape, talk } = request
    const name = nameOf(request)
    const entered = Effect.fnUntraced(function* (phase: Phase) {
      if (phase === "thinking") thinking.seen(name, planned.think)
      yield* events.publish({ type: "model.phase", call: request.id, phase })
    })
    const scale = calibration.scale(name)
    const override = overrideOf(request)
    const read = (life: CallLife) => {
      const heard = listen?.()
      return readAnswer(answerer, prompt, {
        heard: life.heard,
        server: {
          host: settings.host,
          model: name,
          promptTokens: neededTokens(prompt, calibration.scale(name)),
          window: planned.contextWindow
        },
        meter,
        thinking: { tokens: planned.thinkingTokens, scale },
        arrived: server.reached,
        entered: (phase) =>
          Effect.andThen(
            Effect.sync(() => life.entered(phase)),
            entered(phase)
          ),
        listen: (piece) => {
          life.wrote(piece)
          heard?.(piece)
        },
        settings: {
          ...planned,
          ...(override === undefined ? {} : { model: override }),
          ...(format === undefined ? {} : { format }),
          connected: life.connected
        },
        ...(shape === undefined ? {} : { shape }),
        ...(talk === undefined ? {} : { talk })
      })
    }
    const followed = {
      call: request.id,
      model: name,
      limits: planned.seconds,
      charactersPerToken: scale.charactersPerToken,
      tellsText: request.id.stage === "conclude"
    }
    const got = yield* withSigns(followed, read)
    if (got.promptTokens !== undefined) {
      yield* checkCount(request, got.promptTokens, got.isWholeCount, planned.contextWindow)
    }
    return yield* usableAnswer(got)
  })

  /** A setting for thinking that is refused is learnt, and the call is sent without it. */
  const sendPlanned = (
    request: ModelRequest,
    window: number,
    refused?: Think
  ): Effect.Effect<ModelAnswer, ModelError> =>
    Effect.gen(function* () {
      const planned = yield* plan(request, window)
      return yield* collect(request, planned).pipe(
        Effect.catchIf(
          ({ reason }) => reason._tag === "ThinkingRefused",
          (error) =>
            Effect.gen(function* () {
              const { think } = planned
              const detail = error.reason._tag === "ThinkingRefused" ? error.reason.detail : ""
              if (think === undefined) return yield* new ModelError({ reason: { _tag: "Refused", detail } })
              if (think === refused) return yield* error
              const name = nameOf(request)
              // What was tried after thoughts were cut off is no setting of the person.
              const isTold = think === generationFor(settings.generation, request.id.stage).think
              if (thinking.refuse(name, think) && isTold) {
                yield* events.publish({ type: "message", level: "warning", text: refusalNote(name, think, detail) })
              }
              return yield* sendPlanned(request, window, think)
            })
        )
      )
    })

  /** Sends the prompt once. The start of a call that waited for the server was told before. */
  const send = Effect.fnUntraced(function* (request: ModelRequest, { after, isWaiting, retried }: Tries) {
    const window = yield* windowOf(request)
    const estimatedTokens = yield* fits(request.prompt, nameOf(request), window)
    const override = overrideOf(request)
    if (!isWaiting) {
      yield* events.publish({
        type: "model.started",
        call: request.id,
        ...(override === undefined ? {} : { model: override }),
        estimatedTokens,
        ...(retried === 0 ? {} : { retry: retried }),
        ...(after === undefined ? {} : { after })
      })
    }
    return yield* sendPlanned(request, window)
  })

  return { fitted, learn, send }
})
