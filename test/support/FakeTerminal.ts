/** A terminal of which a test types the lines and reads the screen. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { ControllingTerminal } from "../../src/services/approvals/QuestionScreen.ts"

export interface FakeTerminal {
  /** What was shown on stderr so far. */
  readonly screen: () => string
  /** Types lines. */
  readonly type: (...lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Presses keys one by one, for what reads single keys. */
  readonly press: (...keys: ReadonlyArray<string>) => Effect.Effect<void>
  /** Ctrl-D. */
  readonly end: Effect.Effect<void>
  readonly layer: Layer.Layer<Stdio.Stdio | Terminal.Terminal>
}

export const makeFakeTerminal = (
  isTerminal: { readonly stdin: boolean; readonly stderr: boolean },
  size: { readonly columns: number; readonly rows: number } = { columns: 200, rows: 100 },
  /** There is a terminal beside a redirected stderr; what is written to it appears on the screen, too. */
  hasOwn = false
) =>
  Effect.gen(function* () {
    const lines = yield* Queue.unbounded<string, Cause.Done>()
    const keys = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
    let screen = ""
    const controlling = hasOwn
      ? {
          write: (text: string) => Effect.sync(() => void (screen += text)),
          size: () => size,
          close: () => undefined
        }
      : undefined
    const terminal = Terminal.make({
      columns: Effect.succeed(size.columns),
      rows: Effect.succeed(size.rows),
      size: Effect.die("not used"),
      readInput: Effect.succeed(keys),
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
      screen: () => screen,
      press: (...pressed) =>
        Effect.asVoid(
          Queue.offerAll(
            keys,
            pressed.map((name) => ({
              input: Option.some(name),
              key: { name, ctrl: false, meta: false, shift: false }
            }))
          )
        ),
      type: (...typed) => Effect.asVoid(Queue.offerAll(lines, typed)),
      end: Effect.asVoid(Queue.end(lines)),
      layer: Layer.mergeAll(
        stdio,
        Layer.succeed(Terminal.Terminal)(terminal),
        Layer.succeed(ControllingTerminal)(() => controlling)
      )
    }
    return fake
  })
