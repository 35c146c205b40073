/**
 * One answer of a model with its costs, and the ways in which a call can fail.
 */
import * as Schema from "effect/Schema"
import { overflowText, PartSize } from "./PromptSize.ts"

/** A native call: `arguments` is an object, or a string when the model wrote invalid JSON. */
export const AskedCall = Schema.Struct({ id: Schema.String, name: Schema.String, arguments: Schema.Json })
export type AskedCall = typeof AskedCall.Type

/** Token counts and durations (ms) of one call; absent when the server does not say. */
export const Usage = Schema.Struct({
  promptTokens: Schema.optionalKey(Schema.Int),
  /** How many of them came from the server's cache. */
  cachedTokens: Schema.optionalKey(Schema.Int),
  answerTokens: Schema.optionalKey(Schema.Int),
  /** How long the server generated the answer. */
  answerMs: Schema.optionalKey(Schema.Finite),
  /** How long the server loaded the model. */
  loadMs: Schema.optionalKey(Schema.Finite),
  durationMs: Schema.Finite
})
export type Usage = typeof Usage.Type

export const ModelAnswer = Schema.Struct({
  text: Schema.String,
  /** The thoughts of the model, apart from the answer. */
  thinking: Schema.String,
  /** Native calls instead of an answer or beside it; only in a conversation. */
  calls: Schema.optionalKey(Schema.Array(AskedCall)),
  usage: Usage,
  /** True when the server reported the count of the whole prompt, cache included. */
  isWholeCount: Schema.optionalKey(Schema.Boolean)
})
export type ModelAnswer = typeof ModelAnswer.Type

/** How long the program waited for the server, in seconds. */
const waitedSeconds = Schema.optionalKey(Schema.Int)

/** The time limit that ended a call, by its name in `limits`. */
const ReachedLimit = Schema.Struct({
  name: Schema.Literals(["connectSeconds", "firstWordSeconds", "nextWordSeconds", "callSeconds"]),
  seconds: Schema.Int
})
type ReachedLimit = typeof ReachedLimit.Type

const limit = Schema.optionalKey(ReachedLimit)

/** How often the call was sent again, up to this limit. */
const retried = Schema.optionalKey(
  Schema.Struct({ name: Schema.Literals(["busyRetries", "brokenRetries"]), times: Schema.Int })
)

/** The provider's advice for the user. */
const remedy = Schema.optional(Schema.String)

export const ModelErrorReason = Schema.TaggedUnion({
  Unreachable: { host: Schema.String, detail: Schema.String, remedy, limit, waitedSeconds },
  /** The connection to the server cannot be secure, or must be; `detail` and `remedy` are sentences. */
  NotSecure: { detail: Schema.String, remedy: Schema.String },
  /** The server runs without this model; `nearest` and `installed` are names that it has, if known. */
  ModelMissing: {
    model: Schema.String,
    detail: Schema.String,
    remedy,
    /** The command that downloads the model. */
    command: Schema.optional(Schema.String),
    nearest: Schema.optionalKey(Schema.Array(Schema.String)),
    installed: Schema.optionalKey(Schema.Array(Schema.String))
  },
  /**
   * The server refuses for now: queue full, loading, rate limited. `isOverloaded` when it reports overload. `isShared` when
   * parallel calls exceeded their shared memory or aborted each other.
   */
  Busy: {
    detail: Schema.String,
    isOverloaded: Schema.optionalKey(Schema.Boolean),
    isShared: Schema.optionalKey(Schema.Boolean),
    limit,
    retried,
    waitedSeconds
  },
  /** The server refuses permanently: bad key, bad request. `isFunction` when a function of the script replaces it and failed. */
  Refused: { detail: Schema.String, remedy, isFunction: Schema.optionalKey(Schema.Boolean) },
  /** The server or the model rejects the setting for thinking. */
  ThinkingRefused: { detail: Schema.String },
  /** The answer broke off; `partial` is kept for diagnosis and never parsed. */
  DiedMidStream: { detail: Schema.String, partial: Schema.String, limit, retried },
  EmptyAnswer: {},
  ThinkingOnly: { thinking: Schema.String },
  /** The model hit the length limit while thinking; `tokens` estimates the length of its thoughts. */
  ThinkingCutOff: { tokens: Schema.Int },
  CutOff: { partial: Schema.String },
  /** The program stopped the answer while it was written: a loop, or text that cannot become the wanted document. */
  Hopeless: {
    kind: Schema.Literals(["loop", "shape"]),
    /** The problem, as the end of a sentence. */
    detail: Schema.String,
    partial: Schema.String
  },
  /**
   * The prompt exceeds the context window. Either nothing was sent, or the server read only `counted` tokens and the answer is
   * discarded. `isRefused`: the server rejected the prompt as too long. Sizes in tokens; `parts` are the largest parts, largest first.
   */
  ContextOverflow: {
    estimated: Schema.Int,
    window: Schema.Int,
    counted: Schema.optionalKey(Schema.Int),
    isRefused: Schema.optionalKey(Schema.Boolean),
    parts: Schema.optionalKey(Schema.Array(PartSize))
  }
})
export type ModelErrorReason = typeof ModelErrorReason.Type
type ReasonOf<Tag extends ModelErrorReason["_tag"]> = Extract<ModelErrorReason, { readonly _tag: Tag }>
export type StoppedAnswer = ReasonOf<"Hopeless">

const waited = ({ waitedSeconds: seconds }: { readonly waitedSeconds?: number }): string =>
  seconds === undefined ? "" : ` The run waited ${seconds} s for it (limits.serverWaitSeconds).`

const reached = ({ limit }: { readonly limit?: ReachedLimit }): string =>
  limit === undefined
    ? ""
    : ` The limit limits.${limit.name} (${limit.seconds} s) ended the call; raise it in your configuration if the server needs more time.`

const sentAgain = ({ retried }: Pick<ReasonOf<"Busy">, "retried">): string =>
  retried === undefined ? "" : ` It was sent ${retried.times + 1} times (limits.${retried.name} is ${retried.times}).`

const listOf = (names: ReadonlyArray<string>): string =>
  names.length <= shownNames
    ? names.join(", ")
    : `${names.slice(0, shownNames).join(", ")} and ${names.length - shownNames} more`

const shownNames = 8

const missingText = (reason: ReasonOf<"ModelMissing">): string => {
  const { command, detail, installed, model, nearest = [], remedy = "Choose another one with --model." } = reason
  const what = `The model "${model}" is not on the server`
  if (installed === undefined) return `${what} (${detail}). ${remedy}`
  const [first] = nearest.length > 0 ? nearest : installed
  if (first === undefined)
    return `${what}, which has no model yet.${command === undefined ? "" : ` Get it with "${command}".`}`
  const there = nearest.length > 0 ? `. Nearest there: ${listOf(nearest)}` : `, which has: ${listOf(installed)}`
  const get = command === undefined ? "" : `, or get it with "${command}"`
  return `${what}${there}. Choose one, for example --model ${first}${get}.`
}

const reasonText = (reason: ModelErrorReason): string => {
  switch (reason._tag) {
    case "Unreachable":
      return `No model server answers at ${reason.host} (${reason.detail}). ${reason.remedy ?? "Check its address, or use --model embedded."}${reached(reason)}${waited(reason)}`
    case "NotSecure":
      return `${reason.detail}. ${reason.remedy}`
    case "ModelMissing":
      return missingText(reason)
    case "Busy":
      return `The model server cannot answer now (${reason.detail}). Try again later or lower --parallel.${reached(reason)}${sentAgain(reason)}${waited(reason)}`
    case "Refused":
      if (reason.isFunction === true) return `The function that answers for the model failed: ${reason.detail}`
      return `The model server refused the request (${reason.detail}). ${reason.remedy ?? "Check its address, its key and the model."}`
    case "ThinkingRefused":
      return `The model server refused the setting for thinking (${reason.detail}). Leave out --think and "think".`
    case "DiedMidStream":
      return `The model's answer broke off after ${reason.partial.length} characters: ${reason.detail}.${reached(reason)}${sentAgain(reason)}`
    case "EmptyAnswer":
      return "The model gave an empty answer."
    case "ThinkingOnly":
      return "The model only thought and gave no answer."
    case "ThinkingCutOff":
      return `The model was still thinking after about ${reason.tokens} tokens and gave no answer. Use --think off, or raise limits.thinkingTokens or contextWindow.`
    case "CutOff":
      return `The model's answer was cut off at its length limit after ${reason.partial.length} characters.`
    case "Hopeless":
      return `The model's answer was stopped after ${reason.partial.length} characters: ${reason.detail}.`
    case "ContextOverflow":
      return overflowText(reason)
  }
}

/** The model or its server gave no answer; `reason` says why. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", { reason: ModelErrorReason }) {
  override get message(): string {
    return reasonText(this.reason)
  }

  /** A few words for the user whose call is sent again. */
  get what(): string {
    return "detail" in this.reason ? this.reason.detail : this.message
  }

  /** True for a prompt that was too long; a shorter one may fit. */
  get isTooLong(): boolean {
    return this.reason._tag === "ContextOverflow" && this.reason.counted === undefined
  }

  /** True when later calls cannot succeed either: the run ends with exit code 5. */
  get isUnavailable(): boolean {
    return ["Unreachable", "NotSecure", "ModelMissing", "Refused"].includes(this.reason._tag)
  }

  /** True when the same request may soon succeed. */
  get isTransient(): boolean {
    return ["Unreachable", "Busy"].includes(this.reason._tag)
  }
}
