/**
 * The interactive session of `ask`: a prompt, a message or a slash command, an answer, and again. Ctrl-C stops an
 * answer; pressed twice at the prompt, it leaves.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"
import type { Rule } from "../../domain/permissions/Permission.ts"
import type { AskSession } from "../../services/conversation/Asker.ts"
import { showCommand, slashCommandIn } from "./slashCommands.ts"
import { Output } from "../terminal/Output.ts"
import { Signals } from "../terminal/Signals.ts"

/** A Ctrl-C that comes so soon after another is the same one: npx passes on what the terminal has sent to both. */
const sameInterruptMs = 150

/** Lines that come this soon after another were pasted with it: they are one message. */
const pasted = "30 millis"

const interruptQueue = Effect.gen(function* () {
  const interrupts = yield* Queue.unbounded<"interrupt">()
  const clock = yield* Clock.Clock
  let last = -sameInterruptMs
  yield* (yield* Signals).onInterrupt(() => {
    const now = clock.currentTimeMillisUnsafe()
    if (now - last >= sameInterruptMs) Queue.offerUnsafe(interrupts, "interrupt")
    last = now
  })
  return interrupts
})

/** One message: a line, or all lines of a pasted text. Fails at the end of input. */
const readMessage = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  const lines = [yield* terminal.readLine]
  for (;;) {
    const next = yield* Effect.timeoutOption(terminal.readLine, pasted).pipe(
      Effect.catchTag("QuitError", () => Effect.succeedNone)
    )
    if (Option.isNone(next)) return lines.join("\n")
    lines.push(next.value)
  }
})

/**
 * Reads and answers messages until the person leaves. `rules` are those of flags and configuration; `listen` prints the
 * text of answers.
 */
export const talk = Effect.fn("talk")(function* (
  session: AskSession,
  rules: ReadonlyArray<Rule>,
  listen: (piece: string) => void
) {
  const { prompt, tell } = yield* Output
  const interrupts = yield* interruptQueue
  yield* tell("Write a message and press Enter; /help lists the commands.")

  /** What was typed; nothing when the person leaves. */
  const read = (asksToLeave: boolean): Effect.Effect<string | undefined, never, Terminal.Terminal> =>
    Effect.gen(function* () {
      yield* prompt("> ")
      const typed = yield* Effect.raceFirst(
        Effect.catchTag(readMessage, "QuitError", () => Effect.as(tell(""), undefined)),
        Queue.take(interrupts).pipe(Effect.as(null))
      )
      if (typed !== null) return typed
      yield* tell("")
      if (asksToLeave) return undefined
      yield* tell("Press Ctrl-C again, or Ctrl-D, to leave.")
      return yield* read(true)
    })

  for (;;) {
    const message = yield* read(false)
    if (message === undefined) return
    const command = slashCommandIn(message)
    if (command === "quit") return
    if (command !== undefined) yield* tell(yield* showCommand(command, session, rules))
    else if (message.trim() !== "") {
      yield* Effect.raceFirst(Effect.asVoid(session.send(message, listen)), Effect.asVoid(Queue.take(interrupts)))
    }
  }
}, Effect.scoped)
