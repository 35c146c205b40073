/**
 * Reads the messages of a conversation from an editable line. If the terminal cannot move its cursor, reads whole
 * lines.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"
import { pasteMarks } from "../approval/TerminalQuestion.ts"
import { Output } from "../terminal/Output.ts"
import { suspend } from "../terminal/Keys.ts"
import { type Complete, editLine, endsInput, type LineEnding, type Typed, usualPrompt } from "./LineEditor.ts"
import { completeLine, noCompletions } from "./LineCompletion.ts"

/** Reads messages. After Ctrl-C and at the end of input, the cursor stays in the line. */
export interface MessageReader {
  readonly read: Effect.Effect<Typed>
  /** The help about keys. */
  readonly keys: string
}

/** Lines that arrive within this time belong to one paste, which is one message. */
const pasteGap = "30 millis"

/** Reads a message: one line, several lines that end with a backslash, or all lines of a paste. */
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
      const next = yield* Effect.timeoutOption(terminal.readLine, pasteGap).pipe(
        Effect.catchTag("QuitError", () => Effect.succeedNone)
      )
      if (Option.isNone(next)) return lines.join("\n")
      lines.push(next.value)
    }
  })
  const readMessage = Effect.gen(function* () {
    yield* prompt("> ")
    const text = yield* readMore([yield* terminal.readLine])
    return { _tag: "Message", text } as Typed
  }).pipe(Effect.catchTag("QuitError", () => Effect.succeed<Typed>({ _tag: "End" })))
  const reader: MessageReader = { read: readMessage, keys: "A backslash at the end of a line continues it." }
  return reader
})

/** Earlier messages, oldest first. */
export interface MessageHistory {
  readonly messages: ReadonlyArray<string>
  readonly add: (message: string) => Effect.Effect<void>
}

const usualColumns = 80

const newLine = () =>
  editLine(
    [],
    () => undefined,
    () => usualColumns
  )

/** What the user types while the model answers: queued messages, and an unfinished message. */
export const makeTypedAhead = () => {
  let queued: ReadonlyArray<string> = []
  let line = newLine()
  const takeText = (): string => {
    const text = line.text()
    line.close()
    line = newLine()
    return text
  }
  return {
    take: (keys: ReadonlyArray<Terminal.UserInput>): void => {
      const ending = line.pressAll(keys, false)
      if (ending === undefined) return
      const draft = takeText()
      if (ending._tag === "Message" && ending.text.trim() !== "") queued = [...queued, ending.text]
      if (ending._tag === "Suspend" || ending._tag === "Edit") line.insert(draft)
    },
    lines: (): ReadonlyArray<string> => [
      ...queued.map((message) => `queued: ${message}`),
      ...(line.text() === "" ? [] : [`${usualPrompt}${line.text()}`])
    ],
    next: (): string | undefined => {
      const [first] = queued
      queued = queued.slice(1)
      return first
    },
    /** Moves the queued messages back into the unfinished message. */
    hold: (): void => {
      const text = [...queued, takeText()].filter((one) => one !== "").join("\n")
      queued = []
      line.insert(text)
    },
    /** Takes the unfinished message. The user continues it in the next line. */
    draft: takeText
  }
}
export type TypedAhead = ReturnType<typeof makeTypedAhead>

interface LineReaderOptions {
  readonly ahead?: TypedAhead
  /** Runs when the reader begins to read keys. */
  readonly handOver?: Effect.Effect<void>
  readonly complete?: Complete
  /** Opens the editor of the user with a text. */
  readonly editText?: (text: string) => Effect.Effect<string>
}

/** Reads messages that the user types in an editable line, with history, completion and pasted lines. */
export const makeLineReader = Effect.fnUntraced(function* (
  history: MessageHistory,
  {
    ahead = makeTypedAhead(),
    handOver = Effect.void,
    complete = (line) => completeLine(line, noCompletions),
    editText = Effect.succeed
  }: LineReaderOptions = {}
) {
  const terminal = yield* Terminal.Terminal
  const { prompt, screen } = yield* Output
  const write = (text: string): void => Effect.runSync(prompt(text))
  const messages = [...history.messages]

  const edit = Effect.fnUntraced(function* (draft: string) {
    const line = yield* Effect.acquireRelease(
      Effect.sync(() => editLine(messages, write, () => screen.columns() ?? usualColumns, complete)),
      (one) => Effect.sync(one.close)
    )
    yield* Effect.acquireRelease(
      Effect.sync(() => process.stderr.on("resize", line.resize)),
      () => Effect.sync(() => process.stderr.off("resize", line.resize))
    )
    yield* Effect.acquireRelease(prompt(pasteMarks.on), () => prompt(pasteMarks.off))
    const readKeys = Effect.gen(function* () {
      const keys = yield* terminal.readInput
      yield* handOver
      /* The prompt is printed only now, because the terminal could echo keys into an earlier prompt. */
      line.prompt()
      return keys
    })
    let isFirst = true
    for (;;) {
      const ending = yield* Effect.gen(function* () {
        const keys = yield* readKeys
        const queued = isFirst ? ahead.next() : undefined
        if (queued !== undefined) {
          line.insert(queued)
          write("\r\n")
          return { _tag: "Message", text: queued } satisfies LineEnding
        }
        if (isFirst) line.insert([draft, ahead.draft()].filter((text) => text !== "").join("\n"))
        for (;;) {
          const batch = yield* Queue.takeAll(keys)
          const ending = line.pressAll(batch, isFirst)
          isFirst = false
          if (ending !== undefined || batch.some(endsInput)) return ending
        }
      }).pipe(Effect.scoped)
      if (ending !== undefined) return ending
    }
  }, Effect.scoped)

  const readMessage = Effect.gen(function* () {
    let draft = ""
    for (;;) {
      const ending = yield* Effect.catchTag(edit(draft), "Done", () => Effect.succeed<LineEnding>({ _tag: "End" }))
      if (ending._tag === "Edit") {
        draft = yield* editText(ending.draft)
        continue
      }
      if (ending._tag !== "Suspend") {
        if (ending._tag === "Message" && ending.text.trim() !== "" && ending.text !== messages.at(-1)) {
          messages.push(ending.text)
          yield* history.add(ending.text)
        }
        return ending
      }
      draft = ending.draft
      yield* suspend
    }
  })
  const keys =
    "Alt-Enter, Ctrl-J, or a backslash before Enter begins a new line. Up and Down show earlier messages, Ctrl-R searches them, Tab completes, Ctrl-G opens your editor."
  return { read: readMessage, keys } satisfies MessageReader
})
