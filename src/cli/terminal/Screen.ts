/**
 * A region at the bottom of the terminal that is drawn again and again, while everything else that is written scrolls above
 * it. The cursor stands below the region and is never hidden, so a process that dies leaves a terminal that works.
 */
import { shownWidth } from "../../domain/text/TextWidth.ts"
import type { ViewSize } from "../../domain/runs/LiveView.ts"

/** A stream that may be a terminal. */
export interface TerminalStream {
  write(text: string, done?: (error?: Error | null) => void): unknown
  on(event: "error", listener: (error: Error & { readonly code?: string }) => void): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  getWindowSize?(): [columns: number, rows: number]
}

/** Makes the lines of the region, at the time in milliseconds. */
export type Draw = (size: ViewSize, now: number) => ReadonlyArray<string>

export interface Screen {
  /** False where nothing can be drawn again: no terminal, a dumb one, or a build server. */
  readonly canDraw: boolean
  /** True when signs beyond ASCII can be shown. */
  readonly isUnicode: boolean
  /** The columns for messages; nothing without a terminal. */
  readonly columns: () => number | undefined
  /** Draws from now on. */
  readonly show: (draw: Draw) => void
  /** Erases the region until it is shown again. */
  readonly hide: () => void
}

/** What a screen needs of the process; nothing in tests. */
export interface ScreenProcess {
  on(event: "SIGTSTP" | "exit", listener: () => void): unknown
  off(event: "SIGTSTP", listener: () => void): unknown
  kill(pid: number, signal: "SIGSTOP"): unknown
  readonly pid: number
}

/** Ten times a second: what moves looks alive, and a slow connection is not filled. */
const drawEvery = 100
const usualSize: ViewSize = { columns: 80, rows: 24 }

/** A terminal that knows the mode shows what stands between at once; others ignore it. */
const [begin, end] = ["\u001b[?2026h", "\u001b[?2026l"]

const isSet = (value: string | undefined): boolean => value !== undefined && !["", "0", "false"].includes(value)

/** Where the region can be drawn, by the stream and the environment. */
export const canDrawOn = (isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean =>
  isTerminal && env["TERM"] !== "dumb" && !isSet(env["CI"])

/** Signs beyond ASCII need a locale that has them; the console of Linux lacks most of them. */
export const isUnicodeIn = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env["TERM"] !== "linux" && /utf-?8/i.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "")

/** The screen of a process, and what has to be used for writing on its terminal. */
export class TerminalScreen implements Screen {
  readonly canDraw: boolean
  readonly isUnicode: boolean
  readonly #stream: TerminalStream
  readonly #process: ScreenProcess | undefined
  #draw: Draw | undefined
  #drawn: ReadonlyArray<string> = []
  #timer: NodeJS.Timeout | undefined
  /** Something else stands in the line of the cursor. */
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

  /** Stops the process as Ctrl-Z asks, with a clean screen; the region comes back with the next drawing. */
  readonly #suspend = (): void => {
    this.#send(this.#erased())
    this.#process?.kill(this.#process.pid, "SIGSTOP")
  }

  #send(text: string): void {
    if (text !== "") this.#stream.write(`${begin}${text}${end}`)
  }

  /**
   * Takes the region from the screen, row by row: erasing to the end from the first row of the screen is a cleared screen for
   * some terminals, which keep what stood there in their history. Lines that a narrower terminal has broken take several rows.
   */
  #erased(): string {
    if (this.#drawn.length === 0) return ""
    const { columns } = this.#size()
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(shownWidth(line) / columns)), 0)
    this.#drawn = []
    /* In the line of the cursor stands what the terminal echoed of a key, such as ^C. */
    return `\r\u001b[2K${"\u001b[A\u001b[2K".repeat(rows)}`
  }

  #region(lines = this.#isInLine ? [] : (this.#draw?.(this.#size(), Date.now()) ?? [])): string {
    this.#drawn = lines
    return lines.map((line) => `${line}\r\n`).join("")
  }

  /** Draws the region if it differs from what is on the screen. */
  readonly refresh = (): void => {
    if (this.#draw === undefined || this.#isInLine) return
    const before = this.#drawn
    const next = this.#draw(this.#size(), Date.now())
    if (next.length === before.length && next.every((line, index) => line === before[index])) return
    this.#send(`${this.#erased()}${this.#region(next)}`)
  }

  /** Writes above the region to a stream that may show on the same terminal. */
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
