/**
 * Reads one answer of a model while it is written: collects it, passes it to a listener, and stops as soon as it cannot
 * become a usable answer. Leaving the stream closes the request.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Schema from "effect/Schema"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type * as Tool from "effect/ai/Tool"
import {
  type AnswerShape,
  AnswerWatch,
  type Hopelessness,
  longestPreamble
} from "../../domain/documents/AnswerWatch.ts"
import {
  ModelAnswer,
  ModelError,
  type ModelErrorReason,
  type Usage,
  type AskedCall
} from "../../domain/models/ModelAnswer.ts"
import { estimateTokens, type FilledPrompt, type TokenScale } from "../../domain/models/PromptSize.ts"
import { splitLoneClosing, ThinkingSplit, type WrittenPiece } from "../../domain/models/ThinkingSplit.ts"
import { openAnswer, type Talk } from "./ConversationPrompt.ts"
import { fromAiError } from "../providers/ModelErrors.ts"
import type { UsageMeter } from "../runs/UsageMeter.ts"

/** A complete answer. */
export interface Received {
  readonly text: string
  readonly thinking: string
  /** About how many tokens were thought. */
  readonly thinkingTokens: number
  readonly calls: ReadonlyArray<AskedCall>
  readonly promptTokens: number | undefined
  /** True when the server reports the cached part of the prompt, so that the count covers the whole prompt. */
  readonly isWholeCount: boolean
  readonly cutOff: boolean
  readonly usage: Usage
}

export interface ReadOptions {
  /** For messages. */
  readonly server: { readonly host: string; readonly model: string }
  readonly meter: UsageMeter["Service"]
  readonly shape?: AnswerShape
  readonly talk?: Talk
  readonly listen?: (delta: string) => void
  /** How many tokens the model may think, and how many characters a token has. */
  readonly thinking?: { readonly tokens: number; readonly scale: TokenScale }
  /** Runs when the first part of the answer arrives. */
  readonly arrived?: Effect.Effect<void>
  /** Runs when the model begins to think, and when it begins to write after that. */
  readonly entered?: (phase: Phase) => Effect.Effect<void>
}

export type Phase = "thinking" | "writing"

/** What an answer consists of so far, with thoughts apart. */
class Writing {
  text = ""
  thinking = ""
  readonly calls: Array<AskedCall> = []
  /** Absent until the model thinks: a model that only writes has no phases. */
  phase: Phase | undefined
  readonly #split = new ThinkingSplit()
  readonly #watch: AnswerWatch
  readonly #options: Pick<ReadOptions, "listen" | "thinking">

  constructor({ listen, shape, thinking }: ReadOptions) {
    this.#watch = new AnswerWatch(shape)
    this.#options = { ...(listen === undefined ? {} : { listen }), ...(thinking === undefined ? {} : { thinking }) }
  }

  get thinkingTokens(): number {
    return estimateTokens(this.thinking, this.#options.thinking?.scale)
  }

  /** Takes text as the server sent it, in which thoughts may stand in tags. */
  addText(delta: string): ModelErrorReason | undefined {
    return this.#add(this.#split.add(delta))
  }

  addThinking(delta: string): ModelErrorReason | undefined {
    return this.#add([{ kind: "thinking", text: delta }])
  }

  #add(pieces: ReadonlyArray<WrittenPiece>): ModelErrorReason | undefined {
    for (const { kind, text } of pieces) {
      const found = kind === "text" ? this.#write(text) : this.#think(text)
      if (found !== undefined) return found
    }
    return undefined
  }

  #write(delta: string): ModelErrorReason | undefined {
    if (this.phase !== undefined && delta.trim() !== "") this.phase = "writing"
    this.text += delta
    this.#options.listen?.(delta)
    return this.#hopeless(this.#watch.text(delta))
  }

  #think(delta: string): ModelErrorReason | undefined {
    this.thinking += delta
    // Some models write an empty block of thoughts when they are asked not to think.
    if (this.text.trim() === "" && this.thinking.trim() !== "") this.phase = "thinking"
    const { tokens = Infinity } = this.#options.thinking ?? {}
    const thought = this.thinkingTokens
    // A document may have begun in thoughts that are never closed; the length of the answer ends it.
    if (thought > tokens && !this.#split.hasHeading) return { _tag: "ThinkingCutOff", tokens: thought }
    return this.#hopeless(this.#watch.thinking(delta))
  }

  #hopeless(found: Hopelessness | undefined): ModelErrorReason | undefined {
    if (found === undefined) return undefined
    return { _tag: "Hopeless", kind: found.kind, detail: detailOf(found), partial: this.text }
  }

  /** Takes what is left when the answer has ended. */
  end(): void {
    const { answer, pieces } = this.#split.end()
    this.#add(pieces)
    if (answer !== "") {
      this.thinking = this.thinking.slice(0, -answer.length)
      this.text += answer
      this.#options.listen?.(answer)
    }
    const lone = splitLoneClosing(this.text)
    this.thinking += lone.thinking
    this.text = lone.text
  }
}

/** Plain JSON; arguments that are absent or not JSON become an empty object. */
const jsonOf = (params: unknown): Schema.Json => JSON.parse(JSON.stringify(params) ?? "{}")

const quoted = (unit: string): string => (unit.length > 120 ? `${unit.slice(0, 120)}...` : unit)

const detailOf = (found: Hopelessness): string =>
  found.kind === "loop"
    ? `it repeated "${quoted(found.unit)}" ${found.times} times`
    : `after ${longestPreamble} characters it had no heading, code block or field of the document that begins with "${found.begins}"`

/**
 * Fails with the cause when the answer breaks off, or with `Hopeless` or `ThinkingCutOff` when it was stopped. The error
 * holds the partial text.
 */
export const readAnswer = Effect.fn("readAnswer")(function* (
  model: LanguageModel.LanguageModel,
  prompt: FilledPrompt,
  options: ReadOptions
): Effect.fn.Return<Received, ModelError> {
  const { arrived = Effect.void, entered = () => Effect.void, meter, server, talk } = options
  const started = yield* Clock.currentTimeMillis
  const writing = new Writing(options)
  let finish: Response.FinishPart | undefined
  let hasArrived = false

  const take = (part: Response.StreamPart<Record<string, Tool.Any>, "deferred">): ModelErrorReason | undefined => {
    switch (part.type) {
      case "text-delta":
        return writing.addText(part.delta)
      case "reasoning-delta":
        return writing.addThinking(part.delta)
      case "tool-call":
        writing.calls.push({ id: part.id, name: part.name, arguments: jsonOf(part.params) })
        return undefined
      case "finish":
        finish = part
        return undefined
      default:
        return undefined
    }
  }
  const usageOf = Effect.gen(function* () {
    const durationMs = (yield* Clock.currentTimeMillis) - started
    const promptTokens = finish?.usage.inputTokens.total
    const answerTokens = finish?.usage.outputTokens.total
    const usage: Usage = {
      durationMs,
      ...(promptTokens === undefined ? {} : { promptTokens }),
      ...(answerTokens === undefined ? {} : { answerTokens })
    }
    yield* meter.modelCall(usage)
    return usage
  })

  yield* openAnswer(model, prompt, talk).pipe(
    Stream.mapError((error) => fromAiError(error, { ...server, partial: writing.text })),
    Stream.runForEach(
      Effect.fnUntraced(function* (part) {
        if (!hasArrived) yield* arrived
        hasArrived = true
        const { phase } = writing
        const reason = take(part)
        if (writing.phase !== undefined && writing.phase !== phase) yield* entered(writing.phase)
        if (reason === undefined) return
        yield* usageOf
        return yield* new ModelError({ reason })
      })
    )
  )
  writing.end()
  const usage = yield* usageOf
  const { calls, text, thinking, thinkingTokens } = writing
  return {
    text,
    thinking,
    thinkingTokens,
    calls,
    promptTokens: usage.promptTokens,
    isWholeCount: finish?.usage.inputTokens.cacheRead !== undefined,
    cutOff: finish?.reason === "length",
    usage
  }
})

/** The answer, unless it is cut off, empty or only thinking; an answer with calls needs no text. */
export const usableAnswer = ({
  calls,
  cutOff,
  isWholeCount,
  text,
  thinking,
  thinkingTokens,
  usage
}: Received): Effect.Effect<ModelAnswer, ModelError> => {
  const hasOnlyThought = thinking.trim() !== "" && text.trim() === "" && calls.length === 0
  const reason: ModelErrorReason | undefined = cutOff
    ? hasOnlyThought
      ? { _tag: "ThinkingCutOff", tokens: thinkingTokens }
      : { _tag: "CutOff", partial: text }
    : text.trim() !== "" || calls.length > 0
      ? undefined
      : thinking.trim() === ""
        ? { _tag: "EmptyAnswer" }
        : { _tag: "ThinkingOnly", thinking }
  if (reason !== undefined) return Effect.fail(new ModelError({ reason }))
  const more = { ...(calls.length === 0 ? {} : { calls }), ...(isWholeCount ? { isWholeCount } : {}) }
  return Effect.succeed(new ModelAnswer({ text, thinking, usage, ...more }))
}
