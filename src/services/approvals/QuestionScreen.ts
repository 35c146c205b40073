/**
 * Where questions are shown: on stderr, or on the terminal that controls this process when stderr leads elsewhere. A question
 * is shown again when the process continues after it was stopped.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import { badArgument } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { closeSync, openSync } from "node:fs"
import { isatty, WriteStream } from "node:tty"

/** A terminal that text can be written to. */
export interface TerminalOutput {
  readonly write: (text: string) => Effect.Effect<void, PlatformError>
  readonly size: () => { readonly columns: number; readonly rows: number }
  readonly close: () => void
}

const failed = (cause: Error): PlatformError =>
  badArgument({ module: "QuestionScreen", method: "write", description: "The terminal cannot be written", cause })

const openControllingTerminal = (): TerminalOutput | undefined => {
  try {
    const descriptor = openSync("/dev/tty", "w")
    if (!isatty(descriptor)) return void closeSync(descriptor)
    const stream = new WriteStream(descriptor)
    return {
      write: (text) =>
        Effect.callback((resume) => {
          stream.write(text, (error) => resume(error ? Effect.fail(failed(error)) : Effect.void))
        }),
      size: () => ({ columns: stream.columns, rows: stream.rows }),
      close: () => void stream.destroy()
    }
  } catch {
    /* The process has no terminal. */
    return undefined
  }
}

/** How the terminal that controls this process is opened; nothing when there is none. */
export const ControllingTerminal = Context.Reference<() => TerminalOutput | undefined>(
  "task-conductor/services/approvals/ControllingTerminal",
  { defaultValue: () => openControllingTerminal }
)

/** Where a question is shown. */
export interface QuestionScreen {
  readonly show: (text: string) => Effect.Effect<void, PlatformError>
  readonly size: Effect.Effect<{ readonly columns: number; readonly rows: number }>
}

/** For a terminal that does not tell its size. */
const usualSize = { columns: 80, rows: 24 }

const orUsual = ({ columns, rows }: { readonly columns: number; readonly rows: number }) => ({
  columns: columns || usualSize.columns,
  rows: rows || usualSize.rows
})

/** True when a person can see a question and answer it. */
export const canAsk = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal)) return false
  if (yield* stdio.stderrIsTerminal) return true
  const terminal = (yield* ControllingTerminal)()
  terminal?.close()
  return terminal !== undefined
})

/** The screen for one question; nothing when nobody can see it and answer. */
export const openScreen: Effect.Effect<
  QuestionScreen | undefined,
  never,
  Stdio.Stdio | Terminal.Terminal | Scope.Scope
> = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  if (!(yield* stdio.stdinIsTerminal)) return undefined
  if (yield* stdio.stderrIsTerminal) {
    return {
      show: (text) => Stream.run(Stream.make(text), stdio.stderr()),
      size: Effect.all({ columns: terminal.columns, rows: terminal.rows }).pipe(
        /* Where stdout is redirected, the size is that of stderr. */
        Effect.map(({ columns, rows }) =>
          orUsual({ columns: columns || process.stderr.columns, rows: rows || process.stderr.rows })
        )
      )
    }
  }
  const open = yield* ControllingTerminal
  const own = yield* Effect.acquireRelease(Effect.sync(open), (found) => Effect.sync(() => found?.close()))
  return own === undefined ? undefined : { show: own.write, size: Effect.sync(() => orUsual(own.size())) }
})

/** Until the scope closes, runs this whenever the process continues after it was stopped. */
export const onContinue = (again: Effect.Effect<void>): Effect.Effect<void, never, Scope.Scope> => {
  const listener = (): void => void Effect.runFork(again)
  return Effect.acquireRelease(
    Effect.sync(() => void process.on("SIGCONT", listener)),
    () => Effect.sync(() => void process.off("SIGCONT", listener))
  )
}
