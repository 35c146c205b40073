/** A terminal of which a test types the lines and reads the screen. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import type { Screen } from "../../src/cli/terminal/Screen.ts"
import { ControllingTerminal } from "../../src/cli/approval/TerminalQuestion.ts"
import { emitKeypressEvents, type Key } from "node:readline"
import { PassThrough } from "node:stream"

export interface FakeTerminal {
  /** What was shown on stderr so far. */
  readonly screen: () => string
  /** Types lines. */
  readonly type: (...lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Sends keys as a terminal does, one piece after another, to whoever reads keys. */
  readonly press: (...pieces: ReadonlyArray<string>) => Effect.Effect<void>
  /** Ctrl-D. */
  readonly end: Effect.Effect<void>
  readonly layer: Layer.Layer<Stdio.Stdio | Terminal.Terminal>
}

/** The keys of a piece of input, as Node reads them. */
const keysOf = (piece: string): ReadonlyArray<Terminal.UserInput> => {
  const found: Array<Terminal.UserInput> = []
  const input = new PassThrough()
  emitKeypressEvents(input)
  input.on("keypress", (text: string | undefined, { ctrl, meta, name, shift }: Key) =>
    found.push({
      input: Option.fromUndefinedOr(text),
      key: { name: name ?? "", ctrl: ctrl === true, meta: meta === true, shift: shift === true }
    })
  )
  input.emit("data", Buffer.from(piece))
  return found
}

/** Keys after which the terminal service gives no more. */
const quits = ({ key }: Terminal.UserInput): boolean =>
  key.name === "escape" || (key.ctrl && (key.name === "c" || key.name === "d"))

export const makeFakeTerminal = (
  isTerminal: { readonly stdin: boolean; readonly stderr: boolean },
  size: { readonly columns: number; readonly rows: number } = { columns: 200, rows: 100 },
  /** There is a terminal beside a redirected stderr; what is written to it appears on the screen, too. */
  hasOwn = false
) =>
  Effect.gen(function* () {
    const lines = yield* Queue.unbounded<string, Cause.Done>()
    const keys = yield* Queue.unbounded<string>()
    let screen = ""
    const controlling = hasOwn
      ? {
          write: (text: string) => Effect.sync(() => void (screen += text)),
          size: () => size,
          close: () => undefined
        }
      : undefined
    /** The keys of one piece after another, each once its reader has had time for the one before. */
    const readInput = Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      const deliver = Effect.gen(function* () {
        for (;;) {
          const piece = keysOf(yield* Queue.take(keys))
          for (const key of piece) Queue.offerUnsafe(queue, key)
          if (piece.some(quits)) return yield* Queue.end(queue)
          yield* Effect.sleep("100 millis")
        }
      })
      yield* Effect.forkScoped(deliver)
      return queue
    })
    const terminal = Terminal.make({
      columns: Effect.succeed(size.columns),
      rows: Effect.succeed(size.rows),
      size: Queue.unbounded<Terminal.Size, Cause.Done>(),
      readInput,
      readLine: Effect.mapError(Queue.take(lines), () => new Terminal.QuitError({})),
      display: () => Effect.die("stdout is for results")
    })
    const stdio = Stdio.layerTest({
      stdinIsTerminal: Effect.succeed(isTerminal.stdin),
      stderrIsTerminal: Effect.succeed(isTerminal.stderr),
      stderr: () =>
        Sink.forEach((chunk) =>
          Effect.sync(() => {
            screen += String(chunk)
          })
        )
    })
    const fake: FakeTerminal = {
      /* The marks of pastes are switched on and off; nothing of that is seen. */
      screen: () => screen.replaceAll("\u001b[?2004h", "").replaceAll("\u001b[?2004l", ""),
      type: (...typed) => Effect.asVoid(Queue.offerAll(lines, typed)),
      press: (...pieces) => Effect.asVoid(Queue.offerAll(keys, pieces)),
      end: Effect.asVoid(Queue.end(lines)),
      layer: Layer.mergeAll(
        stdio,
        Layer.succeed(Terminal.Terminal)(terminal),
        Layer.succeed(ControllingTerminal)(() => controlling)
      )
    }
    return fake
  })

/** A screen on which nothing is shown. */
export const noScreen: Screen = {
  canDraw: false,
  isUnicode: false,
  columns: () => undefined,
  show: () => undefined,
  hide: () => undefined
}
