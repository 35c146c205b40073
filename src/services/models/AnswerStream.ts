/**
 * Reads the answer of a model while the model writes it. Separates thoughts, in fields or in tags, from text for the
 * listener. Stops as soon as the answer can no longer be useful. Leaving the stream closes the request.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import * as Stream from "effect/Stream"
import * as Schema from "effect/Schema"
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import type * as Tool from "effect/ai/Tool"
import {
  type AnswerShape,
  AnswerWatch,
  type Unrecoverable,
  longestPreamble
} from "../../domain/documents/AnswerWatch.ts"
import {
  type AskedCall,
  type ModelErrorReason,
  type ModelAnswer,
  ModelError,
  Usage
} from "../../domain/models/ModelAnswer.ts"
import { estimateTokens, type TokenScale } from "../../domain/models/PromptSize.ts"
import { splitLoneClosing, ThinkingSplit } from "../../domain/models/ThinkingSplit.ts"
import { type FailureContext, fromAiError } from "../providers/ModelErrors.ts"
import { CallOptions, type CallSettings } from "../providers/CallOptions.ts"
import { maxNesting, withoutDeeper } from "../../domain/text/Json.ts"
import type { UsageMeter } from "../runs/UsageMeter.ts"

interface WritingOptions {
  /** The expected document; see `ModelRequest`. */
  readonly shape?: AnswerShape
  /** Receives the text as it arrives, without thoughts. */
  readonly listen: (delta: string) => void
  /** The limit of thoughts in tokens, and the characters per token. */
  readonly thinking: { readonly tokens: number; readonly scale: TokenScale }
}

export type Phase = "thinking" | "writing"

const quoted = (unit: string): string => (unit.length > 120 ? `${unit.slice(0, 120)}...` : unit)

const detailOf = (problem: Unrecoverable): string =>
  problem.kind === "loop"
    ? `it repeated "${quoted(problem.unit)}" ${problem.times} times`
    : `after ${longestPreamble} characters it had no heading, code block or field of the document that begins with "${problem.begins}"`

/** The answer so far, with thoughts apart from text. */
class AnswerWriting {
  text = ""
  thinking = ""
  readonly calls: Array<AskedCall> = []
  /** The current phase. Absent until the model begins to think, and always for a model without thoughts. */
  phase: Phase | undefined
  readonly #split = new ThinkingSplit()
  readonly #watch: AnswerWatch
  readonly #options: WritingOptions

  constructor(options: WritingOptions) {
    this.#watch = new AnswerWatch(options.shape)
    this.#options = options
  }

  get thinkingTokens(): number {
    return estimateTokens(this.thinking, this.#options.thinking.scale)
  }

  /** Adds text from the server, perhaps with thoughts in tags. */
  addText(delta: string): ModelErrorReason | undefined {
    for (const { kind, text } of this.#split.add(delta)) {
      const found = kind === "text" ? this.#write(text) : this.addThinking(text)
      if (found !== undefined) return found
    }
    return undefined
  }

  #write(delta: string): ModelErrorReason | undefined {
    if (this.phase !== undefined && delta.trim() !== "") this.phase = "writing"
    this.text += delta
    this.#options.listen(delta)
    return this.#unrecoverable(this.#watch.text(delta))
  }

  addThinking(delta: string): ModelErrorReason | undefined {
    this.thinking += delta
    // Blanks alone do not begin the phase of thinking. Some models write an empty block of thoughts if asked not to
    // think.
    if (this.text.trim() === "" && this.thinking.trim() !== "") this.phase = "thinking"
    const thought = this.thinkingTokens
    // If the model never closes the tag of its thoughts, the thoughts may contain the document. A heading suggests
    // this, so thoughts with a heading may be as long as an answer.
    if (thought > this.#options.thinking.tokens && !this.#split.hasHeading)
      return { _tag: "ThinkingCutOff", tokens: thought }
    return this.#unrecoverable(this.#watch.thinking(delta))
  }

  /** Adds a piece of the arguments of a native call. */
  addArguments(delta: string): ModelErrorReason | undefined {
    return this.#unrecoverable(this.#watch.callArguments(delta))
  }

  #unrecoverable(found: Unrecoverable | undefined): ModelErrorReason | undefined {
    if (found === undefined) return undefined
    return { _tag: "Hopeless", kind: found.kind, detail: detailOf(found), partial: this.text }
  }

  /** Adds the text that was still held back when the answer ended. */
  end(): void {
    const { answer, pieces } = this.#split.end()
    for (const { kind, text } of pieces) {
      if (kind === "text") this.#write(text)
      else this.addThinking(text)
    }
    if (answer !== "") {
      this.thinking = this.thinking.slice(0, -answer.length)
      this.text += answer
      this.#options.listen(answer)
    }
    const lone = splitLoneClosing(this.text)
    this.thinking += lone.thinking
    this.text = lone.text
  }
}

export interface Received extends ModelAnswer {
  readonly isCutOff: boolean
  readonly thinkingTokens: number
}

const readTimes = Schema.decodeUnknownOption(Schema.Struct(Struct.pick(Usage.fields, ["answerMs", "loadMs"])))

/** How long parts of a call took, as reported. Absent if the provider does not pass these times on. */
const serverTimes = (finish: Response.FinishPart | undefined): Pick<Usage, "answerMs" | "loadMs"> =>
  Object.assign({}, ...Object.values(finish?.metadata ?? {}).flatMap((said) => Option.toArray(readTimes(said))))

interface ReadOptions extends WritingOptions {
  /** The server and the model, for error messages. */
  readonly server: Omit<FailureContext, "partial">
  readonly meter: UsageMeter["Service"]
  readonly settings: CallSettings
  /** Called for each part of the answer with the number of characters of all thoughts and text so far. */
  readonly onPart: (characters: number) => void
  /** Runs when the first part of the answer arrives. */
  readonly arrived: Effect.Effect<void>
  /** Runs when the model begins to think, and when it begins to write. */
  readonly entered: (phase: Phase) => Effect.Effect<void>
}

/** Converts arguments to plain JSON: `{}` if missing or invalid. Cuts values that are nested too deeply. */
const jsonOf = (params: unknown): Schema.Json =>
  JSON.parse(JSON.stringify(withoutDeeper(params as Schema.Json, maxNesting + 1)) ?? "{}")

export type ReceivedPart = Response.StreamPart<Record<string, Tool.Any>, "deferred">

/**
 * Reads a whole answer. Fails with the cause if the answer breaks off. Fails with `Hopeless` or `ThinkingCutOff` if the
 * program stopped the answer. The error contains the text so far.
 */
export const readAnswer = Effect.fnUntraced(function* (
  answer: Stream.Stream<ReceivedPart, AiError.AiError>,
  options: ReadOptions
): Effect.fn.Return<Received, ModelError> {
  const { arrived, entered, onPart, meter, server, settings } = options
  const started = yield* Clock.currentTimeMillis
  const writing = new AnswerWriting(options)
  /** The last piece of the answer without blanks, and how often in a row it arrived. */
  let repeated = { piece: "", times: 0 }
  let finish: Response.FinishPart | undefined
  let hasArrived = false

  const take = (part: ReceivedPart): ModelErrorReason | undefined => {
    if (part.type === "text-delta" || part.type === "reasoning-delta") {
      const piece = part.delta.trim()
      repeated = { piece, times: piece === repeated.piece ? repeated.times + 1 : 1 }
      return part.type === "text-delta" ? writing.addText(part.delta) : writing.addThinking(part.delta)
    }
    if (part.type === "tool-params-delta") return writing.addArguments(part.delta)
    if (part.type === "finish") finish = part
    if (part.type === "tool-call") {
      writing.calls.push({ id: part.id, name: part.name, arguments: jsonOf(part.params) })
    }
    return undefined
  }
  const usageOf = Effect.gen(function* () {
    const durationMs = (yield* Clock.currentTimeMillis) - started
    const promptTokens = finish?.usage.inputTokens.total
    const cachedTokens = finish?.usage.inputTokens.cacheRead
    const answerTokens = finish?.usage.outputTokens.total
    const usage: Usage = {
      ...(promptTokens === undefined ? {} : { promptTokens }),
      // Some servers do not count cached tokens as part of the prompt, and may report more cached tokens than prompt
      // tokens. Such a count is left out.
      ...(cachedTokens === undefined || cachedTokens > (promptTokens ?? 0) ? {} : { cachedTokens }),
      ...(answerTokens === undefined ? {} : { answerTokens }),
      ...serverTimes(finish),
      durationMs
    }
    yield* meter.modelCall(usage)
    return usage
  })

  const read = Effect.fnUntraced(function* (parts: ReadonlyArray<ReceivedPart>) {
    if (!hasArrived) yield* arrived
    hasArrived = true
    for (const part of parts) {
      const { phase } = writing
      const reason = take(part)
      onPart(writing.thinking.length + writing.text.length)
      if (writing.phase !== undefined && writing.phase !== phase) yield* entered(writing.phase)
      if (reason === undefined) continue
      yield* usageOf
      return yield* new ModelError({ reason })
    }
  })

  yield* answer.pipe(
    Stream.mapError((error) => fromAiError(error, { ...server, partial: writing.text, repeated })),
    Stream.runForEachArray(read),
    Effect.provideService(CallOptions, settings)
  )
  writing.end()
  const { calls, text, thinking, thinkingTokens } = writing
  return {
    text,
    thinking,
    ...(calls.length === 0 ? {} : { calls }),
    usage: yield* usageOf,
    ...(finish?.usage.inputTokens.cacheRead === undefined ? {} : { isWholeCount: true }),
    isCutOff: finish?.reason === "length",
    thinkingTokens
  }
})

/** Fails if the answer is cut off, empty, or only thoughts. An answer with calls needs no text. */
export const usableAnswer = ({
  isCutOff,
  thinkingTokens,
  ...answer
}: Received): Effect.Effect<ModelAnswer, ModelError> => {
  const { calls, text, thinking } = answer
  const isEmpty = text.trim() === "" && calls === undefined
  const hasOnlyThought = thinking.trim() !== "" && isEmpty
  if (!isCutOff && !isEmpty) return Effect.succeed(answer)
  const reason: ModelErrorReason = isCutOff
    ? hasOnlyThought
      ? { _tag: "ThinkingCutOff", tokens: thinkingTokens }
      : { _tag: "CutOff", partial: text }
    : hasOnlyThought
      ? { _tag: "ThinkingOnly", thinking }
      : { _tag: "EmptyAnswer" }
  return Effect.fail(new ModelError({ reason }))
}
