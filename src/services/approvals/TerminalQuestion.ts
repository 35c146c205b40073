/**
 * Asks a person at a terminal: shows a question that fits the screen, and reads lines until one is an answer. Enter alone
 * repeats the prompt, and what is no answer is said to be none. Only a real terminal counts; piped input is not an answer,
 * and neither is text that was typed before the question was shown.
 */
import * as Effect from "effect/Effect"
import type * as Terminal from "effect/Terminal"
import type { PlatformError } from "effect/PlatformError"
import type { Typed } from "../../domain/permissions/AnswerKeys.ts"
import { type ScreenSize, wrappedLine } from "../../domain/permissions/QuestionLines.ts"
import { pagesOf } from "../../domain/text/TextPages.ts"
import { onContinue, openScreen, type QuestionScreen } from "./QuestionScreen.ts"
import { dropTypedAhead, turnPages, typedLine } from "./TypedKeys.ts"

/** How questions are shown. */
export interface QuestionStyle {
  readonly isColoured: boolean
  /** Whether the terminal rings when a question appears. */
  readonly bell: boolean
}

/** A question: its texts for a screen, and how a line is read. */
export interface Question<A> {
  readonly short: (size: ScreenSize) => string
  readonly whole: (size: ScreenSize) => string
  readonly help: (size: ScreenSize) => string
  /** Stands before what is typed. */
  readonly prompt: string
  readonly read: (line: string) => Typed<A>
}

/** What became of a question. */
export type Asked<A> =
  | { readonly _tag: "Answered"; readonly answer: A }
  /** The input ended, or was stopped. */
  | { readonly _tag: "Quit" }
  /** Nobody could be asked. */
  | { readonly _tag: "Unasked" }

const ring = "\u0007"

/** Shows a text page by page. The keys of the pager stand below each page, and are taken away with the next. */
const showPages = Effect.fnUntraced(function* (text: string, screen: QuestionScreen, { columns, rows }: ScreenSize) {
  const pages = pagesOf(text, { columns, rows: rows - 1 })
  let at = 0
  let status = ""
  const show = Effect.fnUntraced(function* () {
    const wiped = status === "" ? "" : `\r${" ".repeat(status.length)}\r`
    const where = `${at + 1} of ${pages.length}`
    const full = `-- ${where}${at + 1 < pages.length ? ", space: next" : ""}${at > 0 ? ", b: back" : ""}, q: question `
    status = full.length < columns ? full : `-- ${where}, q `
    yield* screen.show(`${wiped}${pages[at]}${status}`)
  })
  yield* show()
  yield* turnPages((key) =>
    Effect.gen(function* () {
      const next = at + (key === "next" ? 1 : -1)
      if (next < 0 || next >= pages.length) return true
      at = next
      yield* show()
      return true
    })
  )
  yield* screen.show("\n")
})

const converse = Effect.fnUntraced(function* <A>(
  question: Question<A>,
  screen: QuestionScreen,
  { bell, isColoured }: QuestionStyle
): Effect.fn.Return<A, Terminal.QuitError | PlatformError, Terminal.Terminal> {
  const size = Effect.map(screen.size, (found): ScreenSize => ({ ...found, isColoured }))
  const ask = Effect.gen(function* () {
    yield* screen.show(question.short(yield* size))
  })
  let isPrompted = false
  const again = Effect.suspend(() =>
    isPrompted ? Effect.andThen(ask, screen.show(question.prompt)) : Effect.void
  ).pipe(Effect.ignore)
  const talk = Effect.gen(function* () {
    yield* onContinue(again)
    yield* screen.show(bell ? ring : "")
    yield* ask
    yield* dropTypedAhead
    for (;;) {
      isPrompted = true
      yield* screen.show(question.prompt)
      const typed = question.read(yield* typedLine)
      isPrompted = false
      if (typed._tag === "Answer") return typed.answer
      if (typed._tag === "Unknown") {
        const { columns } = yield* size
        yield* screen.show(`${wrappedLine({ text: typed.complaint }, columns).join("\n")}\n`)
      }
      if (typed._tag === "Help") yield* screen.show(question.help(yield* size))
      if (typed._tag !== "View") continue
      const seen = yield* size
      yield* showPages(question.whole(seen), screen, seen)
      yield* ask
      yield* dropTypedAhead
    }
  })
  return yield* Effect.scoped(talk)
})

/** Asks until there is an answer. When the input ends, that is said. */
export const askOnScreen = <A>(question: Question<A>, style: QuestionStyle) =>
  Effect.gen(function* () {
    const screen = yield* openScreen
    const unasked: Asked<A> = { _tag: "Unasked" }
    if (screen === undefined) return unasked
    return yield* converse(question, screen, style).pipe(
      Effect.map((answer): Asked<A> => ({ _tag: "Answered", answer })),
      Effect.catchTags({
        QuitError: () =>
          Effect.ignore(screen.show("\nNot approved: the input ended.\n")).pipe(Effect.as<Asked<A>>({ _tag: "Quit" })),
        PlatformError: () => Effect.succeed(unasked)
      })
    )
  }).pipe(Effect.scoped, Effect.withSpan("askOnScreen"))

/** Asks for a line of free text; empty for Enter and for the end of input. */
export const askText = (prompt: string) =>
  Effect.gen(function* () {
    const screen = yield* openScreen
    if (screen === undefined) return ""
    yield* dropTypedAhead
    yield* screen.show(`${prompt}: `)
    return yield* typedLine
  }).pipe(
    Effect.scoped,
    Effect.catchTags({ QuitError: () => Effect.succeed(""), PlatformError: () => Effect.succeed("") }),
    Effect.withSpan("askText")
  )
