/**
 * Redraws a region at the bottom of the terminal, while other output scrolls above. The cursor stays visible below the
 * region. So the terminal remains usable after a crash.
 */
import { shownWidth } from "../../domain/text/TextWidth.ts"
import type { ViewSize } from "../../domain/runs/LiveView.ts"

/** What the program uses of a Node write stream. `isTTY` and the sizes are absent without a terminal. */
export interface TerminalStream {
  write(text: string, done?: (error?: Error | null) => void): unknown
  on(event: "error", listener: (error: Error & { readonly code?: string }) => void): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  getWindowSize?(): [columns: number, rows: number]
}

/** The lines to draw in the region. `now` is a time in milliseconds. */
export type Draw = (size: ViewSize, now: number) => ReadonlyArray<string>

export interface Screen {
  /** False without a terminal, on a dumb terminal, or on a CI server. */
  readonly canDraw: boolean
  /** True if the terminal can show characters beyond ASCII. */
  readonly isUnicode: boolean
  /** The number of columns of stderr; undefined without a terminal. */
  readonly columns: () => number | undefined
  /** Begins to draw the region. */
  readonly show: (draw: Draw) => void
  /** Erases the region until the next `show`. */
  readonly hide: () => void
}

/** Control of the process for the screen. Absent in tests. */
export interface ScreenProcess {
  on(event: "SIGTSTP" | "exit", listener: () => void): unknown
  off(event: "SIGTSTP", listener: () => void): unknown
  kill(pid: number, signal: "SIGSTOP"): unknown
  readonly pid: number
}

/** The time between two drawings, in milliseconds: short enough to look smooth, long enough for a slow connection. */
const drawEvery = 100
const usualSize: ViewSize = { columns: 80, rows: 24 }

/** The marks of synchronized output. A terminal that knows these marks shows the text between them in one step. */
const [begin, end] = ["\u001b[?2026h", "\u001b[?2026l"]

const isSet = (value: string | undefined): boolean => value !== undefined && !["", "0", "false"].includes(value)

/** True if the region can be drawn on this stream and in this environment. */
export const canDrawOn = (isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean =>
  isTerminal && env["TERM"] !== "dumb" && !isSet(env["CI"])

/**
 * True if the terminal can show characters beyond ASCII: in a UTF-8 locale, but not on the Linux console, which lacks
 * most of them.
 */
export const isUnicodeIn = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env["TERM"] !== "linux" && /utf-?8/i.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "")

/** The screen of a process. All output to the terminal must go through `write`. */
export class TerminalScreen implements Screen {
  readonly canDraw: boolean
  readonly isUnicode: boolean
  readonly #stream: TerminalStream
  readonly #process: ScreenProcess | undefined
  #draw: Draw | undefined
  #drawn: ReadonlyArray<string> = []
  #timer: NodeJS.Timeout | undefined
  /** True if the cursor is in a line with other text. */
  #isInLine = false

  constructor(
    stream: TerminalStream,
    env: Readonly<Record<string, string | undefined>>,
    process: ScreenProcess | undefined
  ) {
    this.#stream = stream
    this.#process = process
    this.canDraw = canDrawOn(stream.isTTY === true, env)
    this.isUnicode = isUnicodeIn(env)
    if (this.canDraw) process?.on("exit", () => this.hide())
  }

  readonly columns = (): number | undefined => (this.#stream.isTTY === true ? this.#size().columns : undefined)

  #size(): ViewSize {
    const [columns, rows] = this.#stream.getWindowSize?.() ?? [this.#stream.columns, this.#stream.rows]
    return { columns: columns || usualSize.columns, rows: rows || usualSize.rows }
  }

  readonly show = (draw: Draw): void => {
    if (!this.canDraw) return
    this.#isInLine = false
    const isNew = this.#draw === undefined
    this.#draw = draw
    if (!isNew) return
    this.#timer = setInterval(this.refresh, drawEvery)
    this.#timer.unref()
    this.#process?.on("SIGTSTP", this.#suspend)
  }

  readonly hide = (): void => {
    if (this.#draw === undefined) return
    clearInterval(this.#timer)
    this.#process?.off("SIGTSTP", this.#suspend)
    this.#draw = undefined
    this.#send(this.#erased())
  }

  /** After Ctrl-Z, erases the region and stops the process. The next drawing shows the region again. */
  readonly #suspend = (): void => {
    this.#send(this.#erased())
    this.#process?.kill(this.#process.pid, "SIGSTOP")
  }

  #send(text: string): void {
    if (text !== "") this.#stream.write(`${begin}${text}${end}`)
  }

  /**
   * Erases the region row by row, because some terminals keep text in their history if it is erased in one step. If the
   * terminal has become narrower, a line takes several rows.
   */
  #erased(): string {
    if (this.#drawn.length === 0) return ""
    const { columns } = this.#size()
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(shownWidth(line) / columns)), 0)
    this.#drawn = []
    /* Erases also the cursor's line, into which the terminal may have echoed a key such as ^C. */
    return `\r\u001b[2K${"\u001b[A\u001b[2K".repeat(rows)}`
  }

  #region(lines = this.#isInLine ? [] : (this.#draw?.(this.#size(), Date.now()) ?? [])): string {
    this.#drawn = lines
    return lines.map((line) => `${line}\r\n`).join("")
  }

  /** Draws the region again if its lines changed. */
  readonly refresh = (): void => {
    if (this.#draw === undefined || this.#isInLine) return
    const before = this.#drawn
    const next = this.#draw(this.#size(), Date.now())
    if (next.length === before.length && next.every((line, index) => line === before[index])) return
    this.#send(`${this.#erased()}${this.#region(next)}`)
  }

  /** Writes text above the region. `stream` is a stream of the same terminal. */
  readonly write = (stream: TerminalStream, text: string, done?: (error?: Error | null) => void): void => {
    if (stream.isTTY !== true || this.#draw === undefined) {
      stream.write(text, done)
      return
    }
    const erased = this.#erased()
    this.#isInLine = !text.endsWith("\n")
    if (stream === this.#stream) {
      stream.write(`${begin}${erased}${text}${this.#region()}${end}`, done)
      return
    }
    if (erased !== "") this.#stream.write(`${begin}${erased}`)
    stream.write(text, done)
    this.#stream.write(`${this.#region()}${end}`)
  }
}
