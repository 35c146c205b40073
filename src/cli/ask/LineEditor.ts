/**
 * The input line of a conversation as a pure model: a key turns one state into the next, and may say that the message is
 * complete or that the person wants something else.
 */
import { after, before, blankBefore, lineEnd, lineStart, verticallyFrom, wordAfter, wordBefore } from "./TextCursor.ts"

/** A key, by its name at a terminal. `text` is what it types, if anything. */
export interface Key {
  readonly name: string
  readonly text?: string
  readonly ctrl?: boolean
  readonly meta?: boolean
}

interface Line {
  readonly text: string
  /** A place in the text, in UTF-16 units. */
  readonly cursor: number
}

export interface EditorState extends Line {
  /** Earlier states of the line, the newest last. */
  readonly undone: ReadonlyArray<Line>
  /** True while characters are typed one after another: they are undone together. */
  readonly isTyping: boolean
  /** What was cut last, to be inserted with Ctrl-Y. */
  readonly cut: string
  /** Earlier messages, the oldest first. */
  readonly history: ReadonlyArray<string>
  /** Which of them is shown; the number of them for the new message. */
  readonly shown: number
  /** The new message while an earlier one is shown. */
  readonly draft: string
}

/** What the person wants: to send the message, to give up or leave, to leave, to draw again, to suspend the program. */
export type Wish = "send" | "interrupt" | "end" | "redraw" | "suspend"

export interface Edited {
  readonly state: EditorState
  readonly wish?: Wish
}

const mostUndone = 100

/** An empty line above the messages of the history. */
export const newLine = (history: ReadonlyArray<string>): EditorState => ({
  text: "",
  cursor: 0,
  undone: [],
  isTyping: false,
  cut: "",
  history,
  shown: history.length,
  draft: ""
})

const moveTo = (state: EditorState, cursor: number): EditorState => ({ ...state, cursor, isTyping: false })

/** The state with another line, which can be undone. */
const change = (state: EditorState, line: Line, isTyping = false): EditorState => ({
  ...state,
  ...line,
  isTyping,
  undone:
    isTyping && state.isTyping
      ? state.undone
      : [...state.undone, { text: state.text, cursor: state.cursor }].slice(-mostUndone)
})

/** Puts a text at the cursor. */
export const insert = (state: EditorState, added: string, isTyping = false): EditorState => {
  const { cursor, text } = state
  if (added === "") return state
  const line = { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length }
  return change(state, line, isTyping)
}

// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Puts a pasted text at the cursor: its lines stay lines, and control characters go. Nothing is sent. */
export const paste = (state: EditorState, pasted: string): EditorState =>
  insert(state, pasted.replace(/\r\n?/g, "\n").replace(controls, ""))

const remove = (state: EditorState, from: number, to: number): EditorState =>
  from >= to
    ? moveTo(state, state.cursor)
    : change(state, { text: state.text.slice(0, from) + state.text.slice(to), cursor: from })

const cutOut = (state: EditorState, from: number, to: number): EditorState =>
  from >= to ? state : { ...remove(state, from, to), cut: state.text.slice(from, to) }

const undo = (state: EditorState): EditorState => {
  const last = state.undone.at(-1)
  return last === undefined ? state : { ...state, ...last, undone: state.undone.slice(0, -1), isTyping: false }
}

/** Shows another message of the history; the new one stays where it was left. */
const recall = (state: EditorState, shown: number): EditorState => {
  if (shown < 0 || shown > state.history.length) return state
  const draft = state.shown === state.history.length ? state.text : state.draft
  const text = state.history[shown] ?? draft
  return { ...state, text, cursor: text.length, shown, draft, undone: [], isTyping: false }
}

const up = (state: EditorState): EditorState => {
  const at = verticallyFrom(state.text, state.cursor, -1)
  return at === undefined ? recall(state, state.shown - 1) : moveTo(state, at)
}

const down = (state: EditorState): EditorState => {
  const at = verticallyFrom(state.text, state.cursor, 1)
  return at === undefined ? recall(state, state.shown + 1) : moveTo(state, at)
}

/** Enter sends, unless a backslash before it asks for another line. */
const enter = (state: EditorState): Edited =>
  state.text.endsWith("\\") && state.cursor === state.text.length
    ? { state: insert(remove(state, state.text.length - 1, state.text.length), "\n") }
    : { state, wish: "send" }

type Edit = (state: EditorState) => EditorState

const toLineStart: Edit = (state) => moveTo(state, lineStart(state.text, state.cursor))
const toLineEnd: Edit = (state) => moveTo(state, lineEnd(state.text, state.cursor))
const left: Edit = (state) => moveTo(state, before(state.text, state.cursor))
const right: Edit = (state) => moveTo(state, after(state.text, state.cursor))
const wordLeft: Edit = (state) => moveTo(state, wordBefore(state.text, state.cursor))
const wordRight: Edit = (state) => moveTo(state, wordAfter(state.text, state.cursor))
const deleteBefore: Edit = (state) => remove(state, before(state.text, state.cursor), state.cursor)
const deleteAfter: Edit = (state) => remove(state, state.cursor, after(state.text, state.cursor))
const cutWord: Edit = (state) => cutOut(state, blankBefore(state.text, state.cursor), state.cursor)
const cutWordBack: Edit = (state) => cutOut(state, wordBefore(state.text, state.cursor), state.cursor)
const cutWordAfter: Edit = (state) => cutOut(state, state.cursor, wordAfter(state.text, state.cursor))
const cutToStart: Edit = (state) => cutOut(state, lineStart(state.text, state.cursor), state.cursor)
/** At the end of a line it joins the next one, as in other editors. */
const cutToEnd: Edit = (state) => {
  const end = lineEnd(state.text, state.cursor)
  return cutOut(state, state.cursor, end === state.cursor ? after(state.text, end) : end)
}
const breakLine: Edit = (state) => insert(state, "\n")

const plain: Readonly<Record<string, Edit>> = {
  left,
  right,
  up,
  down,
  home: toLineStart,
  end: toLineEnd,
  backspace: deleteBefore,
  delete: deleteAfter,
  /* What Ctrl-J sends. */
  enter: breakLine
}

const withCtrl: Readonly<Record<string, Edit>> = {
  a: toLineStart,
  b: left,
  e: toLineEnd,
  f: right,
  h: deleteBefore,
  j: breakLine,
  k: cutToEnd,
  n: down,
  p: up,
  u: cutToStart,
  w: cutWord,
  y: (state) => insert(state, state.cut),
  _: undo,
  left: wordLeft,
  right: wordRight,
  delete: cutWordAfter,
  backspace: cutWordBack
}

const withMeta: Readonly<Record<string, Edit>> = {
  b: wordLeft,
  d: cutWordAfter,
  f: wordRight,
  left: wordLeft,
  right: wordRight,
  backspace: cutWordBack,
  return: breakLine,
  enter: breakLine
}

const wishOf = (state: EditorState, { ctrl, name }: Key): Wish | undefined => {
  if (ctrl !== true) return undefined
  if (name === "c") return "interrupt"
  if (name === "d" && state.text === "") return "end"
  if (name === "l") return "redraw"
  return name === "z" ? "suspend" : undefined
}

const ctrlUnderscore = "\u001f"

/** What a key does. Keys without a meaning change nothing. */
export const pressKey = (state: EditorState, key: Key): Edited => {
  const wish = wishOf(state, key)
  if (wish !== undefined) return { state, wish }
  const { ctrl = false, meta = false, name, text = "" } = key
  if (name === "return" && !meta) return enter(state)
  if (text === ctrlUnderscore) return { state: undo(state) }
  if (ctrl && name === "d") return { state: deleteAfter(state) }
  const edit = (ctrl ? withCtrl : meta ? withMeta : plain)[name]
  if (edit !== undefined) return { state: edit(state) }
  if (ctrl || meta || name === "escape") return { state }
  return { state: insert(state, name === "tab" ? "\t" : text.replace(controls, ""), true) }
}
