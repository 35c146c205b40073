/**
 * Translates failures of model servers and errors of effect/ai into errors of this program. Errors of effect/ai carry a
 * failure in their metadata.
 */
import * as AiError from "effect/ai/AiError"
import { ModelError, type ModelErrorReason } from "../../domain/models/ModelAnswer.ts"
import { readServerOverflow, type ServerOverflow } from "../../domain/models/ServerOverflow.ts"
import { oneLine } from "../../domain/text/Format.ts"
import { describeFailure, endedForAnother, type ServerFailure } from "./ServerFailure.ts"

/** What the user can do about a server or a model, in one sentence for each case. */
export interface Remedies {
  readonly start: string
  readonly check: string
  readonly missing: string
  /** The command that downloads the model. */
  readonly command?: string
}

/** How errors name a server, and the advice that they give. */
export interface Spoken {
  /** The name of the provider in errors of effect/ai. */
  readonly module: string
  /** The name of the API, such as "Ollama". */
  readonly api: string
  /** What the user can do about each failure of this model. */
  readonly remedies: (model: string) => Remedies
}

/** What the caller knows about the request. `partial` is the beginning of the answer. */
export interface FailureContext {
  readonly host: string
  readonly model: string
  readonly partial: string
  /** The estimated tokens of the prompt, and the tokens of the window. Used for a server that reports no numbers. */
  readonly promptTokens?: number
  readonly window?: number
  /** The text that the model repeated at the end of its answer. */
  readonly repeated?: { readonly piece: string; readonly times: number }
}

interface Carried {
  readonly failure: ServerFailure
  readonly remedies: Remedies
}

/** The key under which an error of effect/ai contains a failure. */
const key = "task-conductor"

export const toAiError = (
  failure: ServerFailure,
  { api, module, remedies }: Spoken,
  { method, model }: { readonly method: string; readonly model: string }
): AiError.AiError =>
  AiError.make({
    module,
    method,
    reason: new AiError.InternalProviderError({
      description: describeFailure(failure, api),
      metadata: { [key]: { failure: { ...failure }, remedies: { ...remedies(model) } } }
    })
  })

/** The error in one line without a full stop, because `ModelError` continues the sentence. */
const detailOf = (reason: AiError.AiErrorReason): string => {
  const said = "description" in reason ? reason.description : undefined
  return inOneLine(said || reason.message)
}

/**
 * What a server said about a failure, in one line without a full stop. Joins all lines, because templates of models
 * give the reason only in a later line. A web page is replaced by its title.
 */
const inOneLine = (text: string): string => {
  const title = /^\s*<(?:!doctype|html)\b/i.test(text) ? /<title[^>]*>([^<]*)/i.exec(text)?.[1] : undefined
  return oneLine(title ?? text)
    .slice(0, 500)
    .replace(/\.$/, "")
}

/** Finds the name of the setting for thinking, but not a model name such as `qwen3:4b-thinking`. */
const namesThinking = /(?:^|[^-:/\w])think(?:ing)?(?![-:/\w])|\breasoning_effort\b/i

/**
 * The message of llama.cpp's server if parallel calls together exceed their shared memory. A single call may still fit.
 */
const saysShared = /Context size has been exceeded/i

/** True for a status that refuses the content of a request. */
export const refusesRequest = (status: number, said: string): boolean =>
  status === 400 || status === 422 || ((status === 500 || status === 501) && saysNever.test(said))

/** Messages that say that a request can never succeed, although the status blames the server. */
const saysNever =
  /validation errors?\b|jinja|chat[ _]template|raise_exception|failed to (?:parse|apply)|not supported|unsupported|cannot use\b|param requires/i

/** Messages of servers without enough memory for the model or its window. A retry would not help. */
const saysNoMemory =
  /out[ _-]?of[ _-]?memory|requires more (?:system |gpu |video )?memory|(?:not enough|insufficient) (?:system |gpu |video |free )?memory|(?:unable|failed) to allocate\b|runner process has terminated: signal: killed/i

/** Messages of servers that do not support tool calls. */
const refusesTools =
  /\btools?\b[^.\n]{0,60}(?:not supported|not enabled|param requires|requires|unsupported)|not support tools?\b/i

const withoutToolsRemedy = "Use --tool-calls text, which every model can, or have the server take tools."

const outOfMemory = (detail: string): ModelErrorReason => ({
  _tag: "Refused",
  detail,
  remedy:
    "The memory of its machine does not hold the model: take a smaller model, lower contextWindow or --parallel, or end other programs there."
})

/** Statuses of an overloaded server, or of a proxy while its server restarts. */
const overloadedStatus: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

/** Statuses of a web server for an unknown path. The server may then be no model server. */
const foreignStatus: ReadonlySet<number> = new Set([404, 405, 501])

/** If a model repeats the same token this many times in a row, Ollama ends the answer without its last line. */
const stoppedAfter = 30

/** Why an answer failed that the server stopped because it repeated itself. Undefined for any other answer. */
const stoppedLoop = ({ partial, repeated }: FailureContext): ModelErrorReason | undefined => {
  if (repeated === undefined || repeated.times < stoppedAfter) return undefined
  const { piece, times } = repeated
  const detail = piece === "" ? `it wrote ${times} blanks in a row` : `it repeated "${piece}" ${times} times`
  return { _tag: "Hopeless", kind: "loop", detail, partial }
}

const brokenAnswer = (detail: string, { partial }: FailureContext) => ({
  _tag: "DiedMidStream" as const,
  detail,
  partial
})

/** The reason for a refused request, if the status shows it. */
const refusal = (
  { detail: serverMessage, isMissing = false, json, status }: Extract<ServerFailure, { _tag: "BadStatus" }>,
  { check, command, missing }: Remedies,
  { host, model }: FailureContext
): ModelErrorReason => {
  const detail = `HTTP ${status}: ${inOneLine(serverMessage)}`
  if (refusesRequest(status, serverMessage) && namesThinking.test(serverMessage))
    return { _tag: "ThinkingRefused", detail }
  if (isMissing || (status === 404 && json)) {
    return { _tag: "ModelMissing", model, detail, remedy: missing, command }
  }
  if (!json && foreignStatus.has(status)) {
    return { _tag: "Refused", detail, remedy: `No model server is at ${host}: correct the address. ${check}` }
  }
  if (status >= 500 && saysNoMemory.test(serverMessage)) return outOfMemory(detail)
  if (overloadedStatus.has(status)) return { _tag: "Busy", detail, isOverloaded: true }
  if (saysShared.test(serverMessage)) return { _tag: "Busy", detail, isShared: true }
  if (status >= 500 && !saysNever.test(serverMessage)) return { _tag: "Busy", detail }
  return { _tag: "Refused", detail, remedy: refusesTools.test(serverMessage) ? withoutToolsRemedy : check }
}

/** A prompt that the server refused as too long. The sizes are estimates if the server names none. */
const overflowOf = (
  { promptTokens, window }: ServerOverflow,
  { promptTokens: estimated = 0, window: wantedWindow = 0 }: FailureContext
): ModelErrorReason => ({
  _tag: "ContextOverflow",
  estimated: promptTokens ?? estimated,
  window: window ?? wantedWindow,
  isRefused: true
})

const ofFailure = ({ failure, remedies }: Carried, detail: string, context: FailureContext): ModelErrorReason => {
  const { host, partial } = context
  const broken = brokenAnswer(detail, context)
  const remedy = remedies.start
  switch (failure._tag) {
    case "BadAddress":
      return partial === "" ? { _tag: "Unreachable", host, detail, remedy } : broken
    case "NoResponse": {
      const { hint } = failure
      const hinted = hint === undefined ? remedy : `${hint} ${remedy}`
      return partial === "" ? { _tag: "Unreachable", host, detail, remedy: hinted } : broken
    }
    case "NotSecure":
      return { _tag: "NotSecure", detail, remedy: failure.fault.remedy }
    case "BadStatus":
      return refusal(failure, remedies, context)
    case "PromptTooLong":
      return overflowOf(failure, context)
    case "ErrorLine":
      return saysShared.test(failure.detail) || failure.detail === endedForAnother
        ? { _tag: "Busy", detail, isShared: true }
        : broken
    case "BrokenOff":
      if (saysNoMemory.test(detail)) return outOfMemory(detail)
      return stoppedLoop(context) ?? broken
    case "TimedOut": {
      const { phase, seconds } = failure
      const limit = { name: `${phase}Seconds`, seconds: Math.round(seconds) } as const
      if (phase === "connect") return { _tag: "Unreachable", host, detail, remedy, limit }
      return phase === "firstWord" ? { _tag: "Busy", detail, limit } : { ...broken, limit }
    }
    default:
      return broken
  }
}

/** Errors of effect/ai name this parameter if the model is a function of the user's program. */
export const functionParameter = "function"

/** Converts the reason of an error of effect/ai to a reason of this program. Used for models of foreign providers. */
const ofReason = (reason: AiError.AiErrorReason, context: FailureContext): ModelErrorReason => {
  const detail = detailOf(reason)
  const { host, model, partial } = context
  const unlessBegun = (other: ModelErrorReason) => (partial === "" ? other : brokenAnswer(detail, context))
  switch (reason._tag) {
    case "NetworkError":
      return unlessBegun({ _tag: "Unreachable", host, detail })
    case "RateLimitError":
      return unlessBegun({ _tag: "Busy", detail, isOverloaded: true })
    case "InternalProviderError":
      if (saysNoMemory.test(detail)) return outOfMemory(detail)
      return unlessBegun({ _tag: "Busy", detail })
    case "InvalidRequestError": {
      const overflow = readServerOverflow(detail)
      if (overflow !== undefined) return overflowOf(overflow, context)
      if (reason.parameter === functionParameter) return { _tag: "Refused", detail, isFunction: true }
      return reason.parameter === "model" ? { _tag: "ModelMissing", model, detail } : { _tag: "Refused", detail }
    }
    case "InvalidResponseError":
    case "InvalidOutputError":
    case "StructuredOutputError":
      return brokenAnswer(detail, context)
    default:
      return { _tag: "Refused", detail }
  }
}

/** Turns a failed request of any provider into an error of this program. */
export const fromAiError = ({ reason }: AiError.AiError, context: FailureContext): ModelError => {
  const carried = "metadata" in reason ? (reason.metadata[key] as unknown as Carried | undefined) : undefined
  return new ModelError({
    reason: carried ? ofFailure(carried, detailOf(reason), context) : ofReason(reason, context)
  })
}

/** Turns a failed query about a server or its models into an error of this program. */
export const fromFailure = (failure: ServerFailure, { api, remedies }: Spoken, host: string, model = ""): ModelError =>
  new ModelError({
    reason: ofFailure({ failure, remedies: remedies(model) }, describeFailure(failure, api), {
      host,
      model,
      partial: ""
    })
  })
