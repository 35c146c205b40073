/** Edits one message with `node:readline`, and adds pastes, text of several lines, and a search in earlier messages. */
import * as Option from "effect/Option"
import type * as Terminal from "effect/Terminal"
import { createInterface } from "node:readline"
import { PassThrough, Writable } from "node:stream"
import type { Completion } from "./LineCompletion.ts"

/** What the user entered: a message, Ctrl-C on an empty line, or the end of input. */
export type Typed =
  | { readonly _tag: "Message"; readonly text: string }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "End" }

/**
 * How the editing of a line ended. After a suspension or an external editor, editing continues with the text `draft`.
 */
export type LineEnding =
  | Typed
  | { readonly _tag: "Suspend"; readonly draft: string }
  | { readonly _tag: "Edit"; readonly draft: string }

export type Complete = (line: string) => Completion | undefined

const isReturn = ({ key }: Terminal.UserInput): boolean => key.name === "return" && !key.meta
const isLineFeed = ({ key }: Terminal.UserInput): boolean => key.name === "enter"
/** True for a key after which the terminal sends no keys until the program asks again. */
export const endsInput = ({ key }: Terminal.UserInput): boolean =>
  key.name === "escape" || (key.ctrl && /^[cd]$/.test(key.name))

/**
 * True for a paste on a terminal that does not mark pastes. Further keys arrive together with Enter, and nobody types
 * so fast.
 */
const isUnmarkedPaste = (keys: ReadonlyArray<Terminal.UserInput>): boolean => {
  const first = keys.findIndex(isReturn)
  return first !== -1 && first < keys.length - 1 && keys.every((one) => !one.key.ctrl || isLineFeed(one))
}

const inputOf = ({ input }: Terminal.UserInput): string => Option.getOrElse(input, () => "")

// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

const cleanPaste = (pasted: string): string => pasted.replace(/\r\n?/g, "\n").replace(controls, "")

/**
 * A search in earlier messages. `draft` is the text before the search. `at` is the position of the found message,
 * counted from the newest.
 */
interface Search {
  readonly words: string
  readonly draft: string
  readonly at: number
}

export const usualPrompt = "> "

/** A line of readline. `write` passes keys to it; `draw` prints its output. */
const openLine = (
  newestFirst: ReadonlyArray<string>,
  draw: (text: string) => void,
  columns: () => number,
  complete: Complete
) => {
  let toInsert: string | undefined
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      draw(String(chunk))
      done()
    }
  })
  Object.defineProperty(output, "columns", { get: columns })
  const line = createInterface({
    input: new PassThrough(),
    output,
    terminal: true,
    prompt: usualPrompt,
    history: [...newestFirst],
    historySize: newestFirst.length + 1,
    completer: (before: string) => {
      if (toInsert !== undefined) return [[before + toInsert], before]
      const found = complete(before)
      return found === undefined ? [[`${before}\t`], before] : [[...found.hits], found.part]
    }
  })

  /**
   * Inserts text of several lines at the cursor. Readline accepts several lines only as a completion, and draws them
   * only if text follows the cursor. So a blank is inserted first, and deleted at the end.
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
  const goToEnd = (): void => line.write(null, { ctrl: true, name: "e" })
  const clear = (): void => {
    goToEnd()
    line.write(null, { ctrl: true, name: "u" })
  }
  return { line, insert, goToEnd, clear, resize: () => output.emit("resize") }
}

/** Handles keys of the search in earlier messages. Returns false for a key that the line must handle. */
const makeSearch = ({ clear, insert, line }: ReturnType<typeof openLine>, newestFirst: ReadonlyArray<string>) => {
  let search: Search | undefined
  const replaceLine = (text: string): void => {
    clear()
    insert(text)
  }
  /** Searches from the position `at` on, and shows the first hit. */
  const showFound = ({ at, draft, words }: Search): void => {
    const hit = newestFirst.findIndex((one, index) => index >= at && one.toLowerCase().includes(words.toLowerCase()))
    search = { words, draft, at: hit === -1 ? at : hit }
    line.setPrompt(`search ${JSON.stringify(words)}${hit === -1 ? ", no more matches" : ""}: `)
    if (hit === -1) line.prompt(true)
    else replaceLine(newestFirst[hit] ?? "")
  }
  const endSearch = (): void => {
    search = undefined
    line.setPrompt(usualPrompt)
    line.prompt(true)
  }
  return (typed: Terminal.UserInput): boolean => {
    const { key } = typed
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
    const letter = inputOf(typed)
    const isErased = key.name === "backspace"
    if (isErased || (!key.ctrl && !key.meta && /^[^\p{Cc}]+$/u.test(letter))) {
      showFound({ draft, words: isErased ? words.slice(0, -1) : words + letter, at: 0 })
      return true
    }
    endSearch()
    return false
  }
}

/** Edits one message. `draw` prints text to the terminal. */
export const editLine = (
  history: ReadonlyArray<string>,
  draw: (text: string) => void,
  columns: () => number,
  complete: Complete = () => undefined
) => {
  const newestFirst = history.toReversed()
  const opened = openLine(newestFirst, draw, columns, complete)
  const { clear, goToEnd, insert, line } = opened
  const searches = makeSearch(opened, newestFirst)
  let ending: LineEnding | undefined
  let pasted: string | undefined
  let text = ""
  line.on("line", () => {
    ending = { _tag: "Message", text: text.trimEnd() }
  })
  line.on("close", () => {
    ending ??= { _tag: "End" }
  })
  line.on("SIGINT", () => {
    if (line.line === "") ending = { _tag: "Interrupt" }
    clear()
  })
  /** Ends editing. The line stays on the screen. */
  const leave = (_tag: "Edit" | "Suspend"): void => {
    ending = { _tag, draft: line.line }
    goToEnd()
    draw("\r\n")
  }
  line.on("SIGTSTP", () => leave("Suspend"))

  const press = (input: Terminal.UserInput, isTypedAhead: boolean): void => {
    const { key } = input
    const isStop = key.ctrl && key.name === "c"
    if (key.name === "paste-start") pasted = ""
    else if (key.name === "paste-end") {
      insert(cleanPaste(pasted ?? ""))
      pasted = undefined
    } else if (pasted !== undefined && !isStop) pasted += inputOf(input)
    else if (searches(input)) return
    else if (key.ctrl && key.name === "g") {
      leave("Edit")
    } else {
      /* Ctrl-C also ends a paste, because some terminals never mark the end. */
      pasted = undefined
      const isContinued = isReturn(input) && line.cursor === line.line.length && line.line.endsWith("\\")
      if (isContinued) line.write(null, { name: "backspace" })
      /*
       * Stores the text for the event `line`. Some versions of Node pass several lines to this event in the wrong
       * order.
       */
      text = line.line
      /* If the user pressed Enter before the program read keys, it arrives as a line feed. */
      if (isLineFeed(input) && isTypedAhead) line.write("\r", { name: "return" })
      else if (isContinued || isLineFeed(input) || (key.meta && key.name === "return")) insert("\n")
      else line.write(inputOf(input), { ...key, sequence: inputOf(input) })
    }
  }
  return {
    insert,
    text: () => line.line,
    prompt: () => line.prompt(true),
    resize: opened.resize,
    close: () => line.close(),
    /** Handles keys that arrived together. Returns how the line ended. Undefined if editing goes on. */
    pressAll: (keys: ReadonlyArray<Terminal.UserInput>, isFirst: boolean): LineEnding | undefined => {
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
