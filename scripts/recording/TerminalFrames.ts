/**
 * Records the screens of a terminal while a command runs.
 */
import { spawn } from "@lydell/node-pty"
import headless from "@xterm/headless"

/** Text of one style in a line. */
export interface Span {
  readonly text: string
  /** The 0-based column of its start. */
  readonly column: number
  readonly isBold: boolean
  readonly isDim: boolean
  /** The terminal colour, 0 to 15; absent for the default. */
  readonly colour?: number
}

export type Line = ReadonlyArray<Span>

/** A screen, and the time of its first display in ms since the start. */
export interface Frame {
  readonly at: number
  readonly lines: ReadonlyArray<Line>
}

export interface TerminalCommand {
  readonly file: string
  readonly words: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly columns: number
  readonly rows: number
  /** Keys to type once the screen shows `when`, in order; `after` is the pause before them in ms. */
  readonly typing: ReadonlyArray<{ readonly when: string; readonly keys: string; readonly after: number }>
}

type Cell = NonNullable<
  ReturnType<NonNullable<ReturnType<headless.Terminal["buffer"]["active"]["getLine"]>>["getCell"]>
>

const lookOf = (cell: Cell): Omit<Span, "text" | "column"> => ({
  isBold: cell.isBold() !== 0,
  isDim: cell.isDim() !== 0,
  ...(cell.isFgPalette() ? { colour: cell.getFgColor() } : {})
})

const isSameLook = (one: Omit<Span, "text">, other: Omit<Span, "text" | "column">): boolean =>
  one.isBold === other.isBold && one.isDim === other.isDim && one.colour === other.colour

const lineOf = (terminal: headless.Terminal, row: number): Line => {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)
  const spans: Array<Span> = []
  for (let column = 0; column < terminal.cols; column += 1) {
    const cell = line?.getCell(column)
    if (cell === undefined || cell.getWidth() === 0) continue
    const text = cell.getChars() === "" ? " " : cell.getChars()
    const look = lookOf(cell)
    const last = spans.at(-1)
    if (last !== undefined && isSameLook(last, look)) spans[spans.length - 1] = { ...last, text: last.text + text }
    else spans.push({ text, column, ...look })
  }
  return spans.map((span) => Object.assign(span, { text: span.text.trimEnd() })).filter(({ text }) => text !== "")
}

const screenOf = (terminal: headless.Terminal): ReadonlyArray<Line> =>
  Array.from({ length: terminal.rows }, (_, row) => lineOf(terminal, row))

const textOf = (lines: ReadonlyArray<Line>): string =>
  lines.map((line) => line.map(({ text }) => text).join(" ")).join("\n")

/** Runs the command and returns each new screen, at most five a second. */
export const recordFrames = async (command: TerminalCommand): Promise<ReadonlyArray<Frame>> => {
  const { columns, cwd, env, file, rows, typing, words } = command
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true })
  const start = performance.now()
  const frames: Array<Frame> = []
  const waiting = [...typing]
  const child = spawn(file, [...words], { name: "xterm-256color", cols: columns, rows, cwd, env })
  const look = (): void => {
    const lines = screenOf(terminal)
    const at = performance.now() - start
    if (textOf(lines) !== textOf(frames.at(-1)?.lines ?? [])) frames.push({ at, lines })
    const [next] = waiting
    if (next === undefined || !textOf(lines).includes(next.when)) return
    waiting.shift()
    setTimeout(() => child.write(next.keys), next.after)
  }
  const timer = setInterval(look, 200)
  child.onData((text) => terminal.write(text))
  await new Promise((resolve) => child.onExit(resolve))
  clearInterval(timer)
  await new Promise<void>((resolve) => terminal.write("", resolve))
  look()
  return frames
}
