/**
 * Runs a command in a real pseudo terminal: what a test types arrives as keys, what the command shows comes back.
 */
import headless from "@xterm/headless"
import { unlessMissing } from "./needs.ts"
import { withinLimit } from "./withinLimit.ts"

/** The library, or why it cannot be loaded: it is made for each system. */
const library = await import("@lydell/node-pty").catch((error: unknown) => String(error))

/** Options for tests that need a terminal. */
export const needsTerminal = unlessMissing(
  typeof library === "string" ? `There are no pseudo terminals: ${library.split("\n")[0]}` : undefined
)

export interface TerminalOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly columns?: number
  readonly rows?: number
  /** The screen holds what a person sees at the moment, and not everything that was shown so far. */
  readonly isDrawn?: boolean
}

export interface PseudoTerminal {
  /** Everything shown so far, unless the options say otherwise. */
  readonly screen: () => string
  readonly type: (keys: string) => void
  /** Resolves when the screen shows the text. */
  readonly shows: (text: string) => Promise<void>
  /** The exit code of the command. */
  readonly ended: Promise<number>
  /** Ends the command if it still runs. */
  readonly close: () => void
}

interface Screen {
  readonly text: () => string
  readonly add: (shown: string, drawn: () => void) => void
}

const everything = (): Screen => {
  let text = ""
  return {
    text: () => text,
    add: (shown, drawn) => {
      text += shown
      drawn()
    }
  }
}

/** Draws as a terminal does; lines that were wrapped are whole again. */
const drawn = (cols: number, rows: number): Screen => {
  const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true })
  const rowText = (row: number): string => {
    const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)
    return `${line?.isWrapped === true ? "" : "\n"}${line?.translateToString(true) ?? ""}`
  }
  return {
    text: () => Array.from({ length: rows }, (_, row) => rowText(row)).join(""),
    add: (shown, drawn) => terminal.write(shown, drawn)
  }
}

/** Starts a shell command in a terminal of 24 lines and 80 columns, unless the options say otherwise. */
export const openTerminal = (command: string, options: TerminalOptions = {}): PseudoTerminal => {
  if (typeof library === "string") throw new Error(library)
  const { columns = 80, cwd = process.cwd(), env = process.env, isDrawn = false, rows = 24 } = options
  const child = library.spawn("/bin/sh", ["-c", command], { name: "xterm", cols: columns, rows, cwd, env })
  const screen = isDrawn ? drawn(columns, rows) : everything()
  const waiting = new Set<() => void>()
  child.onData((text) =>
    screen.add(text, () => {
      for (const check of waiting) check()
    })
  )
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)))
  const shows = (text: string): Promise<void> => {
    const shown = new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (!screen.text().includes(text)) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      void ended.then(() => reject(new Error(`ended without showing ${JSON.stringify(text)}:\n${screen.text()}`)))
      check()
    })
    return withinLimit(`showing ${JSON.stringify(text)}`, shown, screen.text)
  }
  return { screen: screen.text, type: (keys) => child.write(keys), shows, ended, close: () => child.kill("SIGKILL") }
}
