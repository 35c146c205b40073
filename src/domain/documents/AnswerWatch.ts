/**
 * Watches an answer while a model writes it and reports when it cannot succeed any more: the wanted document does not
 * begin, or the model repeats itself. One watch per answer; the verdict does not depend on how the text is split into
 * deltas, memory is bounded, and cost is linear. Of an answer that ran into the length limit, it finds the part that
 * is certainly whole.
 */
import type { Issue } from "../findings/Issue.ts"
import { Line, readLines } from "../markdown/Line.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { closesThinking, opensThinking } from "../markdown/MarkdownCleaning.ts"
import { type KnownHeadings, taskListHeadings } from "../markdown/MarkdownHeadings.ts"

/** A string that was repeated, with how often it stands at the end of the answer in a row. */
interface Repetition {
  readonly unit: string
  readonly times: number
}

/** Fewer repeats of a sentence occur in good answers. */
const repeats = 12
/** A unit of fewer words is a separator, a list of zeros or a column of a table. */
const unitWords = 5
/** This many repeated characters are a loop also in code and without words: no requested data repeats for four kilobytes. */
const longRun = 4096
/** How many characters are examined; the longest unit that can be found is a twelfth of them. */
const window = 16_384
/** After how many characters the text is examined again. */
const stride = 512

const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2}|\p{L}[\p{L}\p{N}'’_-]*/gu

const countWords = (text: string): number => text.match(word)?.length ?? 0

/** The smallest period with which the text ends at least twelve times, and how long the text has it. */
const findPeriod = (text: string): { readonly period: number; readonly run: number } | undefined => {
  for (let period = 1; period <= text.length / repeats; period += 1) {
    let run = period
    while (run < text.length && text.at(-1 - run) === text.at(-1 - run + period)) run += 1
    if (run >= repeats * period) return { period, run }
  }
  return undefined
}

/** The repeated text from the start of a sentence on. */
const startSentence = (unit: string): string => {
  const end = /[.!?:;|]\s+/.exec(unit)
  const start = end === null ? 0 : end.index + end[0].length
  return (unit.slice(start) + unit.slice(0, start)).trim()
}

/** A fence or a heading is recognised within this many characters of a line. */
const shownOfLine = 400

/** A fence of type markdown around the whole answer is not code. */
const isCodeFence = (info: string): boolean => !/^(?:markdown|md)$/i.test(info)

/** A delta line by line, with the line ends. */
const deltaLines = (delta: string): ReadonlyArray<string> => delta.match(/[^\n]*\n|[^\n]+/g) ?? []

class RepetitionWatch {
  #tail = ""
  #endsWithSpace = false
  #untilExamined = stride
  #line = ""
  #fence = ""

  /** Takes a delta. In code, where equal lines are common, only a long run counts. */
  add(delta: string): Repetition | undefined {
    for (const part of deltaLines(delta)) {
      this.#line += part.slice(0, shownOfLine - this.#line.length)
      const found = this.#addPart(part)
      if (found !== undefined) return found
      if (part.endsWith("\n")) this.#endLine()
    }
    return undefined
  }

  #addPart(part: string): Repetition | undefined {
    const plain = /\s\s|[^\S ]/.test(part) ? part.replace(/\s+/g, " ") : part
    let from = this.#endsWithSpace && plain.startsWith(" ") ? 1 : 0
    while (from < plain.length) {
      const piece = plain.slice(from, from + this.#untilExamined)
      from += piece.length
      this.#untilExamined -= piece.length
      this.#tail += piece
      this.#endsWithSpace = piece.endsWith(" ")
      if (this.#untilExamined > 0) continue
      this.#untilExamined = stride
      this.#tail = this.#tail.slice(-window)
      const found = this.#examine()
      if (found !== undefined) return found
    }
    return undefined
  }

  #examine(): Repetition | undefined {
    const found = findPeriod(this.#tail)
    if (found === undefined) return undefined
    const unit = this.#tail.slice(-found.period)
    if (found.run < longRun && (this.#fence !== "" || countWords(unit) < unitWords)) return undefined
    return { unit: startSentence(unit), times: Math.floor(found.run / found.period) }
  }

  #endLine(): void {
    const text = this.#line
    this.#line = ""
    if (!text.includes("```") && !text.includes("~~~")) return
    const { closing, opening } = new Line(text.trimEnd())
    if (this.#fence !== "") {
      if (closing?.startsWith(this.#fence) === true) this.#fence = ""
    } else if (opening !== undefined && isCodeFence(opening.info)) this.#fence = opening.mark
  }
}

/** How the document of a stage announces itself: by a heading, a code block, or a field of a task. */
export interface AnswerShape {
  /** The heading that the strict document begins with. */
  readonly begins: string
  readonly knownHeadings: KnownHeadings
}

export const taskListShape: AnswerShape = { begins: "## Original prompt", knownHeadings: taskListHeadings }

/** True when the document may have begun on this line. `before` is the line above, which may be underlined by it. */
const isSign = ({ knownHeadings }: AnswerShape, before: string, text: string): boolean => {
  const line = new Line(text)
  if (line.opening !== undefined || line.isField) return true
  return readMarkdown(`${before}\n${text}`, { knownHeadings }).sections.length > 0
}

/** Why an answer is stopped. */
export type Unrecoverable =
  | ({ readonly kind: "loop" } & Repetition)
  | { readonly kind: "shape"; readonly begins: string }

/**
 * How many characters may come before the document, without thoughts in tags. A normal preamble is a sentence or two. An
 * answer has at most 2048 tokens, about 8,000 characters: after a longer preamble the document would not fit.
 */
export const longestPreamble = 6000

export class AnswerWatch {
  readonly #shape: AnswerShape | undefined
  readonly #written = new RepetitionWatch()
  readonly #thought = new RepetitionWatch()
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

  text(delta: string): Unrecoverable | undefined {
    const repetition = this.#written.add(delta)
    if (repetition !== undefined) return { kind: "loop", ...repetition }
    return this.#shape === undefined || this.#hasBegun ? undefined : this.#addPreamble(delta, this.#shape)
  }

  /** Takes a delta of what the model thinks apart from its answer. */
  thinking(delta: string): Unrecoverable | undefined {
    const repetition = this.#thought.add(delta)
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

  /** Examines a line once enough of it is known. */
  #findShape(shape: AnswerShape, isWhole: boolean): Unrecoverable | undefined {
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

interface WholePart {
  readonly text: string
  /** The first line of what may be cut; empty when the answer ends with something whole. */
  readonly cut: string
}

/** The index of the line on which the last part begins. */
const lastStart = (lines: ReadonlyArray<Line>): number => {
  let start = 0
  let fence = ""
  let isInTask = false
  lines.forEach((line, index) => {
    if (fence !== "") {
      if (line.closing?.startsWith(fence) !== true) return
      fence = ""
      // A code block between the fields of a task ends nothing.
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

/** The part before the last one that had begun, without headings that nothing follows. */
export const wholePartOf = (answer: string): WholePart => {
  const lines = readLines(answer)
  const start = lastStart(lines)
  const cut = lines.slice(start).find(({ isBlank }) => !isBlank)
  const end = lines.slice(0, start).findLastIndex(isText) + 1
  const text = lines.slice(0, end).map((line) => line.text)
  return { text: text.join("\n"), cut: cut?.text.trim() ?? "" }
}

/**
 * What is wrong with the whole part, found by the reader of the document. What has no line may still come, and so may
 * what an empty section lacks.
 */
export const issuesOfPart = ({ text }: WholePart, read: (part: string) => ReadonlyArray<Issue>): ReadonlyArray<Issue> =>
  text === "" ? [] : read(text).filter(({ where, code }) => where.line !== undefined && code !== "section-empty")
