/**
 * An answer while it is written: its thoughts apart from its text, in fields or in tags, and the reason to stop it as
 * soon as there is one.
 */
import {
  type AnswerShape,
  AnswerWatch,
  type Unrecoverable,
  longestPreamble
} from "../../domain/documents/AnswerWatch.ts"
import type { AskedCall, ModelErrorReason } from "../../domain/models/ModelAnswer.ts"
import { estimateTokens, type TokenScale } from "../../domain/models/PromptSize.ts"
import { splitLoneClosing, ThinkingSplit, type WrittenPiece } from "../../domain/models/ThinkingSplit.ts"

export interface WritingOptions {
  /** The expected document; see `ModelRequest`. */
  readonly shape?: AnswerShape
  /** Receives the text as it arrives, without thoughts. */
  readonly listen?: (delta: string) => void
  /** How many tokens the model may think, and how many characters a token has. */
  readonly thinking?: { readonly tokens: number; readonly scale: TokenScale }
}

export type Phase = "thinking" | "writing"

const quoted = (unit: string): string => (unit.length > 120 ? `${unit.slice(0, 120)}...` : unit)

const detailOf = (found: Unrecoverable): string =>
  found.kind === "loop"
    ? `it repeated "${quoted(found.unit)}" ${found.times} times`
    : `after ${longestPreamble} characters it had no heading, code block or field of the document that begins with "${found.begins}"`

/** What an answer consists of so far, with thoughts apart. */
export class AnswerWriting {
  text = ""
  thinking = ""
  readonly calls: Array<AskedCall> = []
  /** Absent until the model thinks: a model that only writes has no phases. */
  phase: Phase | undefined
  readonly #split = new ThinkingSplit()
  readonly #watch: AnswerWatch
  readonly #options: WritingOptions

  constructor({ listen, shape, thinking }: WritingOptions) {
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
    return this.#unrecoverable(this.#watch.text(delta))
  }

  #think(delta: string): ModelErrorReason | undefined {
    this.thinking += delta
    // Some models write an empty block of thoughts when they are asked not to think.
    if (this.text.trim() === "" && this.thinking.trim() !== "") this.phase = "thinking"
    const { tokens = Infinity } = this.#options.thinking ?? {}
    const thought = this.thinkingTokens
    // A document may have begun in thoughts that are never closed; the length of the answer ends it.
    if (thought > tokens && !this.#split.hasHeading) return { _tag: "ThinkingCutOff", tokens: thought }
    return this.#unrecoverable(this.#watch.thinking(delta))
  }

  #unrecoverable(found: Unrecoverable | undefined): ModelErrorReason | undefined {
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
