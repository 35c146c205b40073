/**
 * The approver that asks the person at the terminal. Without a terminal everything is denied by nobody; the end of input denies,
 * or stops.
 */
import { type Choice, keyLine, keyLines, readKey, readTyped, framed } from "../../domain/permissions/QuestionLines.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import {
  type Answered,
  type CallAnswer,
  type DoubtAnswer,
  type StepAnswer,
  type WordsAnswer,
  Approver,
  isStart,
  unanswered
} from "./Approver.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { type Asking, shortQuestion, wholeQuestion } from "../../domain/permissions/ApprovalText.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { printableLines } from "../../domain/text/Printable.ts"
import { canAsk, askOnScreen, askText, ring, type Question, type QuestionStyle } from "./TerminalQuestion.ts"

/** An answer, with the rules that were chosen for the project. */
type Given<A> = Pick<Answered<A>, "always" | "answer">

/** The part of a rule after the tool; the tool of a rule without a pattern. */
const patternOf = (rule: string): string => rule.slice(rule.indexOf(":") + 1)

/** Hashes of versions say nothing to a person; the whole question shows them. */
const withoutHashes = (text: string): string => text.replaceAll(/ sha256:[0-9a-f]{64}/g, ", in exactly this version")

/** What "all of this kind" is, with targets as a person knows them; nothing where it is not offered. */
const kindText = ({ offers, targets, words }: ApprovalItem): string | undefined => {
  const session = offers?.session
  if (session === undefined) return undefined
  if (session === "exactly this call") return "this same call, whenever it comes again"
  const named = targets.reduce(
    (text, target, index) => text.replace(target, () => words?.names?.[index] ?? target),
    session
  )
  return withoutHashes(named)
}

/** A rule in words; without a pattern it covers everyday files, or all calls of a tool that names no target. */
const ruleSummaryText = (rule: string, items: ReadonlyArray<ApprovalItem>): string => {
  if (rule.includes(":")) return withoutHashes(rule)
  const hasTargets = items.some(({ targets, tool }) => tool === rule && targets.length > 0)
  return hasTargets ? `${rule} for everyday files of this project` : `${rule} with any arguments`
}

/** What "always in this project" covers, and what can be typed to choose less or something else; nothing without rules. */
const projectOffer = (items: ReadonlyArray<ApprovalItem>) => {
  const offered = items.map(({ offers }) => offers?.always ?? [])
  const all = [...new Set(offered.flat())]
  const firsts = [...new Set(offered.flatMap((rules) => rules.slice(0, 1)))]
  if (firsts.length === 0) return undefined
  const others = all.filter((rule) => !firsts.includes(rule)).map((rule) => `"p ${withoutHashes(patternOf(rule))}"`)
  const whole = firsts.map((rule) => ruleSummaryText(rule, items)).join(", ")
  return {
    text: `${whole}${others.length === 0 ? "" : `; also ${others.join(" or ")}`}`,
    patterns: [...new Set(all.map((rule) => withoutHashes(patternOf(rule))))],
    /** The first rule of each item, or those with the pattern or number that was typed. */
    chosen: (typed: string): ReadonlyArray<string> =>
      typed === "" ? firsts : all.filter((rule, index) => [rule, patternOf(rule), String(index + 1)].includes(typed))
  }
}

/** Always in this project; nothing when no rule is offered. */
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

/** A choice that takes nothing after its key. */
const choice = <A>(key: Choice<A>["key"], label: string, explains: string, answer: A): Choice<Given<A>> => ({
  key,
  label,
  explains,
  answer: (typed) => (typed === "" ? { answer } : undefined)
})

/** Yes, and what repairs it; nothing where no item offers it. */
const repairsChoice = (items: ReadonlyArray<ApprovalItem>): ReadonlyArray<Choice<{ readonly answer: "repairs" }>> => {
  const covered = items.flatMap(({ offers }) => offers?.repairs ?? [])
  const explains = `Yes, and to what repairs it when a check fails: ${[...new Set(covered)].join("; ")}. Other files are asked about.`
  return covered.length === 0 ? [] : [choice("r", "yes, and what repairs it", explains, "repairs")]
}

/** Yes, what repairs it, all later steps, for this project, single calls, no. */
const stepChoices = (items: ReadonlyArray<ApprovalItem>): ReadonlyArray<Choice<Given<StepAnswer>>> => {
  const possible = items.flatMap(({ call }, index) => (call === undefined ? [] : [index + 1]))
  const some: Choice<Given<StepAnswer>> = {
    key: "1,3",
    /* Two numbers of two calls would be a yes to all. */
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
      "Yes, and to all later steps of this round without showing them. What is asked each time is still asked about.",
      "remaining"
    ),
    ...projectChoice<StepAnswer>(items, "step"),
    ...(possible.length > 1 ? [some] : []),
    choice("n", "no", "No. You can then say what should be done instead.", "decline")
  ]
}

/** Yes, what repairs it, all of this kind, for this project, everywhere, no. */
const callChoices = (item: ApprovalItem): ReadonlyArray<Choice<Given<CallAnswer>>> => {
  const remember = item.offers?.remember
  const kind = kindText(item)
  const all = `Yes, and to all of this kind until this run ends: ${kind}.`
  const everywhere = `Yes, and always in every project: ${withoutHashes(remember ?? "")}. It is saved.`
  return [
    choice("y", "yes", "Yes, once.", "once"),
    ...repairsChoice([item]),
    ...(kind === undefined ? [] : [choice<CallAnswer>("k", "yes to all of this kind", all, "session")]),
    ...projectChoice<CallAnswer>([item], "remember"),
    ...(remember === undefined ? [] : [choice<CallAnswer>("e", "always everywhere", everywhere, "remember")]),
    choice("n", "no", "No. After three denials of the same effect the task ends.", "deny")
  ]
}

/** Take it as done, run it again, stop. */
const doubtChoices: ReadonlyArray<Choice<Given<DoubtAnswer>>> = [
  choice("y", "yes, it happened", "It happened: the run continues without running it again.", "done"),
  choice("n", "no, run it again", "It did not happen: it is run again.", "again"),
  choice("s", "stop", "The run stops here and can be resumed.", "stop")
]

const questionOf = <A>(asking: Asking, choices: ReadonlyArray<Choice<A>>, prompt: string): Question<A> => ({
  short: (size) => shortQuestion(asking, keyLine(choices), size),
  whole: (size) => wholeQuestion(asking, keyLines(choices), size),
  help: (size) => `${framed([], keyLines(choices), size).join("\n")}\n`,
  prompt,
  readKey: (pressed) => readKey(pressed, choices),
  read: (line) => readTyped(line, choices)
})

/** What the keys for more than one call cover in this question. */
const notesOf = (items: ReadonlyArray<ApprovalItem>, kind?: string): ReadonlyArray<string> => {
  const project = projectOffer(items)
  return [
    ...(kind === undefined ? [] : [`k = ${kind}, until this run ends`]),
    ...(project === undefined ? [] : [`p = ${project.text}`])
  ]
}

const wordsOf = (text: string): Answered<WordsAnswer> =>
  text === "" ? { answer: "nothing", by: "person" } : { answer: "said", by: "person", text }

/** Asks on the terminal in this style: by default with a bell, without colours. */
export const layerTerminal = (
  style: QuestionStyle = { bell: true, isColoured: false }
): Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal> =>
  Layer.effect(
    Approver,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Stdio.Stdio | Terminal.Terminal>())
      /** The answer, with what to do instead after a no of a person who is still there. */
      const ask = Effect.fnUntraced(function* <A>(
        question: Question<Given<A>>,
        no: A,
        asksInstead: boolean
      ): Effect.fn.Return<Answered<A>, never, Stdio.Stdio | Terminal.Terminal> {
        const asked = yield* askOnScreen(question, style)
        if (typeof asked === "string") return { answer: no, by: asked === "quit" ? "person" : "nobody" }
        const isRequested = asksInstead && asked.answer.answer === no
        const instead = isRequested ? yield* askText("What should be done instead? (Enter for nothing)") : ""
        return { ...asked.answer, by: "person", ...(instead === "" ? {} : { instead }) }
      })
      return Approver.of({
        step: Effect.fn("Approver.step")((title, items) => {
          const asking: Asking = { scope: "step", title, items, notes: notesOf(items) }
          return provide(ask(questionOf(asking, stepChoices(items), "Allow? "), "decline", true))
        }),
        call: Effect.fn("Approver.call")((item) => {
          const isConversation = item.task === askTask
          const title = isConversation ? "" : item.task
          const asking: Asking = { scope: "call", title, items: [item], notes: notesOf([item], kindText(item)) }
          /* In a conversation the next message says what to do instead. */
          const hasNextRound = !isStart(item) && !isConversation
          return provide(ask(questionOf(asking, callChoices(item), "Allow? "), "deny", hasNextRound))
        }),
        inDoubt: Effect.fn("Approver.inDoubt")((item) => {
          const asking: Asking = { scope: "doubt", title: item.task, items: [item] }
          return provide(ask(questionOf(asking, doubtChoices, "Did it happen? "), "stop", false))
        }),
        question: Effect.fn("Approver.question")((text) => {
          const asked = `${style.bell ? ring : ""}The model asks:\n${printableLines(text)}\nYour answer (Enter for none)`
          return provide(
            Effect.flatMap(canAsk, (isThere) => (isThere ? Effect.map(askText(asked), wordsOf) : unanswered("nobody")))
          )
        }),
        canAsk: provide(canAsk)
      })
    })
  )
