/**
 * The keys that answer questions. A key means the same in every question; a question offers some of them.
 */
import { nearest } from "../text/Nearest.ts"
import { joiningBlank, keysJoined, type QuestionLine } from "./QuestionLines.ts"

/** What can be typed, in the order in which it is shown. */
const keys = ["y", "a", "p", "e", "1,3", "d", "n"] as const
export type AnswerKey = (typeof keys)[number]

/** Full words for the keys. */
const keyOfWord: ReadonlyMap<string, AnswerKey | "v" | "?"> = new Map([
  ...(["y", "a", "p", "e", "d", "n", "v", "?"] as const).map((key) => [key, key] as const),
  ["yes", "y"],
  ["all", "a"],
  ["project", "p"],
  ["everywhere", "e"],
  ["done", "d"],
  ["no", "n"],
  ["view", "v"],
  ["help", "?"],
  ["h", "?"]
])

/** One answer that a question offers. */
export interface Choice<A> {
  readonly key: AnswerKey
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
export type Typed<A> =
  | { readonly _tag: "Answer"; readonly answer: A }
  | { readonly _tag: "View" | "Help" | "Nothing" }
  | { readonly _tag: "Unknown"; readonly complaint: string }

const numbers = /^\d+(?:[\s,]+\d+)*,?$/

/** Reads a line; upper and lower case make no difference. */
export const readTyped = <A>(line: string, choices: ReadonlyArray<Choice<A>>): Typed<A> => {
  const text = line.trim()
  if (text === "") return { _tag: "Nothing" }
  const [word = "", rest = ""] = numbers.test(text) ? [] : (/^(\S+)\s*(.*)$/s.exec(text) ?? []).slice(1)
  const key = word === "" ? "1,3" : keyOfWord.get(word.toLowerCase())
  if (key === "v" || key === "?") return { _tag: key === "v" ? "View" : "Help" }
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
  return { _tag: "Unknown", complaint: `That is no answer here.${meant}${wrongRest} Type ${possible}${orNumbers}.` }
}

/** The keys in one line. */
export const keyLine = <A>(choices: ReadonlyArray<Choice<A>>): QuestionLine => ({
  text: [...choices.map(({ key, label, sample }) => `${sample ?? key} ${label}`), "v view all", "? explain"]
    .map((part, index, all) => `${part}${index === all.length - 1 ? "" : " ·"}`.replaceAll(" ", joiningBlank))
    .join(" ")
})

/** The words for the keys of these choices. */
const wordsOf = <A>(choices: ReadonlyArray<Choice<A>>): ReadonlyArray<string> => {
  const offered = new Set<string>([...choices.map(({ key }) => key), "v", "?"])
  return [...keyOfWord].flatMap(([word, key]) => (word.length > 1 && offered.has(key) ? [word] : []))
}

/** What each key does. */
export const keyLines = <A>(choices: ReadonlyArray<Choice<A>>): ReadonlyArray<QuestionLine> =>
  [
    ...choices.map(({ explains, key, sample }) => [sample ?? key, explains] as const),
    ["v", "Shows all of it, a screen at a time: space goes on, b back, q returns to the question."] as const,
    ["?", `Shows this. Whole words work too: ${wordsOf(choices).join(", ")}.`] as const
  ].map(([key, text]) => ({ text: `${key.padEnd(4)}${keysJoined(text)}`, hang: 4 }))
