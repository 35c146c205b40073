/**
 * Where the messages of a conversation come from: a line that is edited with `node:readline`, or whole lines where a
 * terminal cannot move its cursor.
 */
import { createInterface } from "node:readline"
import { PassThrough, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"
import { pasteMarks } from "../approval/TerminalQuestion.ts"
import { Output } from "../terminal/Output.ts"
import { suspend } from "../terminal/Keys.ts"
import { completeLine, type Completion, noCompletions } from "./slashCommands.ts"

/** What a person typed: a message, Ctrl-C on an empty line, or the end of input. */
export type Typed =
  | { readonly _tag: "Message"; readonly text: string }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "End" }

/** Reads messages. After Ctrl-C and at the end of input the cursor stays in the line. */
export interface MessageReader {
  readonly read: Effect.Effect<Typed>
  /** Which keys there are, for the help. */
  readonly keys: string
}

/** Lines that come this soon after another were pasted with it: they are one message. */
const pasteGap = "30 millis"

/** One message: a line, lines that end with a backslash and what follows them, or all lines of a paste. */
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
  const read = Effect.gen(function* () {
    yield* prompt("> ")
    const text = yield* readMore([yield* terminal.readLine])
    return { _tag: "Message", text } as Typed
  }).pipe(Effect.catchTag("QuitError", () => Effect.succeed<Typed>({ _tag: "End" })))
  const reader: MessageReader = { read, keys: "A backslash at the end of a line continues it." }
  return reader
})

/** The earlier messages, the oldest first, and how one is added for later conversations. */
export interface MessageHistory {
  readonly messages: ReadonlyArray<string>
  readonly add: (message: string) => Effect.Effect<void>
}

const usualColumns = 80

/** How an edited line ends. A suspended one, or one that is edited elsewhere, goes on with its text. */
type Ending =
  | Typed
  | { readonly _tag: "Suspend"; readonly draft: string }
  | { readonly _tag: "Edit"; readonly draft: string }

/** What a line can be completed with; nothing where there is nothing to complete. */
export type Complete = (line: string) => Completion | undefined

const isReturn = ({ key }: Terminal.UserInput): boolean => key.name === "return" && !key.meta
const isLineFeed = ({ key }: Terminal.UserInput): boolean => key.name === "enter"
/** Keys after which the terminal gives no more until it is asked for keys again. */
const endsInput = ({ key }: Terminal.UserInput): boolean =>
  key.name === "escape" || (key.ctrl && /^[cd]$/.test(key.name))

/**
 * True for keys that a terminal without marks for pastes sends as a paste: a person does not press Enter twice, or go on
 * typing after it, before the program has read it.
 */
const isUnmarkedPaste = (keys: ReadonlyArray<Terminal.UserInput>): boolean => {
  const first = keys.findIndex(isReturn)
  return first !== -1 && first < keys.length - 1 && keys.every((one) => !one.key.ctrl || isLineFeed(one))
}

const inputOf = ({ input }: Terminal.UserInput): string => Option.getOrElse(input, () => "")

// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

const cleanPaste = (pasted: string): string => pasted.replace(/\r\n?/g, "\n").replace(controls, "")

/** A search in the messages before: the words, what was in the line, and the message that is shown, from the last. */
interface Search {
  readonly words: string
  readonly draft: string
  readonly at: number
}

const usualPrompt = "> "

/** One message that is edited. `write` shows pieces of text at the terminal. */
const editLine = (
  history: ReadonlyArray<string>,
  write: (text: string) => void,
  columns: () => number,
  complete: Complete = () => undefined
) => {
  const newestFirst = history.toReversed()
  let search: Search | undefined
  let ending: Ending | undefined
  let pasted: string | undefined
  let toInsert: string | undefined
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      write(String(chunk))
      done()
    }
  })
  Object.defineProperty(output, "columns", { get: columns })
  const line = createInterface({
    input: new PassThrough(),
    output,
    terminal: true,
    prompt: usualPrompt,
    history: newestFirst,
    historySize: history.length + 1,
    completer: (before: string) => {
      if (toInsert !== undefined) return [[before + toInsert], before]
      const found = complete(before)
      return found === undefined ? [[`${before}\t`], before] : [[...found.hits], found.part]
    }
  })

  /**
   * Puts text with line breaks at the cursor. Readline takes them only as a completion, and draws them as lines only when
   * something stands after them.
   */
  const insert = (text: string): void => {
    if (text === "") return
    line.write(" ")
    line.write(null, { name: "left" })
    toInsert = text
    line.write(null, { name: "tab" })
    toInsert = undefined
    line.write(null, { name: "delete" })
  }
  const replaceLine = (text: string): void => {
    line.write(null, { ctrl: true, name: "e" })
    line.write(null, { ctrl: true, name: "u" })
    insert(text)
  }
  /** Shows the message at `at` or the first one after it with these words. */
  const showFound = ({ at, draft, words }: Search): void => {
    const found = newestFirst.findIndex((one, index) => index >= at && one.toLowerCase().includes(words.toLowerCase()))
    search = { words, draft, at: found === -1 ? at : found }
    line.setPrompt(`search ${JSON.stringify(words)}${found === -1 ? ", nothing more" : ""}: `)
    if (found === -1) line.prompt(true)
    else replaceLine(newestFirst[found] ?? "")
  }
  const endSearch = (): void => {
    search = undefined
    line.setPrompt(usualPrompt)
    line.prompt(true)
  }
  /** Takes a key for the search; false for one that ends it and is a key of the line. */
  const searches = ({ key, ...one }: Terminal.UserInput): boolean => {
    const letter = inputOf({ key, ...one })
    if (key.ctrl && key.name === "r") {
      showFound(search === undefined ? { words: "", draft: line.line, at: 0 } : { ...search, at: search.at + 1 })
      return true
    }
    if (search === undefined) return false
    const { draft, words } = search
    if ((key.ctrl && key.name === "g") || key.name === "escape") {
      endSearch()
      replaceLine(draft)
      return true
    }
    const isErased = key.name === "backspace"
    if (isErased || (!key.ctrl && !key.meta && /^[^\p{Cc}]+$/u.test(letter))) {
      showFound({ draft, words: isErased ? words.slice(0, -1) : words + letter, at: 0 })
      return true
    }
    endSearch()
    return false
  }

  let text = ""
  line.on("line", () => {
    ending = { _tag: "Message", text: text.trimEnd() }
  })
  line.on("close", () => {
    ending ??= { _tag: "End" }
  })
  line.on("SIGINT", () => {
    if (line.line === "") ending = { _tag: "Interrupt" }
    line.write(null, { ctrl: true, name: "e" })
    line.write(null, { ctrl: true, name: "u" })
  })
  line.on("SIGTSTP", () => {
    ending = { _tag: "Suspend", draft: line.line }
    line.write(null, { ctrl: true, name: "e" })
    write("\r\n")
  })

  const press = (one: Terminal.UserInput, isTypedAhead: boolean): void => {
    const { key } = one
    const isStop = key.ctrl && key.name === "c"
    if (key.name === "paste-start") pasted = ""
    else if (key.name === "paste-end") {
      insert(cleanPaste(pasted ?? ""))
      pasted = undefined
    } else if (pasted !== undefined && !isStop) pasted += inputOf(one)
    else if (searches(one)) return
    else if (key.ctrl && key.name === "g") {
      ending = { _tag: "Edit", draft: line.line }
      line.write(null, { ctrl: true, name: "e" })
      write("\r\n")
    } else {
      /* A terminal that never marks the end of a paste must not hold the person. */
      pasted = undefined
      const isContinued = isReturn(one) && line.cursor === line.line.length && line.line.endsWith("\\")
      if (isContinued) line.write(null, { name: "backspace" })
      /* The event of the line gives the lines of its text in another order in some versions of Node. */
      text = line.line
      /* The terminal makes a line feed of an Enter that was pressed before its keys were read. */
      if (isLineFeed(one) && isTypedAhead) line.write("\r", { name: "return" })
      else if (isContinued || isLineFeed(one) || (key.meta && key.name === "return")) insert("\n")
      else line.write(inputOf(one), { ...key, sequence: inputOf(one) })
    }
  }
  return {
    insert,
    /** What was typed so far. */
    text: () => line.line,
    prompt: () => line.prompt(true),
    resize: () => output.emit("resize"),
    close: () => line.close(),
    /** Edits with keys that came together; says how the line ended, if it did. */
    pressAll: (keys: ReadonlyArray<Terminal.UserInput>, isFirst: boolean): Ending | undefined => {
      if (pasted === undefined && isUnmarkedPaste(keys) && !keys.some(({ key }) => key.name === "paste-start")) {
        insert(cleanPaste(keys.map(inputOf).join("")).replace(/\n$/, ""))
        return undefined
      }
      const isTypedAhead = isFirst && keys.findIndex(isLineFeed) === keys.length - 1
      for (const one of keys) {
        press(one, isTypedAhead)
        if (ending !== undefined) return ending
      }
      return undefined
    }
  }
}

const newLine = () =>
  editLine(
    [],
    () => undefined,
    () => usualColumns
  )

/** What is typed while an answer is given: messages that wait for its end, and one that is not finished. */
export const makeTypedAhead = () => {
  let queued: ReadonlyArray<string> = []
  let line = newLine()
  return {
    take: (keys: ReadonlyArray<Terminal.UserInput>): void => {
      const ending = line.pressAll(keys, false)
      if (ending === undefined) return
      const draft = line.text()
      line.close()
      line = newLine()
      if (ending._tag === "Message" && ending.text.trim() !== "") queued = [...queued, ending.text]
      if (ending._tag === "Suspend" || ending._tag === "Edit") line.insert(draft)
    },
    /** What a person sees of it. */
    lines: (): ReadonlyArray<string> => [
      ...queued.map((message) => `queued: ${message}`),
      ...(line.text() === "" ? [] : [`${usualPrompt}${line.text()}`])
    ],
    /** The first message that waits. */
    next: (): string | undefined => {
      const [first] = queued
      queued = queued.slice(1)
      return first
    },
    /** Lets nothing wait any more: it becomes a part of what is not finished. */
    hold: (): void => {
      const text = [...queued, line.text()].filter((one) => one !== "").join("\n")
      queued = []
      line.close()
      line = newLine()
      line.insert(text)
    },
    /** What is not finished, for the line that is read next. */
    draft: (): string => {
      const text = line.text()
      line.close()
      line = newLine()
      return text
    }
  }
}
export type TypedAhead = ReturnType<typeof makeTypedAhead>

/** The line with history, completion and pastes of several lines. `editText` is the editor of the person. */
export const makeLineReader = Effect.fnUntraced(function* (
  history: MessageHistory,
  {
    ahead = makeTypedAhead(),
    handOver = Effect.void,
    complete = (line) => completeLine(line, noCompletions),
    editText = Effect.succeed
  }: {
    readonly ahead?: TypedAhead
    /** Is done once the keys are read here. */
    readonly handOver?: Effect.Effect<void>
    readonly complete?: Complete
    readonly editText?: (text: string) => Effect.Effect<string>
  } = {}
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
      /* Not before: keys that the terminal echoes itself would stand in the drawn line. */
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
          return { _tag: "Message", text: queued } satisfies Ending
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

  const read = Effect.gen(function* () {
    let draft = ""
    for (;;) {
      const ending = yield* Effect.catchTag(edit(draft), "Done", () => Effect.succeed<Ending>({ _tag: "End" }))
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
  return { read, keys } satisfies MessageReader
})
