/**
 * Reads messages with the input line: takes keys from the terminal, edits the line with them, and draws it. Between two
 * messages the terminal is as the person left it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"
import { Output } from "../terminal/Output.ts"
import { stepsOf } from "./KeyBatch.ts"
import { newLine, paste, pressKey, type Wish } from "./LineEditor.ts"
import { draw, layOut, type LineView, settled, type Size } from "./LineView.ts"
import type { MessageReader, Typed } from "./MessageReader.ts"

const marksPastes = "\u001b[?2004h"
const marksNoPastes = "\u001b[?2004l"
const clearScreen = "\u001b[H\u001b[2J"
const usualSize: Size = { columns: 80, rows: 24 }

/** The terminal goes back from keys to lines within this time. */
const settling = "30 millis"

/** The parts of a paste without marks come within this time, in milliseconds. */
const sameMs = 50

/** What is known of pastes between two batches of keys. */
interface Progress {
  isPasting: boolean
  isFirst: boolean
  pastedAt: number
}

/** The earlier messages, and where to add one. */
export interface MessageHistory {
  readonly messages: ReadonlyArray<string>
  readonly add: (message: string) => Effect.Effect<void>
}

/** Ends the process group as the terminal would, until the person brings it back. */
const suspend = Effect.andThen(
  Effect.sleep(settling),
  Effect.sync(() => process.kill(0, "SIGTSTP"))
)

export const makeLineReader = Effect.fnUntraced(function* (history: MessageHistory) {
  const terminal = yield* Terminal.Terminal
  const { prompt } = yield* Output
  let messages = history.messages
  let state = newLine(messages)
  let shown: LineView | undefined

  /** Stdout may be a file; the line is on stderr. */
  const size = Effect.gen(function* () {
    const columns = (yield* terminal.columns) || process.stderr.columns || usualSize.columns
    const rows = (yield* terminal.rows) || process.stderr.rows || usualSize.rows
    return { columns, rows } satisfies Size
  })
  const show = (viewOf: (now: Size) => LineView, end = "") =>
    Effect.flatMap(size, (now) => {
      const view = viewOf(now)
      const text = draw(view, shown, now.columns) + end
      shown = end === "" ? view : undefined
      return prompt(text)
    })
  const redraw = Effect.suspend(() => show((now) => layOut(state, now)))
  /** Leaves the line as it is on the screen and goes below it. */
  const leave = Effect.suspend(() => show((now) => settled(state.text.trimEnd(), now), "\r\n"))

  /** Edits with the keys of the queue until the person wants something; "again" when the queue ended without that. */
  const edit = Effect.fnUntraced(function* (progress: Progress) {
    const keys = yield* terminal.readInput
    /* Not before: keys that the terminal echoes itself would stand in the drawn line. */
    yield* redraw
    for (;;) {
      const batch = yield* Queue.takeAll(keys)
      const now = yield* Clock.currentTimeMillis
      const followsPaste = now - progress.pastedAt < sameMs
      const { isPasting, isUnmarked, steps } = stepsOf(batch, { ...progress, followsPaste })
      progress.isFirst = false
      progress.isPasting = isPasting
      if (isUnmarked) progress.pastedAt = now
      let wish: Wish | undefined
      for (const step of steps) {
        const edited = step._tag === "Paste" ? { state: paste(state, step.text) } : pressKey(state, step.key)
        state = edited.state
        wish = "wish" in edited ? edited.wish : undefined
        if (wish !== undefined) break
      }
      if (wish !== undefined) return wish
      yield* redraw
      if (batch.some(({ key }) => key.name === "escape" || (key.ctrl && key.name === "d"))) return "again" as const
    }
  }, Effect.scoped)

  const followSize = Effect.gen(function* () {
    const sizes = yield* terminal.size
    for (;;) {
      yield* Queue.take(sizes)
      yield* redraw
    }
  }).pipe(
    Effect.scoped,
    Effect.catchTag("Done", () => Effect.void)
  )

  const marked = <A, R>(work: Effect.Effect<A, never, R>) =>
    Effect.ensuring(Effect.andThen(prompt(marksPastes), work), prompt(marksNoPastes))

  /** The first wish that this reader does not grant itself. */
  const readWish = Effect.gen(function* () {
    const progress: Progress = { isPasting: false, isFirst: true, pastedAt: -sameMs }
    for (;;) {
      const wish = yield* Effect.catchTag(edit(progress), "Done", () => Effect.succeed("end" as const))
      if (wish === "send" || wish === "end" || wish === "suspend") return wish
      if (wish === "interrupt") {
        if (state.text === "") return wish
        state = newLine(messages)
      }
      if (wish === "redraw") {
        yield* prompt(clearScreen)
        shown = undefined
      }
    }
  })

  const remember = (text: string): Effect.Effect<void> => {
    if (text.trim() === "" || text === messages.at(-1)) return Effect.void
    messages = [...messages, text]
    return history.add(text)
  }

  const attempt = Effect.gen(function* () {
    const wish = yield* marked(Effect.raceFirst(readWish, Effect.andThen(followSize, Effect.never)))
    if (wish === "suspend") {
      yield* leave
      yield* suspend
      return undefined
    }
    yield* leave
    const text = state.text.trimEnd()
    if (wish === "send") {
      yield* remember(text)
      return { _tag: "Message", text } as Typed
    }
    return { _tag: wish === "interrupt" ? "Interrupt" : "End" } as Typed
  })

  const read = Effect.gen(function* () {
    state = newLine(messages)
    shown = undefined
    for (;;) {
      const typed = yield* attempt
      if (typed !== undefined) return typed
    }
  })
  const reader: MessageReader = {
    read,
    lineBreak: "Alt-Enter, Ctrl-J, or a backslash before Enter begins a new line.",
    leavesLine: false
  }
  return reader
})
