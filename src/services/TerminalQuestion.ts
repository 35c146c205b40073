/**
 * Asks a person at a terminal: shows a text on stderr and reads a numbered answer. Only a real terminal counts; piped
 * input is not an answer. Called by Approver.layerTerminal.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"

/** What can be answered: by number, and what counts when nothing, or nothing usable, is answered. */
export interface Answers<A> {
  readonly byNumber: ReadonlyMap<string, A>
  /** The number that stands for Enter, end of input and Ctrl-D. */
  readonly fallback: string
}

/** Lines that arrive sooner than this were typed before the question could be read. */
const typedAhead = "50 millis"
const maxTries = 3

const dropTypedAhead = Effect.fnUntraced(function* (terminal: Terminal.Terminal) {
  while (Option.isSome(yield* Effect.timeoutOption(terminal.readLine, typedAhead))) {}
})

/** True when a person can see a question and answer it. */
export const canAsk = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  return (yield* stdio.stdinIsTerminal) && (yield* stdio.stderrIsTerminal)
})

const show = Effect.fnUntraced(function* (text: string) {
  const stdio = yield* Stdio.Stdio
  yield* Stream.run(Stream.make(text), stdio.stderr())
})

/**
 * Shows the question and waits for a number. Enter, end of input and three unusable answers give the fallback; none when
 * the question could not be shown.
 */
export const askNumber = Effect.fn("askNumber")(
  function* <A>(question: string, { byNumber, fallback }: Answers<A>) {
    const terminal = yield* Terminal.Terminal
    yield* dropTypedAhead(terminal)
    yield* show(question)
    for (let tries = 0; tries < maxTries; tries++) {
      yield* show(`Answer [${fallback}]: `)
      const line = (yield* terminal.readLine).trim()
      const answer = byNumber.get(line === "" ? fallback : line)
      if (answer !== undefined) return Option.some(answer)
      yield* show(`Answer with one of: ${[...byNumber.keys()].join(", ")}.\n`)
    }
    return Option.fromUndefinedOr(byNumber.get(fallback))
  },
  (effect, _question, { byNumber, fallback }) =>
    Effect.catchTags(effect, {
      QuitError: () => Effect.succeed(Option.fromUndefinedOr(byNumber.get(fallback))),
      PlatformError: () => Effect.succeedNone
    })
)
