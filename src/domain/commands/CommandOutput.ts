/**
 * Keeps the output of a command as plain lines within a limit, while the command writes: the beginning, the end, and
 * lines between them that report errors. Notes count the omitted lines.
 */
import { cutAt } from "../text/Excerpt.ts"
import { plainLine } from "../text/TerminalText.ts"
import { troubleFilter } from "../text/TroubleLines.ts"

/**
 * The maximum size in bytes of the kept beginning, and of the kept end. The whole output, written as JSON, then stays
 * below the limit for results of tools.
 */
const keptBytes = 32_768
const troubleBytes = 8192
/** The maximum length of a line in characters. A longer line keeps its beginning and end. */
const longestLine = 16_384
const longestTrouble = 500
/** The estimated size in bytes of a note about omitted lines. */
const noteBytes = 60

interface Line {
  readonly number: number
  readonly text: string
  readonly bytes: number
}

const encoder = new TextEncoder()

const bytesOf = (text: string): number => encoder.encode(text).length

const gapText = (from: number, to: number, total: number): string =>
  from === to ? `(Line ${from} of ${total} is left out.)` : `(Lines ${from} to ${to} of ${total} are left out.)`

/** The output of one command; empty at first. */
export class CommandOutput {
  readonly #decoder = new TextDecoder()
  readonly #isTrouble = troubleFilter()
  readonly #head: Array<Line> = []
  readonly #trouble: Array<Line> = []
  readonly #tail: Array<Line> = []
  readonly #sizes = { head: 0, trouble: 0, tail: 0 }
  /** The last, incomplete line. `#skipped` counts characters removed from its middle. */
  #open = ""
  #skipped = 0
  #lines = 0
  #total = 0

  get bytes(): number {
    return this.#total
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length
    const [first = "", ...more] = this.#decoder.decode(chunk, { stream: true }).split("\n")
    this.#extend(first)
    for (const text of more) {
      this.#add(this.#line())
      this.#open = ""
      this.#skipped = 0
      this.#extend(text)
    }
  }

  text(): string {
    this.#shortenTail()
    const open = this.#line()
    const isOpen = open !== ""
    const total = this.#lines + (isOpen ? 1 : 0)
    const kept = [...this.#head, ...this.#trouble, ...this.#tail]
    if (isOpen) kept.push({ number: total, text: open, bytes: 0 })
    let next = 1
    const rows: Array<string> = []
    for (const { number, text } of kept) {
      if (number > next) rows.push(gapText(next, number - 1, total))
      rows.push(text)
      next = number + 1
    }
    return `${rows.join("\n")}${isOpen || rows.length === 0 ? "" : "\n"}`
  }

  #extend(text: string): void {
    this.#open += text
    if (this.#open.length <= 4 * longestLine) return
    this.#open = plainLine(this.#open)
    const left = this.#open.length - longestLine
    if (left <= 0) return
    this.#skipped += left
    this.#open = this.#open.slice(0, longestLine / 2) + this.#open.slice(-longestLine / 2)
  }

  /** The last line as it is shown. */
  #line(): string {
    const text = plainLine(this.#open)
    const omitted = this.#skipped + text.length - longestLine
    /** The removal of terminal codes may have made the line short enough. */
    if (text.length < longestLine || omitted <= 0) return text
    const end = text.slice(-longestLine / 2).replace(/^[\uDC00-\uDFFF]/, "")
    return `${cutAt(text, longestLine / 2)} ... (${omitted} characters left out) ... ${end}`
  }

  #add(text: string): void {
    this.#lines += 1
    const line = { number: this.#lines, text, bytes: bytesOf(text) + 1 }
    if (this.#tail.length === 0 && this.#sizes.head + line.bytes <= keptBytes) {
      this.#head.push(line)
      this.#sizes.head += line.bytes
      return
    }
    this.#tail.push(line)
    this.#sizes.tail += line.bytes
    /** The end is shortened only at twice its budget, because removing many lines at once is faster. */
    if (this.#sizes.tail > 2 * keptBytes) this.#shortenTail()
  }

  #shortenTail(): void {
    let count = 0
    for (; this.#sizes.tail > keptBytes && count < this.#tail.length - 1; count++) {
      const line = this.#tail[count]
      if (line === undefined) break
      this.#sizes.tail -= line.bytes
      this.#leave(line)
    }
    this.#tail.splice(0, count)
  }

  /** Removes a line, or keeps it among the error lines if it reports an error. */
  #leave(line: Line): void {
    const isLong = line.text.length > longestTrouble
    const text = isLong ? `${cutAt(line.text, longestTrouble)}... (${line.text.length} characters)` : line.text
    const cost = bytesOf(text) + noteBytes
    if (!this.#isTrouble(line.text) || this.#sizes.trouble + cost > troubleBytes) return
    this.#sizes.trouble += cost
    this.#trouble.push({ ...line, text })
  }
}
