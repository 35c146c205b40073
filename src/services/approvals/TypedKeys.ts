/**
 * What a person types at a question: whole lines, single keys for a pager, and what was typed before a question could be
 * read, which never counts.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"

/** Keys that arrive sooner than this were pressed before the prompt could be read. */
const typedAhead = "50 millis"
/** The terminal goes back from single keys to lines within this time. */
const settling = "30 millis"

const isQuit = ({ key }: Terminal.UserInput): boolean => key.ctrl && (key.name === "c" || key.name === "d")

/**
 * Drops what was typed until now. The terminal gives out an unfinished line only key by key, so it is asked for keys
 * for a moment. Ctrl-C or Ctrl-D among them count.
 */
export const dropTypedAhead = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  const keys = Effect.gen(function* () {
    const queue = yield* terminal.readInput
    yield* Effect.sleep(typedAhead)
    return yield* Effect.orElseSucceed(Queue.clear(queue), () => [])
  })
  const pressed = yield* Effect.scoped(keys)
  if (pressed.some(isQuit)) return yield* new Terminal.QuitError({})
  yield* Effect.sleep(settling)
  while (Option.isSome(yield* Effect.timeoutOption(terminal.readLine, "1 millis"))) {}
})

/** A line without the blanks around it. */
export const typedLine = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  return (yield* terminal.readLine).trim()
})

/** What a key of the pager does. */
type PagerKey = "next" | "back" | "quit"

const pagerKeyOf = ({ input, key }: Terminal.UserInput): PagerKey | undefined => {
  if (key.name === "escape") return "quit"
  switch (Option.getOrElse(input, () => key.name)) {
    case " ":
    case "space":
      return "next"
    case "b":
      return "back"
    case "q":
      return "quit"
    default:
      return undefined
  }
}

/** Gives the keys of a pager to `turn`, until it returns false. Other keys, Enter among them, do nothing. */
export const turnPages = <E, R>(turn: (key: PagerKey) => Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal.Terminal
    const queue = yield* terminal.readInput
    for (;;) {
      const pressed = yield* Effect.mapError(Queue.take(queue), () => new Terminal.QuitError({}))
      if (isQuit(pressed)) return yield* new Terminal.QuitError({})
      const key = pagerKeyOf(pressed)
      if (key === "quit") return
      if (key !== undefined && !(yield* turn(key))) return
    }
  }).pipe(Effect.scoped)
