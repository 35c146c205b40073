/**
 * Sends one prompt once: measures it, plans the settings, reads the answer, and learns from its token counts.
 * `ModelCaller` decides about retries.
 */
import * as Effect from "effect/Effect"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Stream from "effect/Stream"
import type { AnswerShape } from "../../domain/documents/AnswerWatch.ts"
import type { ConversationCall } from "../../domain/models/ConversationMessage.ts"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import { type ModelAnswer, ModelError } from "../../domain/models/ModelAnswer.ts"
import { generationFor, stageModel, type Think } from "../../domain/models/Generation.ts"
import {
  estimatePrompt,
  type FilledPrompt,
  fitsWindow,
  fittingPrompt,
  largestParts,
  neededTokens
} from "../../domain/models/PromptSize.ts"
import type { CountVerdict } from "../../domain/models/TokenCounts.ts"
import { readAnswer, type ReceivedPart, usableAnswer } from "./AnswerStream.ts"
import {
  windowTooSmallNote,
  firstTuning,
  planCall,
  type CallPlan,
  type Thinking,
  type Tuning,
  makeThinking,
  refusalNote
} from "./CallPlan.ts"
import { CurrentServer, type ModelFacts } from "../providers/Provider.ts"
import type { Bound } from "../providers/CallOptions.ts"
import type { RequestNotice } from "../providers/RequestFit.ts"
import { TokenCalibration } from "./TokenCalibration.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { type CallLife, makeHeartbeat } from "./CallHeartbeat.ts"
import type { ServerWait } from "./ServerWait.ts"
import { textRequest } from "./TextRequest.ts"
import { makeModelNotes, type ModelNotes } from "./ModelNotes.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"

export type { Bound } from "../providers/CallOptions.ts"

export interface ModelRequest {
  readonly id: ModelCallId
  readonly prompt: FilledPrompt
  /** A conversation that is sent in place of the prompt. The prompt then only serves to estimate tokens. */
  readonly conversation?: ConversationCall
  /** The step of the task; see `Urgency`. */
  readonly step: number
  /** The model that a skill chose. If absent, the stage or the run decides. */
  readonly model?: string
  /** The JSON schema that the answer must fit. */
  readonly format?: object
  /** The form that the server makes the answer follow, if the server is able to do this. */
  readonly bound?: Bound
  /** The expected document. An answer is stopped as soon as it can no longer become this document. */
  readonly shape?: AnswerShape
  /** Called at the beginning of the call and again at each retry. Returns a listener for the text of this answer. */
  readonly listen?: () => (delta: string) => void
  /** What was wrong with earlier answers to the same prompt, if anything. */
  readonly tuning?: Tuning
}

/** The model of a call. `window` is the window of the run, or a smaller one if the model supports less. */
interface Target {
  readonly name: string
  readonly facts: ModelFacts
  readonly window: number
  /** True if no other call is in progress. */
  readonly isAlone?: boolean
}

/** The earlier tries of a call, and whether it waits for the server. */
export interface Tries {
  readonly retried: number
  /** How often the call was retried for each reason. Each reason has its own limit. */
  readonly byReason: ReadonlyMap<string, number>
  readonly isWaiting: boolean
  readonly after?: string
  /** True if the call must run alone, without any other call at the same time. */
  readonly isAlone?: boolean
}

/**
 * An error about a full window becomes `ContextOverflow` if no other call shares the window. The prompt itself is then
 * too long. Other errors stay unchanged.
 */
const asOverflow = (error: ModelError, { isAlone = false, window }: Target, estimated: number): ModelError => {
  const { reason } = error
  const isFull = isAlone && reason._tag === "Busy" && reason.isShared === true && /context size/i.test(reason.detail)
  return isFull ? new ModelError({ reason: { _tag: "ContextOverflow", estimated, window, isRefused: true } }) : error
}

const smallerWindowNote = (model: string, window: number, ours: number): string =>
  `The server has a window of ${window} tokens for ${model}, and contextWindow is ${ours}: prompts are cut to the smaller one. Set contextWindow to ${window}, or load the model with a larger window.`

const unclearCount = (counted: number, estimated: number): string =>
  `The model server counted ${counted} tokens for a prompt of about ${estimated}. Either it leaves out what it had in its cache (Ollama 0.30), or its window is smaller than contextWindow and it dropped the front of the prompt. Look at "ollama ps" for the window.`

/**
 * The form that the server forces on the answer. None if the model thinks or makes native calls, which a form would
 * prevent.
 */
const boundOf = ({ bound = {}, conversation }: ModelRequest, { facts }: Target, thinks: boolean): Bound => {
  if (thinks || (conversation?.tools.length ?? 0) > 0) return {}
  const { format, grammar } = bound
  return grammar !== undefined && facts.takesGrammar === true ? { grammar } : format === undefined ? {} : { format }
}

interface PlannedCall {
  readonly planned: CallPlan
  readonly bound: Bound
  readonly noticed: (notice: RequestNotice) => void
}

type Learning = Effect.Success<ReturnType<typeof makeLearning>>
type Targets = Effect.Success<ReturnType<typeof makeTargets>>

/** Learns from answers and refusals how many tokens prompts have, and for which models all calls share one window. */
const makeLearning = Effect.fnUntraced(function* (notes: ModelNotes) {
  const calibration = yield* TokenCalibration
  /** The models whose parallel calls share one window. */
  const sharing = new Set<string>()

  /** The error for a prompt that does not fit. `counted` is the server's token count, if known. */
  const overflow = (prompt: FilledPrompt, { name, window }: Target, estimated: number, counted?: number) => {
    const parts = largestParts(prompt, calibration.scale(name))
    return new ModelError({
      reason: { _tag: "ContextOverflow", estimated, window, ...(counted === undefined ? {} : { counted }), parts }
    })
  }

  /** Learns from the server's token count for a prompt, if the answer has one. */
  const learn = (
    { prompt: { system, user } }: ModelRequest,
    { name, window }: Pick<Target, "name" | "window">,
    { isWholeCount: isWhole = false, usage: { promptTokens: counted } }: ModelAnswer
  ): Effect.Effect<CountVerdict> =>
    counted === undefined
      ? Effect.succeed("plausible")
      : calibration.record(name, { prompt: system + user, counted, isWhole, window })

  /**
   * Learns from a prompt that the server refused as too long. If the server gave no token count, the prompt counts as
   * longer than the window. No other call starts before the estimates are corrected, because the failed call still
   * holds its slot. If the server's window is smaller than configured, estimates grow in proportion.
   */
  const learnRefusal = Effect.fnUntraced(function* (
    { prompt: { system, user } }: ModelRequest,
    { name, window }: Target,
    { isTooLong, reason }: ModelError
  ) {
    if (reason._tag === "Busy" && reason.isShared === true) sharing.add(name)
    if (!isTooLong || reason._tag !== "ContextOverflow") return
    const counted = Math.max(reason.estimated, reason.window + 1)
    const share = reason.window > 0 && reason.window < window ? window / reason.window : 1
    calibration.refused(name, { prompt: system + user, counted: Math.ceil(counted * share) })
    if (share > 1) yield* notes.once("window", "warning", smallerWindowNote(name, reason.window, window))
  })

  /** Fails if the server answered without reading the whole prompt. */
  const check = Effect.fnUntraced(function* (request: ModelRequest, target: Target, answer: ModelAnswer) {
    const counted = answer.usage.promptTokens ?? 0
    const estimated = estimatePrompt(request.prompt, calibration.scale(target.name))
    const verdict = yield* learn(request, target, answer)
    if (verdict === "overflow") return yield* overflow(request.prompt, target, estimated, counted)
    if (verdict === "unclear") yield* notes.once("count", "warning", unclearCount(counted, estimated))
  })

  return { check, learn, learnRefusal, overflow, sharesWindow: (name: string) => sharing.has(name) }
})

/** Chooses the model and the settings of calls. */
const makeTargets = Effect.fnUntraced(function* (thinking: Thinking, { sharesWindow }: Learning) {
  const calibration = yield* TokenCalibration
  const settings = yield* RunSettings
  const { facts: factsOf, serves = () => true } = yield* CurrentServer

  /** The model that a skill or a stage chose, if the server of the run has it. Otherwise the model of the run. */
  const nameOf = ({ id, model = stageModel(settings, id.stage) }: ModelRequest): string =>
    model !== undefined && serves(model) ? model : settings.model

  const targetOf = Effect.fnUntraced(function* (request: ModelRequest) {
    const name = nameOf(request)
    const facts = yield* factsOf(name)
    return { name, facts, window: Math.min(settings.contextWindow, facts.capacity.supportedWindow ?? Infinity) }
  })

  const planOf = ({ id, prompt, tuning = firstTuning }: ModelRequest, { facts, name, window }: Target) =>
    planCall(settings, thinking, {
      model: name,
      facts,
      stage: id.stage,
      tuning,
      promptTokens: neededTokens(prompt, calibration.scale(name)),
      contextWindow: window
    })

  const needs = Effect.fnUntraced(function* (request: ModelRequest) {
    const target = yield* targetOf(request)
    const { facts, name, window } = target
    return {
      tokens: neededTokens(request.prompt, calibration.scale(name)) + planOf(request, target).settings.maxTokens,
      pool: () => facts.capacity.pool ?? (sharesWindow(name) ? window : undefined),
      mayWait: (facts.capacity.slots ?? 0) <= settings.parallel
    }
  })

  return { nameOf, needs, planOf, targetOf }
})

/**
 * Sends the request. Tool calls are returned, but not run, because the gate decides about them first. An empty toolkit
 * would refuse any call, so a request without tools gets no toolkit.
 */
const streamOf = (
  model: LanguageModel.LanguageModel,
  filled: FilledPrompt,
  conversation: ConversationCall | undefined
): Stream.Stream<ReceivedPart, AiError.AiError> => {
  const { prompt, toolkit } = textRequest(filled, conversation)
  return toolkit === undefined
    ? model.streamText({ prompt })
    : model.streamText({ prompt, toolkit, disableToolCallResolution: true, toolCallValidation: "deferred" })
}

/** Reads the answer to a planned call while the model writes it. */
const makeReading = Effect.fnUntraced(function* (server: ServerWait, thinking: Thinking) {
  const calibration = yield* TokenCalibration
  const events = yield* RunEvents
  const languageModel = yield* LanguageModel.LanguageModel
  const meter = yield* UsageMeter
  const settings = yield* RunSettings

  return (
    { conversation, format, id, listen, prompt, shape }: ModelRequest,
    { name, window }: Target,
    { bound, noticed, planned }: PlannedCall
  ) =>
    (life: CallLife) => {
      const onText = listen?.()
      const scale = calibration.scale(name)
      return readAnswer(streamOf(languageModel, prompt, conversation), {
        onPart: life.onPart,
        server: { host: settings.host, model: name, promptTokens: neededTokens(prompt, scale), window },
        meter,
        thinking: { tokens: planned.thinkingTokens, scale },
        arrived: server.reached,
        entered: (phase) =>
          Effect.suspend(() => {
            life.entered(phase)
            if (phase === "thinking") thinking.seen(name, planned.settings.think)
            return events.publish({ type: "model.phase", call: id, phase })
          }),
        listen: (piece) => {
          life.wrote(piece)
          onText?.(piece)
        },
        settings: {
          ...planned.settings,
          model: name === settings.model ? undefined : name,
          bound: { grammar: bound.grammar, format: format ?? bound.format },
          connected: life.connected,
          noticed
        },
        shape
      })
    }
})

const makePlannedSend = Effect.fnUntraced(function* (
  server: ServerWait,
  thinking: Thinking,
  notes: ModelNotes,
  learning: Learning,
  { planOf }: Targets
) {
  const calibration = yield* TokenCalibration
  const events = yield* RunEvents
  const settings = yield* RunSettings
  const reading = yield* makeReading(server, thinking)
  const withHeartbeat = yield* makeHeartbeat(events, settings.parallel)
  /** The models whose server refused a grammar or JSON schema for the answer. */
  const unbound = new Set<string>()

  /**
   * Sends a planned call. If the server refuses a setting for thoughts, remembers this and sends the call again without
   * it.
   */
  const sendPlanned = Effect.fnUntraced(function* (
    request: ModelRequest,
    target: Target,
    refused?: Think
  ): Effect.fn.Return<ModelAnswer, ModelError> {
    const { id, prompt } = request
    const { name, window } = target
    const before = notes.answeredAt(name)
    const scale = calibration.scale(name)
    const planned = planOf(request, target)
    const bound = unbound.has(name) ? {} : boundOf(request, target, planned.thinks)
    const isBound = bound.grammar !== undefined || bound.format !== undefined
    if (planned.isWindowTooSmall) yield* notes.once("window", "info", windowTooSmallNote(window))
    const notices: Array<RequestNotice> = []
    const emitNotices = Effect.suspend(() =>
      Effect.forEach(notices.splice(0), ({ level, text }) => notes.once(text, level, text), { discard: true })
    )
    const sendWithout = Effect.fnUntraced(function* (error: ModelError) {
      const { think } = planned.settings
      const detail = error.what
      if (think === undefined) return yield* new ModelError({ reason: { _tag: "Refused", detail } })
      if (think === refused) return yield* error
      // A refusal is reported only if the user's settings chose the refused value. After thoughts were cut off, the
      // program chooses the value.
      const isReported = think === generationFor(settings, id.stage).think
      if (thinking.refuse(name, think) && isReported) {
        yield* events.publish({ type: "message", level: "warning", text: refusalNote(name, think, detail) })
      }
      return yield* sendPlanned(request, target, think)
    })
    const sendUnbound = Effect.suspend(() => {
      unbound.add(name)
      return sendPlanned(request, target, refused)
    })
    const { charactersPerToken } = scale
    const reportsText = id.stage === "conclude"
    const followed = { call: id, model: name, limits: planned.settings.seconds, charactersPerToken, reportsText }
    const read = reading(request, target, { bound, planned, noticed: (notice) => notices.push(notice) })
    return yield* withHeartbeat(followed, read).pipe(
      Effect.ensuring(emitNotices),
      Effect.tap(({ usage }) => notes.load(name, before, usage)),
      Effect.tap((answer) => learning.check(request, target, answer)),
      Effect.flatMap(usableAnswer),
      Effect.mapError((error) => asOverflow(error, target, neededTokens(prompt, scale))),
      Effect.tapError((error) => learning.learnRefusal(request, target, error)),
      Effect.catchIf(({ reason }) => reason._tag === "ThinkingRefused", sendWithout),
      Effect.catchIf(
        ({ reason }) => isBound && reason._tag === "Refused",
        () => sendUnbound
      )
    )
  })

  return sendPlanned
})

/** Sends the calls of a run. What the program learns about a model from one call applies to later calls. */
export const makeCallAttempts = Effect.fnUntraced(function* (server: ServerWait) {
  const calibration = yield* TokenCalibration
  const events = yield* RunEvents
  const settings = yield* RunSettings
  const thinking = makeThinking()
  const notes = yield* makeModelNotes
  const learning = yield* makeLearning(notes)
  const targets = yield* makeTargets(thinking, learning)
  const { nameOf, needs, targetOf } = targets
  const sendPlanned = yield* makePlannedSend(server, thinking, notes, learning, targets)

  /**
   * Sends the prompt once, and reports the start of the call. If the call waited for the server, its start has been
   * reported before.
   */
  const send = Effect.fnUntraced(function* (request: ModelRequest, { after, isAlone, isWaiting, retried }: Tries) {
    const { id, prompt } = request
    const target = yield* targetOf(request)
    const { facts, name } = target
    if (facts.isKnown) server.noteAnswered()
    const scale = calibration.scale(name)
    if (!fitsWindow(prompt, target.window, scale))
      return yield* learning.overflow(prompt, target, neededTokens(prompt, scale))
    if (!isWaiting) {
      yield* events.publish({
        type: "model.started",
        call: id,
        ...(name === settings.model ? {} : { model: name }),
        estimatedTokens: estimatePrompt(prompt, scale),
        ...(retried === 0 ? {} : { retry: retried }),
        ...(after === undefined ? {} : { after })
      })
    }
    return yield* sendPlanned(request, { ...target, isAlone: isAlone === true })
  })

  return {
    /** The request with its whole prompt if that fits the window, otherwise with its shorter form. */
    fitted: (request: ModelRequest): ModelRequest => {
      calibration.expect(request.prompt.system + request.prompt.user)
      const scale = calibration.scale(nameOf(request))
      return { ...request, prompt: fittingPrompt(request.prompt, settings.contextWindow, scale) }
    },
    learn: (request: ModelRequest, answer: ModelAnswer) =>
      learning.learn(request, { name: nameOf(request), window: settings.contextWindow }, answer),
    needs,
    send
  }
})
