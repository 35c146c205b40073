/**
 * The lines of a question, which wrap and cut to the width of a terminal, and the keys that answer questions. A question
 * offers some of them. Those that answer once count as soon as they are pressed; what allows more than the question shows is
 * ended with Enter.
 */
import { textWidth } from "../text/TextWidth.ts"
import { nearest } from "../text/Nearest.ts"

export type LineStyle = "added" | "removed" | "bold" | "caution" | "dim"

export interface QuestionLine {
  readonly text: string
  readonly style?: LineStyle
  /** How far the rest of a wrapped line is indented. */
  readonly hang?: number
  /** Source text: broken where the width ends, and not between words. */
  readonly isSource?: boolean
}

/** The size of a screen, and whether it has colours. */
export interface ScreenSize {
  readonly columns: number
  readonly rows: number
  readonly isColoured: boolean
}

const codes: Readonly<Record<LineStyle, readonly [open: number, close: number]>> = {
  added: [32, 39],
  removed: [31, 39],
  bold: [1, 22],
  caution: [33, 39],
  dim: [2, 22]
}

const painted = (text: string, style: LineStyle | undefined, isColoured: boolean): string => {
  if (style === undefined || !isColoured) return text
  const [open, close] = codes[style]
  return `\u001b[${open}m${text}\u001b[${close}m`
}

/** A narrower column holds no words. */
const least = 12

/** The text in pieces of at most this width; a piece has at least one character. */
const cut = (text: string, width: number): readonly [head: string, rest: string] => {
  let used = 0
  let end = 0
  for (const character of text) {
    used += textWidth(character)
    if (used > width && end > 0) break
    end += character.length
  }
  return [text.slice(0, end), text.slice(end)]
}

/** Where a line that is too long is broken: after the last blank that fits, or where the width ends. */
const broken = (text: string, width: number, isSource: boolean): readonly [head: string, rest: string] => {
  const [head, rest] = cut(text, width)
  if (isSource || rest === "" || rest.startsWith(" ")) return [head, isSource ? rest : rest.trimStart()]
  const blank = head.lastIndexOf(" ")
  return blank <= 0 ? [head, rest] : [head.slice(0, blank), text.slice(blank + 1)]
}

/** A blank at which no line is broken; foreign text holds none, since it is made printable. */
const joiningBlank = "\u00a0"

/** A key in quotes stays on one line with what is typed after it: `"p src/**"`. */
export const keysJoined = (text: string): string => text.replaceAll(/"([a-z]) (?=[^\s"])/g, `"$1${joiningBlank}`)

/** The rows that one line takes. */
export const wrappedLine = (
  { hang = 0, isSource = false, text }: QuestionLine,
  width: number
): ReadonlyArray<string> => {
  const rows: Array<string> = []
  const indent = " ".repeat(Math.min(hang, Math.max(0, width - least)))
  let left = text.replaceAll("\t", "    ")
  do {
    const before = rows.length === 0 ? "" : indent
    const [head, rest] = broken(left, Math.max(1, width - before.length), isSource)
    rows.push(before + head.replaceAll(joiningBlank, " "))
    left = rest
  } while (left !== "")
  return rows
}

/** The rows with their frame: it opens with the first one; `foot` closes it. */
export const framed = (
  body: ReadonlyArray<QuestionLine>,
  foot: ReadonlyArray<QuestionLine>,
  { columns, isColoured }: ScreenSize
): ReadonlyArray<string> => {
  const width = Math.max(least, columns - 3)
  const rows = (lines: ReadonlyArray<QuestionLine>) =>
    lines.flatMap((line) => wrappedLine(line, width).map((text) => painted(text, line.style, isColoured)))
  return [
    ...rows(body).map((row, index) => `${index === 0 ? "╭" : "│"} ${row}`.trimEnd()),
    ...rows(foot).map((row, index) => `${index === 0 ? "╰" : " "} ${row}`)
  ]
}

/** How many rows these lines take on the screen. */
export const rowCount = (lines: ReadonlyArray<QuestionLine>, columns: number): number =>
  lines.reduce((sum, line) => sum + wrappedLine(line, Math.max(least, columns - 3)).length, 0)

/** Full words for the keys that are ended with Enter. */
const fullWords = { repairs: "r", all: "a", kind: "k", project: "p", everywhere: "e" }
const keyOfWord: ReadonlyMap<string, string> = new Map([
  ...[..."rakpe"].map((key) => [key, key] as const),
  ...Object.entries(fullWords)
])

/** The keys that count without Enter. */
const singleKeys = new Set(["y", "n", "s"])

/** One answer that a question offers. */
export interface Choice<A> {
  readonly key: "y" | "r" | "a" | "k" | "p" | "e" | "1,3" | "n" | "s"
  /** What is typed for it in this question, where that is not the key: numbers that there are. */
  readonly sample?: string
  /** In the line of keys, such as `yes`. */
  readonly label: string
  /** A sentence that says what it does in this question. */
  readonly explains: string
  /** What may be typed after the key; absent when it stands alone. */
  readonly takes?: string
  /** The answer for what was typed after the key, or for the numbers; nothing when it is none. */
  readonly answer: (typed: string) => A | undefined
}

/** What somebody typed. */
export type TypedAnswer<A> =
  | { readonly _tag: "Answer"; readonly answer: A }
  | { readonly _tag: "View" | "Help" | "Nothing" }
  | { readonly _tag: "Unknown"; readonly complaint: string }

const numbers = /^\d+(?:[\s,]+\d+)*,?$/

/** What a key means that is pressed first; nothing when it begins a line. */
export const readKey = <A>(pressed: string, choices: ReadonlyArray<Choice<A>>): TypedAnswer<A> | undefined => {
  const key = pressed.toLowerCase()
  if (key === "v" || key === "?") return { _tag: key === "v" ? "View" : "Help" }
  const answer = singleKeys.has(key) ? choices.find((one) => one.key === key)?.answer("") : undefined
  return answer === undefined ? undefined : { _tag: "Answer", answer }
}

/** Reads a line that was ended with Enter; upper and lower case make no difference. */
export const readTyped = <A>(line: string, choices: ReadonlyArray<Choice<A>>): TypedAnswer<A> => {
  const text = line.trim()
  if (text === "") return { _tag: "Nothing" }
  const [word = "", rest = ""] = numbers.test(text) ? [] : (/^(\S+)\s*(.*)$/s.exec(text) ?? []).slice(1)
  const key = word === "" ? "1,3" : keyOfWord.get(word.toLowerCase())
  const choice = choices.find((one) => one.key === key)
  const answer = choice?.answer(key === "1,3" ? text : rest)
  if (answer !== undefined) return { _tag: "Answer", answer }
  const wrongRest =
    choice === undefined || key === "1,3" || rest === ""
      ? ""
      : ` Nothing${choice.takes === undefined ? "" : `, or ${choice.takes},`} can follow ${choice.key}.`
  const possible = choices.flatMap((one) => (one.key === "1,3" ? [] : [one.key])).join(", ")
  const sample = choices.find((one) => one.key === "1,3")?.sample
  const orNumbers = sample === undefined ? ", v or ?" : `, v, ? or numbers of calls such as ${sample}`
  const near = key === undefined ? nearest(word.toLowerCase(), [...keyOfWord.keys()])[0] : undefined
  const meant = near === undefined ? "" : ` Did you mean ${near}?`
  return { _tag: "Unknown", complaint: `That is no answer here.${meant}${wrongRest} Press ${possible}${orNumbers}.` }
}

const labelsOf = <A>(choices: ReadonlyArray<Choice<A>>): ReadonlyArray<string> =>
  choices.map(({ key, label, sample }) => `${sample ?? key} ${label}`)

const joinedLabels = (labels: ReadonlyArray<string>): string =>
  labels
    .map((part, index, all) => `${part}${index === all.length - 1 ? "" : " ·"}`.replaceAll(" ", joiningBlank))
    .join(" ")

const isSingle = <A>({ key }: Choice<A>): boolean => singleKeys.has(key)

/** The keys: those that count when they are pressed, and below them those that are ended with Enter. */
export const keyLine = <A>(choices: ReadonlyArray<Choice<A>>): ReadonlyArray<QuestionLine> => {
  const longer = labelsOf(choices.filter((one) => !isSingle(one)))
  return [
    { text: joinedLabels([...labelsOf(choices.filter(isSingle)), "v view all", "? explain"]) },
    ...(longer.length === 0 ? [] : [{ text: `With Enter: ${joinedLabels(longer)}`, hang: 2 }])
  ]
}

/** What each key does. */
export const keyLines = <A>(choices: ReadonlyArray<Choice<A>>): ReadonlyArray<QuestionLine> => {
  const offered = new Set<string>(choices.map(({ key }) => key))
  const words = [...keyOfWord].flatMap(([word, key]) => (word.length > 1 && offered.has(key) ? [word] : []))
  const orWords = words.length === 0 ? "" : ` Whole words work too: ${words.join(", ")}.`
  const enter = choices.every(isSingle) ? "" : " y, n, v and ? count at once, the others with Enter."
  return [
    ...choices.map(({ explains, key, sample }) => [sample ?? key, explains] as const),
    ["v", "Shows all of it, a screen at a time: space goes on, b back, q returns to the question."] as const,
    ["?", `Shows this.${enter}${orWords}`] as const
  ].map(([key, text]) => ({ text: `${key.padEnd(4)}${keysJoined(text)}`, hang: 4 }))
}
