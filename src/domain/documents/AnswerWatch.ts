/**
 * Watches an answer while a model writes it and reports when it cannot succeed any more: the wanted document does not
 * begin, or the model repeats itself. One watch per answer; the verdict does not depend on how the text is split into
 * deltas.
 */
import { Line } from "../markdown/Line.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { closesThinking, opensThinking } from "../markdown/MarkdownCleaning.ts"
import {
  type KnownHeadings,
  refinementHeadings,
  resultHeadings,
  taskListHeadings
} from "../markdown/MarkdownHeadings.ts"
import { beginsWithMark } from "../tools/MarkedCalls.ts"
import { deltaLines, type Repetition, RepetitionWatch } from "./RepetitionWatch.ts"

/** How the document of a stage announces itself: by a heading, a code block, or a line that belongs to it. */
export interface AnswerShape {
  /** The heading that the strict document begins with. */
  readonly begins: string
  readonly knownHeadings: KnownHeadings
  /** True for a line that only this kind of document has. */
  readonly isPart: (line: Line) => boolean
}

const isField = (line: Line): boolean => line.isField

export const taskListShape: AnswerShape = {
  begins: "## Original prompt",
  knownHeadings: taskListHeadings,
  isPart: isField
}

/** An answer may be nothing but calls, which need no code block. */
export const refinementShape: AnswerShape = {
  begins: "## Tool Calls",
  knownHeadings: refinementHeadings,
  isPart: (line) => line.isField || /^\s*[{[]/.test(line.text) || beginsWithMark(line.text)
}

/** A result may be any report before its summary, so any list counts. */
export const resultShape: AnswerShape = {
  begins: "## Result summary",
  knownHeadings: resultHeadings,
  isPart: (line) => line.bullets.marker !== "none"
}

/** What a heading is written with, in whatever form. */
const headingSign = /[#*_=-]/

/**
 * True when the document may have begun on this line. `before` is the line above, which may be underlined by it. A heading
 * without indentation begins most answers, and most lines before one hold no sign of any: only the others need the reader.
 * @internal
 */
export const isSign = ({ isPart, knownHeadings }: AnswerShape, before: string, text: string): boolean => {
  const line = new Line(text)
  if (before === "" && line.indent === 0 && line.hashes?.spaced === true) return true
  if (line.opening !== undefined || isPart(line)) return true
  if (!headingSign.test(text) && !headingSign.test(before)) return false
  return readMarkdown(`${before}\n${text}`, { knownHeadings }).sections.length > 0
}

/** Why an answer is stopped. */
export type Hopelessness =
  | ({ readonly kind: "loop" } & Repetition)
  | { readonly kind: "shape"; readonly begins: string }

/**
 * How many characters may come before the document, without thoughts in tags. A normal preamble is a sentence or two. An
 * answer has at most 2048 tokens, about 8,000 characters: after a longer preamble the document would not fit.
 */
export const longestPreamble = 6000

/** A heading is recognised within this many characters of a line. */
const shownOfLine = 400

export class AnswerWatch {
  readonly #shape: AnswerShape | undefined
  readonly #written = new RepetitionWatch()
  /** Absent until the model thinks. */
  #thought: RepetitionWatch | undefined
  /** The beginning of the line that is being written, and its whole length. */
  #line = ""
  #length = 0
  #before = ""
  #isThinking = false
  #hasBegun = false
  #preamble = 0

  /** Without a shape only repetition is looked for. */
  constructor(shape?: AnswerShape) {
    this.#shape = shape
  }

  text(delta: string): Hopelessness | undefined {
    const repetition = this.#written.add(delta)
    if (repetition !== undefined) return { kind: "loop", ...repetition }
    return this.#shape === undefined || this.#hasBegun ? undefined : this.#addPreamble(delta, this.#shape)
  }

  /** Takes a delta of what the model thinks apart from its answer. */
  thinking(delta: string): Hopelessness | undefined {
    this.#thought ??= new RepetitionWatch()
    const repetition = this.#thought.add(delta)
    return repetition === undefined ? undefined : { kind: "loop", ...repetition }
  }

  #addPreamble(delta: string, shape: AnswerShape): Hopelessness | undefined {
    for (const part of deltaLines(delta)) {
      const isWhole = part.endsWith("\n")
      this.#line += part.slice(0, shownOfLine - this.#line.length)
      this.#length += part.length
      const isKnown = isWhole || this.#line.length === shownOfLine
      const late = isKnown ? this.#findShape(shape, isWhole) : undefined
      if (late !== undefined || this.#hasBegun) return late
      if (isWhole) this.#endLine()
    }
    return undefined
  }

  /** Examines a line once enough of it is known. */
  #findShape(shape: AnswerShape, isWhole: boolean): Hopelessness | undefined {
    const line = this.#line.trimEnd()
    if (this.#isThinking || opensThinking(line)) return undefined
    this.#hasBegun = isSign(shape, this.#before, line)
    if (this.#hasBegun) return undefined
    if (this.#preamble + this.#length > longestPreamble) return { kind: "shape", begins: shape.begins }
    if (isWhole) this.#preamble += this.#length
    return undefined
  }

  #endLine(): void {
    const line = this.#line.trimEnd()
    const closes = closesThinking(line)
    if (closes) this.#preamble = 0
    this.#isThinking = !closes && (this.#isThinking || opensThinking(line))
    this.#before = line
    this.#line = ""
    this.#length = 0
  }
}
