/**
 * Finds repetition while a model writes: equal lines, a text that follows itself again and again, or only blanks. The
 * limits are narrow for prose. They are wide for code and data, which repeat for good reasons. The limits were measured
 * on 61,635 source files: a code block repeats for over 1,600 characters in six of them, a text for over 4,096 in
 * three, a sentence for 400 in none.
 */
import { Line } from "../markdown/Line.ts"
import { scaleOfText } from "../models/PromptSize.ts"
import { beginsNative } from "../tools/native/NativeCalls.ts"

/** A string that repeats at the end of the text, and how often. */
export interface Repetition {
  readonly unit: string
  readonly times: number
}

/** This many equal lines of prose in a row are a loop. Blank lines do not count. */
export const mostEqualLines = 8
/** Prose that repeats for this many tokens is a loop. */
export const mostLoopTokens = 200
/** The maximum number of equal words in a row. Ollama allows the same number of equal tokens. */
export const mostEqualWords = 30
/** If words repeat in code for this many characters, they count as a loop. */
export const mostCodeCharacters = 1600
/** Data that repeats for this many characters is a loop. */
export const mostDataCharacters = 4096
/** This many blank lines in a row are a loop. */
export const mostBlankLines = 200

/**
 * How often a text must occur in a row to be a loop. A text that occurs twice may be a quotation, a refrain or a pair
 * of tables.
 */
const leastTimes = 3
/** Only this many characters at the end of the text are examined. A repeated unit has at most a third of them. */
const window = 8192
/** The text is examined again after this many new characters. */
const stride = 64
/** A loop has at least this many characters, in any script. */
const leastCharacters = 256
/** From this length on, a repeated character is a loop. A shorter row may be a separator line. */
const longestSeparator = 800
/** Only this many characters of a line are examined: enough to recognise fences and headings, and to compare lines. */
const shownOfLine = 400
const sentenceWords = 5

const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2}|\p{L}[\p{L}\p{N}'’_-]*/gu
const inRow =
  /\p{L}{2,}(?: \p{L}[\p{L}'’-]*){4}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{8}/u

const countWords = (text: string): number => text.match(word)?.length ?? 0

/** True for a unit with five words in a row. Code never repeats such a unit. The unit may begin within a word. */
const isSentence = (unit: string): boolean => countWords(unit) >= sentenceWords && inRow.test(unit + unit)

/** The maximum length of a word in characters. A longer string without a blank is data. */
const longestWord = 40

/** True for text that is mostly letters. Words with only commas between them are data. */
const isWords = (text: string): boolean => {
  const signs = text.match(/\S/gu)?.length ?? 0
  const letters = text.match(/[\p{L}\p{M}]/gu)?.length ?? 0
  const commas = text.match(/,/g)?.length ?? 0
  const isString = text.length > longestWord && !/\s/.test(text)
  return letters > 0 && letters >= signs * 0.75 && commas <= countWords(text) * 0.6 && !isString
}

/** The marks of lists, quotations and headings before a line. */
const lineMarks = /^\s*(?:(?:[-*+>]|#{1,6}|\d+[.)])\s+)*(?:\[[ x]\]\s+)?/i

/** True for a line of prose; false for a table row, code or data. */
const isWordsLine = (line: string): boolean => {
  const bare = line.replace(lineMarks, "")
  const isData = /^[|{}[\]()"'<]|[,;{}[\](|<]$|\p{L},\p{L}/u.test(bare)
  return !isData && isWords(bare)
}

/** Removes the number of a list line. The number stays if the other words are too few for a comparison. */
const unnumbered = (line: string): string => {
  const bare = line.replace(/^\d+[.)]\s+/, "")
  return countWords(bare) >= sentenceWords ? bare : line
}

/** The minimum length of a loop, in characters. Shorter repetitions of `unit` do not count as a loop. */
const limitOf = (unit: string, isCode: boolean): number => {
  const several = unit.repeat(Math.ceil(stride / unit.length))
  if (isSentence(unit) || (!isCode && isWords(several))) {
    return mostLoopTokens * scaleOfText(several).charactersPerToken - stride
  }
  if (isWords(several)) return mostCodeCharacters - stride
  return unit.length === 1 && !isCode ? longestSeparator : mostDataCharacters
}

/** Rotates the unit to begin with a sentence. */
const startSentence = (unit: string): string => {
  const end = /[.!?]\s+/.exec(unit) ?? /[:;|]\s+/.exec(unit)
  const start = end === null ? 0 : end.index + end[0].length
  return (unit.slice(start) + unit.slice(0, start)).trim()
}

const equalWords = new RegExp(`(?<![\\p{L}\\p{N}])(\\p{L}{2,20})(?: \\1){${mostEqualWords - 1},} ?\\p{L}*$`, "u")
const longestStutter = 700

/**
 * The last part of the text, with this many characters, is searched for in the text before it. The distance to a place
 * where it occurs may be the length of a repeated unit.
 */
const endLength = 24

/**
 * Finds the smallest unit that repeats at the end of the text. It must occur at least three times in a row and fill as
 * many characters as `limitOf` says. If it does not fill them, longer units that consist of it are skipped.
 */
const findLoop = (text: string, isCode: boolean): Repetition | undefined => {
  const stutter = isCode ? null : equalWords.exec(text.slice(-longestStutter))
  if (stutter !== null)
    return { unit: stutter[1] ?? "", times: stutter[0].split(" ").filter((one) => one === stutter[1]).length }
  const last = text.length - 1
  const end = text.slice(-endLength)
  let period = 0
  for (;;) {
    const before = text.length - end.length - period - 1
    const at = before < 0 ? -1 : text.lastIndexOf(end, before)
    period = text.length - end.length - at
    if (at === -1 || period * leastTimes > text.length) return undefined
    let run = period
    while (run <= last && text.charCodeAt(last - run) === text.charCodeAt(last - run + period)) run += 1
    if (run < period * leastTimes || run < leastCharacters) continue
    const unit = text.slice(-period)
    if (run >= limitOf(unit, isCode)) return { unit: startSentence(unit), times: Math.floor(run / period) }
    period = Math.max(period, run - period)
  }
}

/** False for markdown fences, which models put around whole answers. */
const isCodeFence = (info: string): boolean => !/^(?:markdown|md)$/i.test(info)

/** Splits a delta into lines, including their line ends. */
export const deltaLines = (delta: string): ReadonlyArray<string> => delta.match(/[^\n]*\n|[^\n]+/g) ?? []

export class RepetitionWatch {
  readonly #isCode: boolean
  #tail = ""
  #blanks = 0
  #blankLines = 0
  #untilExamined = stride
  #line = ""
  #length = 0
  /** The text that closes the current code. Empty outside code. */
  #closing = ""
  #equal: Repetition = { unit: "", times: 0 }

  /** `isCode` is true if the whole text is data, such as the arguments of a call. */
  constructor(isCode = false) {
    this.#isCode = isCode
  }

  add(delta: string): Repetition | undefined {
    for (const part of deltaLines(delta)) {
      this.#line += part.slice(0, shownOfLine - this.#line.length)
      this.#length += part.length
      const found = this.#addPart(part) ?? (part.endsWith("\n") ? this.#endLine() : undefined)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Treats consecutive blanks as one blank, so that a loop is found even if its indentation varies. */
  #addPart(part: string): Repetition | undefined {
    for (const piece of part.match(/\s+|\S+/g) ?? []) {
      const isBlank = piece.trim() === ""
      const found = isBlank ? this.#addBlanks(piece.length) : this.#addText(piece)
      if (found !== undefined) return found
    }
    return undefined
  }

  #addBlanks(count: number): Repetition | undefined {
    const found = this.#blanks === 0 ? this.#addText(" ", true) : undefined
    this.#blanks += count
    return this.#blanks >= mostDataCharacters ? { unit: "(blank)", times: mostDataCharacters } : found
  }

  #addText(text: string, isBlank = false): Repetition | undefined {
    if (!isBlank) this.#blanks = 0
    let from = 0
    while (from < text.length) {
      const piece = text.slice(from, from + this.#untilExamined)
      from += piece.length
      this.#untilExamined -= piece.length
      this.#tail += piece
      if (this.#untilExamined > 0) continue
      this.#untilExamined = stride
      this.#tail = this.#tail.slice(-window)
      const found = findLoop(this.#tail, this.#isCode || this.#closing !== "")
      if (found !== undefined) return found
    }
    return undefined
  }

  #endLine(): Repetition | undefined {
    const text = this.#line.trim()
    const isWhole = this.#length <= shownOfLine
    const line = new Line(this.#line.trimEnd())
    this.#line = ""
    this.#length = 0
    if (text === "") {
      this.#blankLines += 1
      return this.#blankLines >= mostBlankLines ? { unit: "(blank line)", times: mostBlankLines } : undefined
    }
    this.#blankLines = 0
    const isCode = this.#isCode || this.#skipsCode(line, text)
    const unit = unnumbered(text)
    const times = isWhole && unit === this.#equal.unit ? this.#equal.times + 1 : 1
    this.#equal = { unit: isWhole ? unit : "", times }
    /* A task field is never code, even inside a fence. */
    if (isCode && !line.isField) return undefined
    return times >= mostEqualLines && isWordsLine(unit) ? this.#equal : undefined
  }

  /** Tracks fences, change blocks and calls. Returns true for a line inside one of them. */
  #skipsCode(line: Line, text: string): boolean {
    if (this.#closing !== "") {
      const ends = /^[`~]/.test(this.#closing)
        ? line.closing?.startsWith(this.#closing)
        : text.startsWith(this.#closing)
      if (ends === true) this.#closing = ""
      return true
    }
    if (line.opening !== undefined) this.#closing = isCodeFence(line.opening.info) ? line.opening.mark : ""
    else if (/^<{5}/.test(text)) this.#closing = ">>>>>"
    else if (beginsNative(text) && !/<\/[\w:]+>$/.test(text)) this.#closing = "</"
    return this.#closing !== ""
  }
}
