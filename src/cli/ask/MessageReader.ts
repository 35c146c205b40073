/**
 * Where the messages of a conversation come from: the input line at a terminal, or whole lines where a terminal cannot
 * move its cursor.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Terminal from "effect/Terminal"
import { Output } from "../terminal/Output.ts"

/** What a person typed: a message, Ctrl-C on an empty line, or the end of input. */
export type Typed =
  | { readonly _tag: "Message"; readonly text: string }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "End" }

export interface MessageReader {
  readonly read: Effect.Effect<Typed>
  /** How to type more than one line, for the help. */
  readonly lineBreak: string
  /** True when the cursor stays in the line of the prompt after Ctrl-C and at the end of input. */
  readonly leavesLine: boolean
}

/** Lines that come this soon after another were pasted with it: they are one message. */
const pasted = "30 millis"

/** One message: a line, lines that end with a backslash and what follows them, or all lines of a pasted text. */
export const makePlainReader = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  const { prompt } = yield* Output
  const readMore = Effect.fnUntraced(function* (lines: Array<string>) {
    for (;;) {
      const last = lines.at(-1) ?? ""
      if (last.endsWith("\\")) {
        lines.splice(-1, 1, last.slice(0, -1), yield* terminal.readLine)
        continue
      }
      const next = yield* Effect.timeoutOption(terminal.readLine, pasted).pipe(
        Effect.catchTag("QuitError", () => Effect.succeedNone)
      )
      if (Option.isNone(next)) return lines.join("\n")
      lines.push(next.value)
    }
  })
  const read = Effect.gen(function* () {
    yield* prompt("> ")
    const text = yield* readMore([yield* terminal.readLine])
    return { _tag: "Message", text } as Typed
  }).pipe(Effect.catchTag("QuitError", () => Effect.succeed<Typed>({ _tag: "End" })))
  const reader: MessageReader = { read, lineBreak: "A backslash at the end of a line continues it.", leavesLine: true }
  return reader
})
