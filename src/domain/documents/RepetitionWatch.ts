/**
 * Detects while a model writes that it repeats itself without end. Only exact repetition at the end of the text counts:
 * text that continues with new numbers, names or cells is not a loop. One watch per answer and channel; memory is bounded
 * and cost is linear in the length of the text.
 */
import { Line } from "../markdown/Line.ts"

/** A text that was repeated, with how often it stands at the end of the answer in a row. */
export interface Repetition {
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

/** The smallest period with which the text ends at least twelve times, by the Z function of the reversed text. */
const findPeriod = (text: string): { readonly period: number; readonly run: number } | undefined => {
  const length = text.length
  const longest = Math.floor(length / repeats)
  const matches = new Int32Array(longest + 1)
  let left = 0
  let right = 0
  for (let period = 1; period <= longest; period += 1) {
    let matched = period < right ? Math.min(right - period, matches[period - left] ?? 0) : 0
    while (
      period + matched < length &&
      text.charCodeAt(length - 1 - matched) === text.charCodeAt(length - 1 - period - matched)
    ) {
      matched += 1
    }
    matches[period] = matched
    if (period + matched > right) {
      left = period
      right = period + matched
    }
    if (matched + period >= repeats * period) return { period, run: matched + period }
  }
  return undefined
}

/** The repeated text from the start of a sentence on. */
const startSentence = (unit: string): string => {
  const end = /[.!?:;|]\s+/.exec(unit)
  const start = end === null ? 0 : end.index + end[0].length
  return (unit.slice(start) + unit.slice(0, start)).trim()
}

/** A fence is recognised within this many characters of a line. */
const shownOfLine = 400

/** A fence of type markdown around the whole answer is not code. */
const isCodeFence = (info: string): boolean => !/^(?:markdown|md)$/i.test(info)

/** A delta line by line, with the line ends. */
export const deltaLines = (delta: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let from = 0
  for (let end = delta.indexOf("\n"); end !== -1 && end < delta.length - 1; end = delta.indexOf("\n", from)) {
    lines.push(delta.slice(from, end + 1))
    from = end + 1
  }
  lines.push(delta.slice(from))
  return lines
}

export class RepetitionWatch {
  /** What came last, as long as nothing can be found with it. */
  #waiting = ""
  /** What was examined. */
  #tail = ""
  /** What came after it; joined with it only when it is examined, since joining copies all of it. */
  #fresh = ""
  #endsWithSpace = false
  #untilLook = stride
  #line = ""
  #fence = ""

  /** Takes a delta. In code, where equal lines are common, only a long run counts. */
  add(delta: string): Repetition | undefined {
    this.#waiting += delta
    // White space counts once, so that there is never more to examine than this.
    if (this.#waiting.length < this.#untilLook) return undefined
    const text = this.#waiting
    this.#waiting = ""
    for (const part of deltaLines(text)) {
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
      const piece = plain.slice(from, from + this.#untilLook)
      from += piece.length
      this.#untilLook -= piece.length
      this.#fresh += piece
      this.#endsWithSpace = piece.endsWith(" ")
      if (this.#untilLook > 0) continue
      this.#untilLook = stride
      this.#tail = (this.#tail + this.#fresh).slice(-window)
      this.#fresh = ""
      const found = this.#look()
      if (found !== undefined) return found
    }
    return undefined
  }

  #look(): Repetition | undefined {
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
