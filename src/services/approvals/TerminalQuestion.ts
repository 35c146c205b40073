/**
 * Asks a person at a terminal: shows a text on stderr, a screen at a time, and reads a line for an answer. Only a real
 * terminal counts; piped input is not an answer, and neither is text that was typed before the whole question was
 * shown.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { pagesOf } from "../../domain/text/TextPages.ts"

/** Parses a line into an answer; `fallback` counts when there is no usable answer. */
export interface Answers<A> {
  readonly read: (line: string) => A | undefined
  /** What Enter, end of input and Ctrl-D stand for, as it is shown in the prompt. */
  readonly fallback: { readonly shown: string; readonly answer: A }
  /** What to type, for somebody who typed something else; a full sentence. */
  readonly help: string
}

/** What a person answered; `hasQuit` is true when input ended or was stopped instead. */
export interface AnsweredLine<A> {
  readonly answer: A
  readonly hasQuit: boolean
}

/** Keys that arrive sooner than this were pressed before the prompt could be read. */
const typedAhead = "50 millis"
/** The terminal goes back from single keys to lines within this time. */
const settling = "30 millis"
const maxTries = 3
/** For a terminal that does not tell its size. */
const usualSize = { columns: 80, rows: 24 }

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
 * Drops what was typed until now. The terminal gives out an unfinished line only key by key, so it is asked for keys
 * for a moment. Ctrl-C or Ctrl-D among them count.
 */
const dropTypedAhead = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  const keys = Effect.gen(function* () {
    const queue = yield* terminal.readInput
    yield* Effect.sleep(typedAhead)
    return yield* Effect.orElseSucceed(Queue.clear(queue), () => [])
  })
  const pressed = yield* Effect.scoped(keys)
  if (pressed.some(({ key }) => key.ctrl && (key.name === "c" || key.name === "d"))) {
    return yield* new Terminal.QuitError({})
  }
  yield* Effect.sleep(settling)
  while (Option.isSome(yield* Effect.timeoutOption(terminal.readLine, "1 millis"))) {}
})

/** Shows the text; where it is longer than the screen, page by page. False when the person stops before its end. */
const showPages = Effect.fnUntraced(function* (text: string) {
  const terminal = yield* Terminal.Terminal
  const columns = (yield* terminal.columns) || usualSize.columns
  const rows = (yield* terminal.rows) || usualSize.rows
  const pages = pagesOf(text, { columns, rows: rows - 1 })
  for (const [index, page] of pages.entries()) {
    yield* show(page)
    if (index === pages.length - 1) return true
    yield* dropTypedAhead
    yield* show(`-- page ${index + 1} of ${pages.length}: Enter shows more, q denies -- `)
    if ((yield* terminal.readLine).trim().toLowerCase() === "q") return false
  }
  return true
})

const readAnswer = Effect.fnUntraced(function* <A>({ fallback, help, read }: Answers<A>, prompt: string) {
  const terminal = yield* Terminal.Terminal
  yield* dropTypedAhead
  for (let tries = 0; tries < maxTries; tries++) {
    yield* show(`${prompt} [${fallback.shown}]: `)
    const line = (yield* terminal.readLine).trim()
    const answer = line === "" ? fallback.answer : read(line)
    if (answer !== undefined) return answer
    yield* show(`${help}\n`)
  }
  return fallback.answer
})

/**
 * Shows the question to its end and waits for an answer. Enter, end of input, stopping on the way and three unusable
 * answers give the fallback; nothing when the question could not be shown.
 */
export const askLine = <A>(question: string, answers: Answers<A>, prompt: string) => {
  const quit: AnsweredLine<A> = { answer: answers.fallback.answer, hasQuit: true }
  const ask = Effect.gen(function* () {
    const isShown = yield* showPages(question)
    const answer = isShown ? yield* readAnswer(answers, prompt) : answers.fallback.answer
    const answered: AnsweredLine<A> = { answer, hasQuit: false }
    return answered
  })
  return ask.pipe(
    Effect.catchTags({ QuitError: () => Effect.succeed(quit), PlatformError: () => Effect.undefined }),
    Effect.withSpan("askLine")
  )
}

/** Asks for a line of free text; empty for Enter and for the end of input. */
export const askText = Effect.fn("askText")(
  function* (prompt: string) {
    const terminal = yield* Terminal.Terminal
    yield* dropTypedAhead
    yield* show(`${prompt}: `)
    return (yield* terminal.readLine).trim()
  },
  Effect.catchTags({ QuitError: () => Effect.succeed(""), PlatformError: () => Effect.succeed("") })
)
