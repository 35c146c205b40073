/**
 * The output streams: results go to stdout, and messages to stderr. If the reader of stdout ends (`| head`), further
 * output is dropped without an error. A full disk is an error, which `lost` reports at the end.
 */
import * as Context from "effect/Context"
import { knownSecrets } from "../../services/runs/KnownSecrets.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { harmless } from "../../domain/text/Printable.ts"
import { wrapText } from "../../domain/text/TextWidth.ts"
import { makeRedaction, makeValueRedaction } from "../../domain/text/Redaction.ts"
import { makePaint, wantsColour } from "./Colour.ts"
import { type Screen, type ScreenProcess, TerminalScreen, type TerminalStream } from "./Screen.ts"

const ignore = (): void => undefined

/** The streams of a process, and what is known about their readers. */
export interface Streams {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  /** Control of the process for the screen. Absent in tests. */
  readonly process?: ScreenProcess
}

/** Lines are wrapped only on terminals with at least this many columns. */
const leastColumns = 20

/** The number of columns; undefined without a terminal. */
const columnsOf = ({ columns, isTTY }: TerminalStream): number | undefined =>
  isTTY === true && columns !== undefined && columns >= leastColumns ? columns : undefined

const makeOutput = (streams: Streams) =>
  Effect.sync(() => {
    const { env, process, stderr, stdout } = streams
    const isWatched = stdout.isTTY === true
    const isErrorTerminal = stderr.isTTY === true
    let lost: string | undefined
    const lose = (error: Error & { readonly code?: string }): void => {
      if (error.code !== "EPIPE") lost ??= error.code ?? error.message
    }
    stdout.on("error", lose)
    stderr.on("error", ignore)
    const screen = new TerminalScreen(stderr, env, process)
    /** Writes text, and waits until it is written. `failed` handles an error. */
    const write = (stream: TerminalStream, text: string, failed: (error: Error) => void): Effect.Effect<void> =>
      Effect.callback<void>((resume) => {
        screen.write(stream, text.endsWith("\n") ? text : `${text}\n`, (error) => {
          if (error) failed(error)
          resume(Effect.void)
        })
      })
    const colourVariables = { noColor: env["NO_COLOR"], forceColor: env["FORCE_COLOR"], term: env["TERM"] }
    return {
      /** Writes lines to stdout, and waits for a slow reader. */
      result: (text: string) => write(stdout, text, lose),
      /** Writes lines to stdout, wrapped to the width of the terminal. */
      print: (text: string) => write(stdout, wrapText(text, columnsOf(stdout)), lose),
      /** Writes a model's text to stdout. Control characters are escaped on a terminal. */
      answer: (text: string) => write(stdout, isWatched ? harmless(redactText(text)) : redactText(text), lose),
      /** Writes a piece of an answer to a terminal on stdout, without waiting. */
      follow: (piece: string) => screen.write(stdout, harmless(piece)),
      /** Writes lines to stdout without waiting. The lines must be safe for a terminal. */
      printNow: (lines: string) => screen.write(stdout, lines),
      /** Writes lines to stderr, wrapped to the width of the terminal. */
      emit: (text: string) => write(stderr, wrapText(text, columnsOf(stderr)), ignore),
      /** Writes text to stderr without a line end. */
      prompt: (text: string) => Effect.sync(() => screen.write(stderr, text)),
      /** Why results could not be written. Undefined if they were written, or if the reader of stdout has ended. */
      lost: () => lost,
      /** Colours for stdout. */
      resultPaint: makePaint(wantsColour(isWatched, colourVariables)),
      /** Colours for stderr. */
      emitPaint: makePaint(wantsColour(isErrorTerminal, colourVariables)),
      /** True if stdout is a terminal. */
      isWatched,
      /**
       * True if the user can answer questions: reads stderr and types on stdin. A getter, because Node opens stdin on
       * the first access.
       */
      get canAsk() {
        return isErrorTerminal && streams.stdin.isTTY === true
      },
      get hasPipedInput() {
        return streams.stdin.isTTY !== true
      },
      /**
       * The screen on stderr, which draws a region at the bottom of the terminal. All other output appears above this
       * region.
       */
      screen: screen satisfies Screen as Screen,
      /** The number of columns of stdout. Undefined if stdout is not a terminal. */
      resultColumns: () => columnsOf(stdout)
    }
  })

export class Output extends Context.Service<Output>()("task-conductor/cli/terminal/Output", { make: makeOutput }) {
  static readonly layerOf = (streams: Streams) => Layer.effect(this, this.make(streams))

  /** The streams of this process. */
  static readonly layer = Output.layerOf({
    env: process.env,
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    process
  })
}

/** Removes known secrets from a text, because output may be stored in logs. */
export const redactText = makeRedaction(knownSecrets)

/** Removes known secrets from a value for JSON. */
export const redactValue = makeValueRedaction(knownSecrets)

/** Removes known secrets from an event. Instances of classes stay unchanged. */
export const redactEvent = <A>(value: A): A => {
  if (typeof value === "string") return redactText(value) as A
  if (Array.isArray(value)) return value.map(redactEvent) as A
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redactEvent(one)])) as A
}

/**
 * Reserves stdout for a protocol. All other output, even that of plugins, then goes to stderr. Returns the function
 * that writes the protocol's messages in order.
 */
export const reserveStdout = (): ((chunk: string | Uint8Array) => Promise<void>) => {
  const { stderr, stdout } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return (chunk) => new Promise((resolve) => void write(chunk, () => resolve()))
}
