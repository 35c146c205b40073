/**
 * The interactive session of `ask`: a prompt, a message or a slash command, an answer, and again. Ctrl-C stops an
 * answer; pressed twice at the prompt, it leaves.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { ConversationWorld } from "../../app/conversation.ts"
import type { AskSession } from "../../services/conversation/Asker.ts"
import { Output } from "../terminal/Output.ts"
import { Signals } from "../terminal/Signals.ts"
import type { MessageReader, Typed } from "./MessageReader.ts"
import { runCommand } from "./runCommand.ts"
import { slashCommandIn } from "./slashCommands.ts"

/** A Ctrl-C that comes so soon after another is the same one: npx passes on what the terminal has sent to both. */
const sameInterruptMs = 150

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

/** How a person talks: what they type, and where the text of answers goes. */
export interface Talking {
  readonly reader: MessageReader
  readonly listen: (piece: string) => void
}

/** Reads and answers messages until the person leaves, or wants another model, which comes back. */
export const talk = Effect.fn("talk")(function* (
  session: AskSession,
  world: ConversationWorld,
  { listen, reader }: Talking
) {
  const { tell } = yield* Output
  const interrupts = yield* interruptQueue
  const scene = { session, world, lineBreak: reader.lineBreak }

  /** What was typed; nothing when the person leaves. */
  const read = (asksToLeave: boolean): Effect.Effect<string | undefined> =>
    Effect.gen(function* () {
      const typed = yield* Effect.raceFirst(
        reader.read,
        Effect.map(Queue.take(interrupts), (): Typed => ({ _tag: "Interrupt" }))
      )
      if (typed._tag === "Message") return typed.text
      if (reader.leavesLine) yield* tell("")
      if (typed._tag === "End" || asksToLeave) return undefined
      yield* tell("Press Ctrl-C again, or Ctrl-D, to leave.")
      return yield* read(true)
    })

  for (;;) {
    const message = yield* read(false)
    if (message === undefined) return undefined
    const command = slashCommandIn(message)
    if (command?._tag === "Exit") return undefined
    if (command?._tag === "Unknown") yield* tell(command.text)
    else if (command?._tag === "Command") {
      const { next, said } = yield* runCommand(command, scene)
      if (said !== "") yield* tell(said)
      if (next !== undefined) return next
    } else if (message.trim() !== "") {
      yield* Effect.raceFirst(Effect.asVoid(session.send(message, listen)), Effect.asVoid(Queue.take(interrupts)))
    }
  }
}, Effect.scoped)
