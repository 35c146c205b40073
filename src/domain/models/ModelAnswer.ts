/** An answer of a model with its token counts and times, and the errors of a call. */
import * as Schema from "effect/Schema"
import { overflowText, PartSize } from "./PromptSize.ts"

/** A native call. `arguments` is an object, or a string if the model wrote invalid JSON. */
export const AskedCall = Schema.Struct({ id: Schema.String, name: Schema.String, arguments: Schema.Json })
export type AskedCall = typeof AskedCall.Type

/** Token counts and times (ms) of one call. A field is absent if the server does not report it. */
export const Usage = Schema.Struct({
  promptTokens: Schema.optionalKey(Schema.Int),
  /** How many prompt tokens the server took from its cache. */
  cachedTokens: Schema.optionalKey(Schema.Int),
  answerTokens: Schema.optionalKey(Schema.Int),
  /** The time in which the server generated the answer. */
  answerMs: Schema.optionalKey(Schema.Finite),
  /** The time in which the server loaded the model. */
  loadMs: Schema.optionalKey(Schema.Finite),
  durationMs: Schema.Finite
})
export type Usage = typeof Usage.Type

export const ModelAnswer = Schema.Struct({
  text: Schema.String,
  /** The thoughts of the model. They are not part of the answer. */
  thinking: Schema.String,
  /** Native calls, with or without a text. Only answers in a conversation have them. */
  calls: Schema.optionalKey(Schema.Array(AskedCall)),
  usage: Usage,
  /** True if the token count covers the whole prompt, including its cached part. */
  isWholeCount: Schema.optionalKey(Schema.Boolean)
})
export type ModelAnswer = typeof ModelAnswer.Type

/** How long the program waited for the server, in seconds. */
const waitedSeconds = Schema.optionalKey(Schema.Int)

/** The time limit that ended a call. `name` is its key in `limits`. */
const ReachedLimit = Schema.Struct({
  name: Schema.Literals(["connectSeconds", "firstWordSeconds", "nextWordSeconds", "callSeconds"]),
  seconds: Schema.Int
})
type ReachedLimit = typeof ReachedLimit.Type

const limit = Schema.optionalKey(ReachedLimit)

/** How often the program sent the call again. `name` is the key in `limits` that sets the maximum. */
const retried = Schema.optionalKey(
  Schema.Struct({ name: Schema.Literals(["busyRetries", "brokenRetries"]), times: Schema.Int })
)

/** Advice for the user about the error. */
const remedy = Schema.optional(Schema.String)

export const ModelErrorReason = Schema.TaggedUnion({
  Unreachable: { host: Schema.String, detail: Schema.String, remedy, limit, waitedSeconds },
  /** The server must be reached over a secure connection, and this failed. `detail` and `remedy` are sentences. */
  NotSecure: { detail: Schema.String, remedy: Schema.String },
  /** The server lacks this model. `nearest` and `installed` are models on the server, if known. */
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
   * The server refuses the call for now: its queue is full, it loads a model, or it limits the rate. `isOverloaded`:
   * the server reports overload. `isShared`: parallel calls exceeded their shared memory, or aborted each other.
   */
  Busy: {
    detail: Schema.String,
    isOverloaded: Schema.optionalKey(Schema.Boolean),
    isShared: Schema.optionalKey(Schema.Boolean),
    limit,
    retried,
    waitedSeconds
  },
  /**
   * The server refuses the call permanently, for example because of a wrong key. `isFunction`: a function of a script
   * answers in place of a server, and failed.
   */
  Refused: { detail: Schema.String, remedy, isFunction: Schema.optionalKey(Schema.Boolean) },
  /** The server or the model rejects the setting `think`. */
  ThinkingRefused: { detail: Schema.String },
  /** The connection broke off during the answer. `partial` is kept for diagnosis and never parsed. */
  DiedMidStream: { detail: Schema.String, partial: Schema.String, limit, retried },
  EmptyAnswer: {},
  ThinkingOnly: { thinking: Schema.String },
  /** The model was still thinking at the length limit. `tokens` is the estimated length of its thoughts. */
  ThinkingCutOff: { tokens: Schema.Int },
  CutOff: { partial: Schema.String },
  /** The answer was stopped early: it looped, or could not become the expected document. */
  Hopeless: {
    kind: Schema.Literals(["loop", "shape"]),
    /** The reason for the stop, as the end of a sentence. */
    detail: Schema.String,
    partial: Schema.String
  },
  /**
   * The prompt exceeds the context window. Sizes are in tokens.
   * - If `counted` is set, the server read only this number of tokens, and the program discards the answer.
   * - If `counted` is absent, the server rejected the prompt (`isRefused`), or the program did not send it.
   * - `parts` are the largest parts of the prompt, largest first.
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

/** Why the model or its server gave no answer. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", { reason: ModelErrorReason }) {
  override get message(): string {
    return reasonText(this.reason)
  }

  /** What went wrong, in words for the user. */
  get what(): string {
    return "detail" in this.reason ? this.reason.detail : this.message
  }

  /** True if a shorter prompt may fit. */
  get isTooLong(): boolean {
    return this.reason._tag === "ContextOverflow" && this.reason.counted === undefined
  }

  /** True if later calls cannot succeed either. The run then ends with exit code 5. */
  get isUnavailable(): boolean {
    return ["Unreachable", "NotSecure", "ModelMissing", "Refused"].includes(this.reason._tag)
  }

  /** True if the same request may succeed a little later. */
  get isTransient(): boolean {
    return ["Unreachable", "Busy"].includes(this.reason._tag)
  }
}
