/**
 * Watches an answer while a model writes it, and reports when the answer can no longer succeed: the expected document
 * does not begin, or the model repeats itself. Use one watch for each answer. The verdict does not depend on how deltas
 * split the text; memory is bounded and cost is linear.
 */
import type { Issue } from "../findings/Issue.ts"
import { Line, readLines } from "../markdown/Line.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { closesThinking, opensThinking } from "../markdown/MarkdownCleaning.ts"
import { type KnownHeadings, taskListHeadings } from "../markdown/MarkdownHeadings.ts"
import { deltaLines, type Repetition, RepetitionWatch } from "./RepetitionWatch.ts"

/** The watch examines only this many characters of a line: enough to recognise a fence or a heading. */
const shownOfLine = 400

/** How the document of a stage begins: with a known heading, a code block or a task field. */
export interface AnswerShape {
  /** The first heading of the document in its strict form. */
  readonly begins: string
  readonly knownHeadings: KnownHeadings
}

export const taskListShape: AnswerShape = { begins: "## Original prompt", knownHeadings: taskListHeadings }

/** True if the document may begin on this line. */
const isSign = ({ knownHeadings }: AnswerShape, text: string): boolean => {
  const line = new Line(text)
  if (line.opening !== undefined || line.isField) return true
  return readMarkdown(text, { knownHeadings }).sections.length > 0
}

/** Why an answer is stopped. */
export type Unrecoverable =
  | ({ readonly kind: "loop" } & Repetition)
  | { readonly kind: "shape"; readonly begins: string }

/**
 * The maximum number of characters before the document, without thoughts in tags. An answer has at most 2048 tokens
 * (about 8,000 characters). After a longer preamble, the document would not fit.
 */
export const longestPreamble = 6000

export class AnswerWatch {
  readonly #shape: AnswerShape | undefined
  readonly #written = new RepetitionWatch()
  readonly #thought = new RepetitionWatch()
  readonly #arguments = new RepetitionWatch(true)
  /** The examined beginning of the current line, and the length of the whole line. */
  #line = ""
  #length = 0
  #isThinking = false
  #hasBegun = false
  #preamble = 0

  /** Without a shape, the watch looks for repetition only. */
  constructor(shape?: AnswerShape) {
    this.#shape = shape
  }

  text(delta: string): Unrecoverable | undefined {
    const repetition = this.#written.add(delta)
    if (repetition !== undefined) return { kind: "loop", ...repetition }
    return this.#shape === undefined || this.#hasBegun ? undefined : this.#addPreamble(delta, this.#shape)
  }

  /** Takes a delta of the model's thoughts outside the answer. */
  thinking(delta: string): Unrecoverable | undefined {
    const repetition = this.#thought.add(delta)
    return repetition === undefined ? undefined : { kind: "loop", ...repetition }
  }

  /** Takes a delta of the arguments of a native call. */
  callArguments(delta: string): Unrecoverable | undefined {
    const repetition = this.#arguments.add(delta)
    return repetition === undefined ? undefined : { kind: "loop", ...repetition }
  }

  #addPreamble(delta: string, shape: AnswerShape): Unrecoverable | undefined {
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

  /**
   * Tests whether the document begins on the current line. Call it at the end of the line, or when the examined part of
   * the line is complete.
   */
  #findShape(shape: AnswerShape, isWhole: boolean): Unrecoverable | undefined {
    const line = this.#line.trimEnd()
    if (this.#isThinking || opensThinking(line)) return undefined
    this.#hasBegun = isSign(shape, line)
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
    this.#line = ""
    this.#length = 0
  }
}

interface WholePart {
  readonly text: string
  /** The first line of the part that was dropped as incomplete. Empty if nothing was dropped. */
  readonly cut: string
}

/** The index of the line on which the last task, section or code block begins. */
const lastStart = (lines: ReadonlyArray<Line>): number => {
  let start = 0
  let fence = ""
  let isInTask = false
  lines.forEach((line, index) => {
    if (fence !== "") {
      if (line.closing?.startsWith(fence) !== true) return
      fence = ""
      // A code block between the fields of a task belongs to that task.
      if (!isInTask) start = index + 1
    } else if (line.opening !== undefined) {
      fence = line.opening.mark
      if (!isInTask) start = index
    } else if (line.isHeading || line.label?.key === "name") {
      isInTask = !line.isHeading
      start = index
    }
  })
  return start
}

const isText = (line: Line): boolean => !line.isBlank && !line.isHeading

/** Drops the last part of an answer, which may be incomplete, and headings without text below them. */
export const wholePartOf = (answer: string): WholePart => {
  const lines = readLines(answer)
  const start = lastStart(lines)
  const cut = lines.slice(start).find(({ isBlank }) => !isBlank)
  const end = lines.slice(0, start).findLastIndex(isText) + 1
  const text = lines.slice(0, end).map((line) => line.text)
  return { text: text.join("\n"), cut: cut?.text.trim() ?? "" }
}

/**
 * The issues of the complete part of a cut-off answer. Leaves out empty sections and issues without a line, because the
 * missing end of the answer may resolve them.
 */
export const issuesOfPart = ({ text }: WholePart, read: (part: string) => ReadonlyArray<Issue>): ReadonlyArray<Issue> =>
  text === "" ? [] : read(text).filter(({ where, code }) => where.line !== undefined && code !== "section-empty")
