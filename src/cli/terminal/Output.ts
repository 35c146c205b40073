/**
 * The two streams of the binary: results on stdout, messages on stderr. A reader that goes away (`| head`) is not an
 * error: what would still be written is dropped. A full disk is one: `lost` reports it at the end.
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

/** Where results and messages go, and what is known of the reader. */
export interface Streams {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  /** What stops and ends; absent in tests. */
  readonly process?: ScreenProcess
}

/** A width below this is no width to break lines at. */
const leastColumns = 20

/** The columns of a terminal; nothing for anything else. */
const columnsOf = ({ columns, isTTY }: TerminalStream): number | undefined =>
  isTTY === true && columns !== undefined && columns >= leastColumns ? columns : undefined

const makeOutput = (streams: Streams) =>
  Effect.sync(() => {
    const { env, process, stderr, stdout } = streams
    const isWatched = stdout.isTTY === true
    const isHeard = stderr.isTTY === true
    let lost: string | undefined
    const lose = (error: Error & { readonly code?: string }): void => {
      if (error.code !== "EPIPE") lost ??= error.code ?? error.message
    }
    stdout.on("error", lose)
    stderr.on("error", ignore)
    const screen = new TerminalScreen(stderr, env, process)
    /** Waits for the write; a failed one is evaluated at the end. */
    const write = (stream: TerminalStream, text: string, failed: (error: Error) => void): Effect.Effect<void> =>
      Effect.callback<void>((resume) => {
        screen.write(stream, text.endsWith("\n") ? text : `${text}\n`, (error) => {
          if (error) failed(error)
          resume(Effect.void)
        })
      })
    const colourVariables = { noColor: env["NO_COLOR"], forceColor: env["FORCE_COLOR"], term: env["TERM"] }
    return {
      /** Writes a line, or several, to stdout; waits while the reader is slow. */
      result: (text: string) => write(stdout, text, lose),
      /** Writes lines for a person to stdout, broken between words at the width of the terminal. */
      print: (text: string) => write(stdout, wrapText(text, columnsOf(stdout)), lose),
      /** Writes text of a model to stdout: unchanged, but without control sequences on a terminal. */
      answer: (text: string) => write(stdout, isWatched ? harmless(redactText(text)) : redactText(text), lose),
      /** Writes a piece of a text of a model to stdout at once, as it comes. Only for a terminal. */
      follow: (piece: string) => screen.write(stdout, harmless(piece)),
      /** Writes lines that are safe to show to stdout at once. Only for a terminal. */
      printNow: (lines: string) => screen.write(stdout, lines),
      /** Writes a line, or several, to stderr; broken between words at the width of the terminal. */
      emit: (text: string) => write(stderr, wrapText(text, columnsOf(stderr)), ignore),
      /** Writes to stderr without ending the line. */
      prompt: (text: string) => Effect.sync(() => screen.write(stderr, text)),
      /** Why results could not be written; nothing when they were, or when their reader has gone. */
      lost: () => lost,
      /** Colours for stdout. */
      resultPaint: makePaint(wantsColour(isWatched, colourVariables)),
      /** Colours for stderr. */
      emitPaint: makePaint(wantsColour(isHeard, colourVariables)),
      /** True when results appear before a person. */
      isWatched,
      /** True when a person can read a question on stderr and answer it on stdin, which Node opens when it is looked at. */
      get canAsk() {
        return isHeard && streams.stdin.isTTY === true
      },
      /** True when stdin is a pipe or a file. */
      get hasPipedInput() {
        return streams.stdin.isTTY !== true
      },
      /** The terminal behind stderr, above which everything is written. */
      screen: screen satisfies Screen as Screen,
      /** The columns of results before a person; nothing without a terminal. */
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

/** What is printed for programs and of errors ends up in logs, so secrets are taken out of it. */
/** A text without the secrets that are known here. */
export const redactText = makeRedaction(knownSecrets)

/** A value without them, before it becomes JSON. */
export const redactValue = makeValueRedaction(knownSecrets)

/** An event without them, for a line of text; values with methods of their own stay as they are. */
export const redactEvent = <A>(value: A): A => {
  if (typeof value === "string") return redactText(value) as A
  if (Array.isArray(value)) return value.map(redactEvent) as A
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redactEvent(one)])) as A
}

/**
 * Keeps stdout for a protocol alone: redirects to stderr whatever else writes to it, code of plugins too. Returns what writes for the protocol, one chunk
 * after another.
 */
export const reserveStdout = (): ((chunk: string | Uint8Array) => Promise<void>) => {
  const { stderr, stdout } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return (chunk) => new Promise((resolve) => void write(chunk, () => resolve()))
}
