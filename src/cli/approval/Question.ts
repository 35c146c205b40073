/**
 * A question at a terminal: its texts, its keys, and the answer of each key. A key acts at once if it answers only what
 * the question shows. A key that allows more needs Enter.
 */
import { nearest } from "../../domain/text/Nearest.ts"
import type { Answered, CallAnswer, UncertainAnswer, StepAnswer } from "../../domain/permissions/Answer.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import { type Asking, shortQuestion, wholeQuestion } from "./ApprovalText.ts"
import { framed, joiningBlank, keysJoined, type QuestionLine, type ScreenSize } from "./QuestionLines.ts"

/** Words that the user can type instead of the keys that need Enter. */
const fullWords = { repairs: "r", all: "a", kind: "k", project: "p", everywhere: "e" }
const keyOfWord: ReadonlyMap<string, string> = new Map([
  ...[..."rakpe"].map((key) => [key, key] as const),
  ...Object.entries(fullWords)
])

/** The keys that act at once. */
const singleKeys = new Set(["y", "n", "s"])

/** One of the answers that a question offers. */
interface Choice<A> {
  readonly key: "y" | "r" | "a" | "k" | "p" | "e" | "1,3" | "n" | "s"
  /** An example of what the user may type. Only for answers without a fixed key, such as numbers of calls. */
  readonly sample?: string
  /** The label in the line of keys, such as `yes`. */
  readonly label: string
  /** A sentence that explains this answer. */
  readonly explains: string
  /** Describes the text that may follow the key; absent if none may. */
  readonly takes?: string
  /** Converts the text after the key, or the typed numbers, to the answer. Undefined for invalid text. */
  readonly answer: (typed: string) => A | undefined
}

export type TypedAnswer<A> =
  | { readonly _tag: "Answer"; readonly answer: A }
  | { readonly _tag: "View" | "Help" | "Nothing" }
  | { readonly _tag: "Unknown"; readonly complaint: string }

const numbers = /^\d+(?:[\s,]+\d+)*,?$/

const readKey = <A>(pressed: string, choices: ReadonlyArray<Choice<A>>): TypedAnswer<A> | undefined => {
  const key = pressed.toLowerCase()
  if (key === "v" || key === "?") return { _tag: key === "v" ? "View" : "Help" }
  const answer = singleKeys.has(key) ? choices.find((one) => one.key === key)?.answer("") : undefined
  return answer === undefined ? undefined : { _tag: "Answer", answer }
}

/** Reads a typed line. Upper and lower case are the same. */
const readTyped = <A>(line: string, choices: ReadonlyArray<Choice<A>>): TypedAnswer<A> => {
  const text = line.trim()
  if (text === "") return { _tag: "Nothing" }
  const [word = "", argument = ""] = numbers.test(text) ? [] : (/^(\S+)\s*(.*)$/s.exec(text) ?? []).slice(1)
  const key = word === "" ? "1,3" : keyOfWord.get(word.toLowerCase())
  const choice = choices.find((one) => one.key === key)
  const answer = choice?.answer(key === "1,3" ? text : argument)
  if (answer !== undefined) return { _tag: "Answer", answer }
  const wrongRest =
    choice === undefined || key === "1,3" || argument === ""
      ? ""
      : ` Nothing${choice.takes === undefined ? "" : `, or ${choice.takes},`} can follow ${choice.key}.`
  const possible = choices.flatMap((one) => (one.key === "1,3" ? [] : [one.key])).join(", ")
  const sample = choices.find((one) => one.key === "1,3")?.sample
  const orNumbers = sample === undefined ? ", v or ?" : `, v, ? or numbers of calls such as ${sample}`
  const near = key === undefined ? nearest(word.toLowerCase(), [...keyOfWord.keys()])[0] : undefined
  const suggestion = near === undefined ? "" : ` Did you mean ${near}?`
  return {
    _tag: "Unknown",
    complaint: `That is not an answer here.${suggestion}${wrongRest} Press ${possible}${orNumbers}.`
  }
}

const labelsOf = <A>(choices: ReadonlyArray<Choice<A>>): ReadonlyArray<string> =>
  choices.map(({ key, label, sample }) => `${sample ?? key} ${label}`)

const joinedLabels = (labels: ReadonlyArray<string>): string =>
  labels
    .map((part, index, all) => `${part}${index === all.length - 1 ? "" : " ·"}`.replaceAll(" ", joiningBlank))
    .join(" ")

const isSingle = <A>({ key }: Choice<A>): boolean => singleKeys.has(key)

/** A line with the keys that act at once, and a line with those that need Enter. */
const keyLine = <A>(choices: ReadonlyArray<Choice<A>>): ReadonlyArray<QuestionLine> => {
  const longer = labelsOf(choices.filter((one) => !isSingle(one)))
  return [
    { text: joinedLabels([...labelsOf(choices.filter(isSingle)), "v view all", "? explain"]) },
    ...(longer.length === 0 ? [] : [{ text: `With Enter: ${joinedLabels(longer)}`, hang: 2 }])
  ]
}

const keyLines = <A>(choices: ReadonlyArray<Choice<A>>): ReadonlyArray<QuestionLine> => {
  const offered = new Set<string>(choices.map(({ key }) => key))
  const words = [...keyOfWord].flatMap(([word, key]) => (word.length > 1 && offered.has(key) ? [word] : []))
  const orWords = words.length === 0 ? "" : ` Whole words work too: ${words.join(", ")}.`
  const enter = choices.every(isSingle) ? "" : " y, n, v and ? act at once; the others need Enter."
  return [
    ...choices.map(({ explains, key, sample }) => [sample ?? key, explains] as const),
    ["v", "Shows all of it, a screen at a time: space goes on, b back, q returns to the question."] as const,
    ["?", `Shows this.${enter}${orWords}`] as const
  ].map(([key, text]) => ({ text: `${key.padEnd(4)}${keysJoined(text)}`, hang: 4 }))
}

/** An answer, and the rules that it saves for the project. */
export type Given<A> = Pick<Answered<A>, "always" | "answer">

/** The pattern of a rule, such as `src/**`. For a rule without a pattern, the name of its tool. */
const patternOf = (rule: string): string => rule.slice(rule.indexOf(":") + 1)

/** Replaces the hash of a version by words. Only the whole question shows hashes. */
const withoutHashes = (text: string): string => text.replaceAll(/ sha256:[0-9a-f]{64}/g, ", in exactly this version")

/** The calls that the answer "all of this kind" allows. Undefined if the question does not offer it. */
const kindText = ({ offers, targets, words }: ApprovalItem): string | undefined => {
  const session = offers?.session
  if (session === undefined) return undefined
  if (session === "exactly this call") return "this same call, whenever it comes again"
  const namedText = targets.reduce(
    (text, target, index) => text.replace(target, () => words?.names?.[index] ?? target),
    session
  )
  return withoutHashes(namedText)
}

/**
 * Tells the user which calls a rule covers. A rule without a pattern covers everyday files. If its calls have no
 * targets, it covers calls with any arguments.
 */
const ruleSummaryText = (rule: string, items: ReadonlyArray<ApprovalItem>): string => {
  if (rule.includes(":")) return withoutHashes(rule)
  const hasTargets = items.some(({ targets, tool }) => tool === rule && targets.length > 0)
  return hasTargets ? `${rule} for everyday files of this project` : `${rule} with any arguments`
}

/**
 * The calls that the answer "always in this project" allows, and further rules that the user can type. Undefined if no
 * rule is offered.
 */
const projectOffer = (items: ReadonlyArray<ApprovalItem>) => {
  const offered = items.map(({ offers }) => offers?.always ?? [])
  const rules = [...new Set(offered.flat())]
  const firsts = [...new Set(offered.flatMap((rules) => rules.slice(0, 1)))]
  if (firsts.length === 0) return undefined
  const others = rules.filter((rule) => !firsts.includes(rule)).map((rule) => `"p ${withoutHashes(patternOf(rule))}"`)
  const whole = firsts.map((rule) => ruleSummaryText(rule, items)).join(", ")
  return {
    text: `${whole}${others.length === 0 ? "" : `; also ${others.join(" or ")}`}`,
    patterns: [...new Set(rules.map((rule) => withoutHashes(patternOf(rule))))],
    /**
     * The rules that the user typed, as text, pattern or number. If the user typed nothing, the first rule of each
     * item.
     */
    chosen: (typed: string): ReadonlyArray<string> =>
      typed === "" ? firsts : rules.filter((rule, index) => [rule, patternOf(rule), String(index + 1)].includes(typed))
  }
}

const projectChoice = <A>(items: ReadonlyArray<ApprovalItem>, answer: A): ReadonlyArray<Choice<Given<A>>> => {
  const offer = projectOffer(items)
  if (offer === undefined) return []
  return [
    {
      key: "p",
      label: "always in this project",
      explains: `Yes, and always in this project: ${offer.text}. It is saved; "task-conductor permissions" lists and revokes it.`,
      takes: `one of ${offer.patterns.join(", ")}`,
      answer: (typed) => {
        const always = offer.chosen(typed)
        return always.length === 0 ? undefined : { answer, always }
      }
    }
  ]
}

const choice = <A>(key: Choice<A>["key"], label: string, explains: string, answer: A): Choice<Given<A>> => ({
  key,
  label,
  explains,
  answer: (typed) => (typed === "" ? { answer } : undefined)
})

/** The answer that approves the call and later repairs. Empty if no item offers repairs. */
const repairsChoice = (items: ReadonlyArray<ApprovalItem>): ReadonlyArray<Choice<{ readonly answer: "repairs" }>> => {
  const covered = items.flatMap(({ offers }) => offers?.repairs ?? [])
  const explains = `Yes, and to repairs when a check fails: ${[...new Set(covered)].join("; ")}. task-conductor asks about other files.`
  return covered.length === 0 ? [] : [choice("r", "yes, and repairs", explains, "repairs")]
}

const stepChoices = (items: ReadonlyArray<ApprovalItem>): ReadonlyArray<Choice<Given<StepAnswer>>> => {
  const possible = items.flatMap(({ call }, index) => (call === undefined ? [] : [index + 1]))
  const onlyChoice: Choice<Given<StepAnswer>> = {
    key: "1,3",
    /* With two calls, the example has only one number, because both numbers together approve the whole step. */
    sample: possible.length > 2 ? `${possible[0]},${possible[2]}` : `${possible[0]}`,
    label: possible.length > 2 ? "only these" : "only this",
    explains: `Only the calls with these numbers, of ${possible.join(", ")}. The others are denied.`,
    answer: (typed) => {
      const numbers = typed.split(/[\s,]+/).flatMap((word) => (word === "" ? [] : [Number(word)]))
      return numbers.every((one) => possible.includes(one)) ? { answer: { chosen: [...new Set(numbers)] } } : undefined
    }
  }
  return [
    choice("y", "yes", "Yes, to what this question shows.", "step"),
    ...repairsChoice(items),
    choice(
      "a",
      "yes to all later steps",
      "Yes, and to all later steps of this round without showing them. Calls that ask each time still ask.",
      "remaining"
    ),
    ...projectChoice<StepAnswer>(items, "step"),
    ...(possible.length > 1 ? [onlyChoice] : []),
    choice("n", "no", "No. You can then say what should be done instead.", "decline")
  ]
}

const callChoices = (item: ApprovalItem): ReadonlyArray<Choice<Given<CallAnswer>>> => {
  const remember = item.offers?.remember
  const kind = kindText(item)
  const explainsKind = `Yes, and to all of this kind until this run ends: ${kind}.`
  const everywhere = `Yes, and always in every project: ${withoutHashes(remember ?? "")}. It is saved.`
  return [
    choice("y", "yes", "Yes, once.", "once"),
    ...repairsChoice([item]),
    ...(kind === undefined ? [] : [choice<CallAnswer>("k", "yes to all of this kind", explainsKind, "session")]),
    ...projectChoice<CallAnswer>([item], "remember"),
    ...(remember === undefined ? [] : [choice<CallAnswer>("e", "always everywhere", everywhere, "remember")]),
    choice("n", "no", "No. After three denials of the same effect the task ends.", "deny")
  ]
}

/** Sentences about the keys that allow more than one call. */
const notesOf = (items: ReadonlyArray<ApprovalItem>, kind?: string): ReadonlyArray<string> => {
  const project = projectOffer(items)
  return [
    ...(kind === undefined ? [] : [`k = ${kind}, until this run ends`]),
    ...(project === undefined ? [] : [`p = ${project.text}`])
  ]
}

export interface Question<A> {
  readonly short: (size: ScreenSize) => string
  readonly whole: (size: ScreenSize) => string
  readonly help: (size: ScreenSize) => string
  /** The text before the cursor, such as "Allow? ". */
  readonly prompt: string
  readonly readKey: (pressed: string) => TypedAnswer<A> | undefined
  /** Reads a typed line as an answer, or says what is wrong with it. */
  readonly read: (line: string) => TypedAnswer<A>
}

const questionOf = <A>(asking: Asking, choices: ReadonlyArray<Choice<A>>, prompt: string): Question<A> => ({
  short: (size) => shortQuestion(asking, keyLine(choices), size),
  whole: (size) => wholeQuestion(asking, keyLines(choices), size),
  help: (size) => `${framed([], keyLines(choices), size).join("\n")}\n`,
  prompt,
  readKey: (pressed) => readKey(pressed, choices),
  read: (line) => readTyped(line, choices)
})

export const stepQuestion = (title: string, items: ReadonlyArray<ApprovalItem>): Question<Given<StepAnswer>> =>
  questionOf({ scope: "step", title, items, notes: notesOf(items) }, stepChoices(items), "Allow? ")

/** The question about one call. `title` may be empty. */
export const callQuestion = (title: string, item: ApprovalItem): Question<Given<CallAnswer>> =>
  questionOf(
    { scope: "call", title, items: [item], notes: notesOf([item], kindText(item)) },
    callChoices(item),
    "Allow? "
  )

/** The question whether an interrupted call took effect. */
export const uncertainQuestion = (item: ApprovalItem) =>
  questionOf<Given<UncertainAnswer>>(
    { scope: "doubt", title: item.task, items: [item] },
    [
      choice("y", "yes, it happened", "It happened: the run continues and does not repeat it.", "done"),
      choice("n", "no, run it again", "It did not happen: the run makes the call again.", "again"),
      choice("s", "stop", "The run stops here and can be resumed.", "stop")
    ],
    "Did it happen? "
  )
