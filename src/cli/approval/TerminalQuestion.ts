/**
 * Shows a question that fits the terminal, and reads keys until the user has answered. An invalid answer gets an
 * explanation. Input that was piped, pasted or typed before the question never counts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type PlatformError, badArgument } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { closeSync, openSync } from "node:fs"
import { isatty, WriteStream } from "node:tty"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type { Question, TypedAnswer } from "./Question.ts"
import { type ScreenSize, wrappedLine } from "./QuestionLines.ts"
import { printable } from "../../domain/text/Printable.ts"
import { pagesOf, textWidth } from "../../domain/text/TextWidth.ts"

interface TerminalOutput {
  readonly write: (text: string) => Effect.Effect<void, PlatformError>
  readonly size: () => { readonly columns: number; readonly rows: number }
  readonly close: () => void
}

const failed = (cause: Error): PlatformError =>
  badArgument({ module: "QuestionScreen", method: "write", description: "The terminal cannot be written", cause })

const openControllingTerminal = (): TerminalOutput | undefined => {
  try {
    const descriptor = openSync("/dev/tty", "w")
    if (!isatty(descriptor)) return void closeSync(descriptor)
    const stream = new WriteStream(descriptor)
    return {
      write: (text) =>
        Effect.callback((resume) => {
          stream.write(text, (error) => resume(error ? Effect.fail(failed(error)) : Effect.void))
        }),
      size: () => ({ columns: stream.columns, rows: stream.rows }),
      close: () => void stream.destroy()
    }
  } catch {
    /* The process has no terminal that controls it. */
    return undefined
  }
}

/** Opens the terminal that controls the process. Undefined if there is none. */
export const ControllingTerminal = Context.Reference<() => TerminalOutput | undefined>(
  "task-conductor/services/approvals/ControllingTerminal",
  { defaultValue: () => openControllingTerminal }
)

interface QuestionScreen {
  readonly show: (text: string) => Effect.Effect<void, PlatformError>
  readonly size: Effect.Effect<{ readonly columns: number; readonly rows: number }>
}

const usualSize = { columns: 80, rows: 24 }

const orUsual = ({ columns, rows }: { readonly columns: number; readonly rows: number }) => ({
  columns: columns || usualSize.columns,
  rows: rows || usualSize.rows
})

/** True if a user can see a question and answer it. */
export const canAsk = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal)) return false
  if (yield* stdio.stderrIsTerminal) return true
  const terminal = (yield* ControllingTerminal)()
  terminal?.close()
  return terminal !== undefined
})

/** The screen for one question. Undefined if nobody can answer. */
const openScreen: Effect.Effect<QuestionScreen | undefined, never, Stdio.Stdio | Terminal.Terminal | Scope.Scope> =
  Effect.gen(function* () {
    const stdio = yield* Stdio.Stdio
    const terminal = yield* Terminal.Terminal
    if (!(yield* stdio.stdinIsTerminal)) return undefined
    if (yield* stdio.stderrIsTerminal) {
      return {
        show: (text) => Stream.run(Stream.make(text), stdio.stderr()),
        size: Effect.all({ columns: terminal.columns, rows: terminal.rows }).pipe(
          /* If stdout is redirected, stderr gives the size. */
          Effect.map(({ columns, rows }) =>
            orUsual({ columns: columns || process.stderr.columns, rows: rows || process.stderr.rows })
          )
        )
      }
    }
    const open = yield* ControllingTerminal
    const own = yield* Effect.acquireRelease(Effect.sync(open), (found) => Effect.sync(() => found?.close()))
    return own === undefined ? undefined : { show: own.write, size: Effect.sync(() => orUsual(own.size())) }
  })

/**
 * When a question appears, keys are dropped until the user pauses for this time. A user who types without a pause has
 * not read the question.
 */
const typedAhead = "50 millis"
/** How long the terminal needs to change from reading keys to reading lines. */
const modeSwitchTime = "30 millis"
/** Keys within this time belong to one paste, because nobody types so fast. */
const pasteTime = "8 millis"

type Keys = Effect.Success<Terminal.Terminal["readInput"]>

const isQuit = ({ key }: Terminal.UserInput): boolean => key.ctrl && (key.name === "c" || key.name === "d")

/** Ctrl-C interrupts the program, as outside a question. Ctrl-D ends the input. */
const quit = Effect.fnUntraced(function* (pressed: ReadonlyArray<Terminal.UserInput>) {
  if (!pressed.some((one) => isQuit(one) && one.key.name === "c")) return yield* new Terminal.QuitError({})
  process.kill(process.pid, "SIGINT")
  return yield* Effect.never
})

/** Takes all waiting keys. */
const arrived = (keys: Keys) => Effect.orElseSucceed(Queue.clear(keys), () => [])

/** Drops the waiting keys, and keys that follow at once. True if any were dropped. */
const dropKeys = Effect.fnUntraced(function* (keys: Keys) {
  for (let hasDropped = false; ; hasDropped = true) {
    yield* Effect.sleep(typedAhead)
    const pressed = yield* arrived(keys)
    if (pressed.some(isQuit)) return yield* quit(pressed)
    if (pressed.length === 0) return hasDropped
  }
})

/**
 * Drops lines that the user finished before the question. The terminal keeps them while the program reads single keys.
 */
const dropLines = Effect.gen(function* () {
  const { readLine } = yield* Terminal.Terminal
  yield* Effect.sleep(modeSwitchTime)
  while (Option.isSome(yield* Effect.timeoutOption(readLine, "1 millis")));
})

/**
 * Drops all input from before the question: first the keys of an unfinished line, then finished lines. The terminal
 * passes on a finished line only as a line.
 */
const dropTypedAhead = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  yield* Effect.scoped(Effect.flatMap(terminal.readInput, dropKeys))
  yield* dropLines
})

const typedLine = Effect.flatMap(Terminal.Terminal, ({ readLine }) => Effect.map(readLine, (line) => line.trim()))

/** How many pages a key turns forwards: 0 for a key such as Enter, undefined for a key that leaves the pager. */
const turnOf = ({ input, key }: Terminal.UserInput): number | undefined => {
  const name = key.name === "escape" ? "q" : Option.getOrElse(input, () => key.name)
  if (name === "q") return undefined
  return name === " " || name === "space" ? 1 : name === "b" ? -1 : 0
}

export interface QuestionStyle {
  readonly isColoured: boolean
  /** True to ring the bell for each question. */
  readonly bell: boolean
}

/** "quit" means that the input ended, "unasked" that nobody could be asked. */
type Asked<A> = { readonly answer: A } | "quit" | "unasked"

export const ring = "\u0007"

/** Control sequences that make a terminal mark pasted text, and stop marking it. */
export const pasteMarks = { on: "\u001b[?2004h", off: "\u001b[?2004l" }

const pasted = { _tag: "Unknown", complaint: "Pasted text is not an answer: press a key." } as const

const textOf = ({ input, key }: Terminal.UserInput): string => {
  const text = Option.getOrElse(input, () => "")
  return key.ctrl || key.meta || printable(text) !== text ? "" : text
}

const isEnter = ({ key }: Terminal.UserInput): boolean => key.name === "return" || key.name === "enter"

/** Reads a key that answers at once, or a typed line. Pasted text counts only after typed text. */
const readAnswer = <A>(question: Question<A>, { show }: QuestionScreen, keys: Keys) =>
  Effect.gen(function* (): Effect.fn.Return<TypedAnswer<A> | "stop", Terminal.QuitError | PlatformError> {
    let line = ""
    for (;;) {
      const pressed = yield* Effect.orElseSucceed(Queue.take(keys), () => undefined)
      if (pressed === undefined) return yield* new Terminal.QuitError({})
      if (isQuit(pressed)) return yield* quit([pressed])
      if (pressed.key.ctrl && pressed.key.name === "z") return "stop"
      if (pressed.key.name === "escape") {
        yield* show("\n")
        return { _tag: "Nothing" }
      }
      if (line === "") {
        const typed = question.readKey(textOf(pressed))
        yield* Effect.sleep(typed === undefined ? pasteTime : typedAhead)
        const more = yield* arrived(keys)
        if (more.some(isQuit)) return yield* quit(more)
        if (more.length > 0 || pressed.key.name.startsWith("paste-")) {
          yield* dropKeys(keys)
          yield* show("\n")
          return pasted
        }
        if (typed !== undefined) {
          yield* show(`${textOf(pressed)}\n`)
          return typed
        }
      }
      if (isEnter(pressed)) {
        yield* show("\n")
        return question.read(line)
      }
      if (pressed.key.name === "backspace") {
        const last = [...line].at(-1) ?? ""
        line = line.slice(0, line.length - last.length)
        yield* show("\b \b".repeat(textWidth(last)))
      }
      line += textOf(pressed)
      yield* show(textOf(pressed))
    }
  })

/** Shows a text page by page, with the pager's keys below. */
const showPages = Effect.fnUntraced(function* (text: string, screen: QuestionScreen, { columns, rows }: ScreenSize) {
  const terminal = yield* Terminal.Terminal
  const pages = pagesOf(text, { columns, rows: rows - 1 })
  let status = ""
  const show = Effect.fnUntraced(function* (at: number) {
    const wiped = status === "" ? "" : `\r${" ".repeat(status.length)}\r`
    const where = `${at + 1} of ${pages.length}`
    const full = `-- ${where}${at + 1 < pages.length ? ", space: next" : ""}${at > 0 ? ", b: back" : ""}, q: question `
    status = full.length < columns ? full : `-- ${where}, q `
    yield* screen.show(`${wiped}${pages[at]}${status}`)
  })
  yield* show(0)
  const turn = Effect.gen(function* () {
    const keys = yield* terminal.readInput
    for (let at = 0; ;) {
      const pressed = yield* Effect.mapError(Queue.take(keys), () => new Terminal.QuitError({}))
      if (isQuit(pressed)) return yield* new Terminal.QuitError({})
      const by = turnOf(pressed)
      if (by === undefined) return
      if (by === 0 || pages[at + by] === undefined) continue
      at += by
      yield* show(at)
    }
  })
  yield* Effect.scoped(turn)
  yield* screen.show("\n")
})

/** Completes when a stopped process continues. The terminal may then read lines instead of keys. */
const continued = Effect.callback<"continued">((resume) => {
  const listener = (): void => resume(Effect.succeed("continued"))
  process.on("SIGCONT", listener)
  return Effect.sync(() => void process.off("SIGCONT", listener))
})

/** Stops the process group like Ctrl-Z. Completes when the user has continued it. */
const stopped = Effect.andThen(
  Effect.sync(() => void process.kill(0, "SIGTSTP")),
  Effect.sleep(modeSwitchTime)
)

const converse = Effect.fnUntraced(function* <A>(
  question: Question<A>,
  screen: QuestionScreen,
  { bell, isColoured }: QuestionStyle
): Effect.fn.Return<A, Terminal.QuitError | PlatformError, Terminal.Terminal> {
  const { readInput } = yield* Terminal.Terminal
  const size = Effect.map(screen.size, (found): ScreenSize => ({ ...found, isColoured }))
  const ask = Effect.flatMap(size, (seen) => screen.show(question.short(seen)))
  const nextInput = Effect.gen(function* () {
    const keys = yield* readInput
    yield* dropKeys(keys)
    yield* screen.show(`${pasteMarks.on}${question.prompt}`)
    return yield* readAnswer(question, screen, keys)
  })
  const talk = Effect.gen(function* () {
    yield* screen.show(bell ? ring : "")
    yield* ask
    for (;;) {
      const typed = yield* Effect.scoped(Effect.raceFirst(nextInput, continued))
      if (typed === "stop") yield* Effect.andThen(Effect.sleep(modeSwitchTime), stopped)
      if (typed === "continued") yield* Effect.sleep(modeSwitchTime)
      if (typed === "stop" || typed === "continued") {
        yield* ask
        continue
      }
      if (typed._tag === "Answer") return typed.answer
      const screenSize = yield* size
      if (typed._tag === "Unknown") {
        yield* screen.show(`${wrappedLine({ text: typed.complaint }, screenSize.columns).join("\n")}\n`)
      }
      if (typed._tag === "Help") yield* screen.show(question.help(screenSize))
      if (typed._tag !== "View") continue
      yield* showPages(question.whole(screenSize), screen, screenSize)
      yield* ask
    }
  })
  return yield* talk.pipe(
    Effect.ensuring(Effect.ignore(screen.show(pasteMarks.off))),
    Effect.tap(() => dropLines)
  )
})

/** Asks until the user has answered or the input ends. */
export const askOnScreen = <A>(question: Question<A>, style: QuestionStyle) =>
  Effect.gen(function* () {
    const screen = yield* openScreen
    if (screen === undefined) return "unasked"
    const sayEnded = Effect.ignore(screen.show("\nNot approved: the input ended.\n"))
    return yield* converse(question, screen, style).pipe(
      Effect.map((answer): Asked<A> => ({ answer })),
      Effect.catchTags({
        QuitError: () => Effect.as(sayEnded, "quit" as const),
        PlatformError: () => Effect.succeed("unasked" as const)
      })
    )
  }).pipe(Effect.scoped, Effect.withSpan("askOnScreen"))

/** Asks for a line of text. Enter alone and the end of input give an empty text. */
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
