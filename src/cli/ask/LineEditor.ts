/**
 * One message that is edited with `node:readline`: pastes, lines of several lines, and a search in the messages before.
 */
import * as Option from "effect/Option"
import type * as Terminal from "effect/Terminal"
import { createInterface } from "node:readline"
import { PassThrough, Writable } from "node:stream"
import type { Completion } from "./LineCompletion.ts"

/** What a person typed: a message, Ctrl-C on an empty line, or the end of input. */
export type Typed =
  | { readonly _tag: "Message"; readonly text: string }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "End" }

/** How an edited line ends. A suspended one, or one that is edited elsewhere, goes on with its text. */
export type LineEnding =
  | Typed
  | { readonly _tag: "Suspend"; readonly draft: string }
  | { readonly _tag: "Edit"; readonly draft: string }

/** What a line can be completed with; nothing where there is nothing to complete. */
export type Complete = (line: string) => Completion | undefined

const isReturn = ({ key }: Terminal.UserInput): boolean => key.name === "return" && !key.meta
const isLineFeed = ({ key }: Terminal.UserInput): boolean => key.name === "enter"
/** Keys after which the terminal gives no more until it is asked for keys again. */
export const endsInput = ({ key }: Terminal.UserInput): boolean =>
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

export const usualPrompt = "> "

/** A line of readline. Keys come by its `write`, and `draw` shows pieces of text at the terminal. */
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
  const goToEnd = (): void => line.write(null, { ctrl: true, name: "e" })
  const clear = (): void => {
    goToEnd()
    line.write(null, { ctrl: true, name: "u" })
  }
  return { line, insert, goToEnd, clear, resize: () => output.emit("resize") }
}

/** Searches in the messages before. Gives what takes a key: false for one that ends the search and is a key of the line. */
const makeSearch = ({ clear, insert, line }: ReturnType<typeof openLine>, newestFirst: ReadonlyArray<string>) => {
  let search: Search | undefined
  const replaceLine = (text: string): void => {
    clear()
    insert(text)
  }
  /** Shows the message at `at` or the first one after it with these words. */
  const showFound = ({ at, draft, words }: Search): void => {
    const found = newestFirst.findIndex((one, index) => index >= at && one.toLowerCase().includes(words.toLowerCase()))
    search = { words, draft, at: found === -1 ? at : found }
    line.setPrompt(`search ${JSON.stringify(words)}${found === -1 ? ", no more matches" : ""}: `)
    if (found === -1) line.prompt(true)
    else replaceLine(newestFirst[found] ?? "")
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

/** One message that is edited. `draw` shows pieces of text at the terminal. */
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
  /** Leaves the line as it is drawn. */
  const leave = (_tag: "Edit" | "Suspend"): void => {
    ending = { _tag, draft: line.line }
    goToEnd()
    draw("\r\n")
  }
  line.on("SIGTSTP", () => leave("Suspend"))

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
      leave("Edit")
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
    resize: opened.resize,
    close: () => line.close(),
    /** Edits with keys that came together; says how the line ended, if it did. */
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
