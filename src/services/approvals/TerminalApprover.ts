/**
 * The approver that asks the person at the terminal. Without a terminal everything is denied by nobody; the end of input denies,
 * or stops.
 */
import { type Choice, keyLine, keyLines, readTyped, framed } from "../../domain/permissions/QuestionLines.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import { type Answered, type CallAnswer, type DoubtAnswer, type StepAnswer, Approver, isStart } from "./Approver.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { type Asking, shortQuestion, wholeQuestion } from "../../domain/permissions/ApprovalText.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { canAsk, askOnScreen, askText, type Question, type QuestionStyle } from "./TerminalQuestion.ts"

/** An answer, with the rules that were chosen for the project. */
type Given<A> = Pick<Answered<A>, "always" | "answer">

/** The part of a rule after the tool. */
const patternOf = (rule: string): string => rule.slice(rule.indexOf(":") + 1)

/** Hashes of versions say nothing to a person; the whole question shows them. */
const withoutHashes = (text: string): string => text.replaceAll(/ sha256:[0-9a-f]{64}/g, ", in exactly this version")

/** What "all of this kind" is, with targets as a person knows them. */
const kindText = ({ offers, targets, words }: ApprovalItem): string => {
  const { session = "" } = offers ?? {}
  if (session === "exactly this call") return "this same call, whenever it comes again"
  const named = targets.reduce(
    (text, target, index) => text.replace(target, () => words?.names?.[index] ?? target),
    session
  )
  return withoutHashes(named)
}

/** The rules that are meant by what was typed after `p`: the first of each item, or those with this pattern or number. */
const chosenRules = (offered: ReadonlyArray<ReadonlyArray<string>>, typed: string): ReadonlyArray<string> => {
  const all = [...new Set(offered.flat())]
  if (typed === "") return [...new Set(offered.flatMap(([first]) => (first === undefined ? [] : [first])))]
  const numbered = /^\d+$/.test(typed) ? all[Number(typed) - 1] : undefined
  return all.filter((rule) => rule === numbered || rule === typed || (rule.includes(":") && patternOf(rule) === typed))
}

const rulesOf = (items: ReadonlyArray<ApprovalItem>): ReadonlyArray<ReadonlyArray<string>> =>
  items.map(({ offers }) => offers?.always ?? [])

/** A rule in words; without a pattern it covers everyday files, or all calls of a tool that names no target. */
const ruleSummaryText = (rule: string, items: ReadonlyArray<ApprovalItem>): string => {
  if (rule.includes(":")) return withoutHashes(rule)
  const hasTargets = items.some(({ targets, tool }) => tool === rule && targets.length > 0)
  return hasTargets ? `${rule} for everyday files of this project` : `${rule} with any arguments`
}

/** What "always in this project" covers, and how to choose less or something else; nothing when no rule is offered. */
const projectText = (items: ReadonlyArray<ApprovalItem>): string | undefined => {
  const offered = rulesOf(items)
  const firsts = chosenRules(offered, "")
  if (firsts.length === 0) return undefined
  const others = [...new Set(offered.flat())].filter((rule) => !firsts.includes(rule))
  const more = others.map((rule) => `"p ${withoutHashes(patternOf(rule))}"`).join(" or ")
  const whole = firsts.map((rule) => ruleSummaryText(rule, items)).join(", ")
  return `${whole}${more === "" ? "" : `; also ${more}`}`
}

/** What can be typed after `p`. */
const offeredPatterns = (offered: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => [
  ...new Set(offered.flat().map((rule) => withoutHashes(rule.includes(":") ? patternOf(rule) : rule)))
]

/** Always in this project; nothing when no rule is offered. */
const projectChoice = <A>(items: ReadonlyArray<ApprovalItem>, answer: A): ReadonlyArray<Choice<Given<A>>> => {
  const offered = rulesOf(items)
  const text = projectText(items)
  if (text === undefined) return []
  return [
    {
      key: "p",
      label: "always in this project",
      explains: `Yes, and always in this project: ${text}. It is saved; "task-conductor permissions" lists and revokes it.`,
      takes: `one of ${offeredPatterns(offered).join(", ")}`,
      answer: (typed) => {
        const always = chosenRules(offered, typed)
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

/** Yes, all later steps, for this project, single calls, no. */
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

/** Yes, all of this kind, for this project, everywhere, no. */
const callChoices = (item: ApprovalItem): ReadonlyArray<Choice<Given<CallAnswer>>> => {
  const { remember, session } = item.offers ?? {}
  const all = `Yes, and to all of this kind until this run ends: ${kindText(item)}.`
  const everywhere = `Yes, and always in every project: ${withoutHashes(remember ?? "")}. It is saved.`
  return [
    choice("y", "yes", "Yes, once.", "once"),
    ...(session === undefined ? [] : [choice<CallAnswer>("a", "yes to all of this kind", all, "session")]),
    ...projectChoice<CallAnswer>([item], "remember"),
    ...(remember === undefined ? [] : [choice<CallAnswer>("e", "always everywhere", everywhere, "remember")]),
    choice("n", "no", "No. After three denials of the same effect the task ends.", "deny")
  ]
}

/** Run it again, take it as done, stop. */
const doubtChoices: ReadonlyArray<Choice<Given<DoubtAnswer>>> = [
  choice("y", "yes, run it again", "Yes: it is run again.", "again"),
  choice("d", "done already", "It happened: the run continues without running it again.", "done"),
  choice("n", "no, stop", "No: the run stops here and can be resumed.", "stop")
]

/** With a bell, without colours. */
const plainStyle: QuestionStyle = { bell: true, isColoured: false }

const insteadQuestion = "What should be done instead? (Enter for nothing)"

const questionOf = <A>(asking: Asking, choices: ReadonlyArray<Choice<A>>, prompt: string): Question<A> => ({
  short: (size) => shortQuestion(asking, [keyLine(choices)], size),
  whole: (size) => wholeQuestion(asking, keyLines(choices), size),
  help: (size) => `${framed([], keyLines(choices), size).join("\n")}\n`,
  prompt,
  read: (line) => readTyped(line, choices)
})

/** In a conversation the next message says what to do instead. */
const hasNextRound = (item: ApprovalItem): boolean => !isStart(item) && item.task !== askTask

/** The rules for the project that a question offers. */
const projectNotes = (items: ReadonlyArray<ApprovalItem>): ReadonlyArray<string> => {
  const text = projectText(items)
  return text === undefined ? [] : [`p = ${text}`]
}

/** What the keys for more than one call cover in this question. */
const notesOf = (item: ApprovalItem): ReadonlyArray<string> => [
  ...(item.offers?.session === undefined ? [] : [`a = ${kindText(item)}, until this run ends`]),
  ...projectNotes([item])
]

const callAsking = (item: ApprovalItem): Asking => ({
  scope: "call",
  title: item.task === askTask ? "" : item.task,
  items: [item],
  notes: notesOf(item)
})

/** Asks on the terminal in this style. */
export const layerTerminal = (
  style: QuestionStyle = plainStyle
): Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal> =>
  Layer.effect(
    Approver,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Stdio.Stdio | Terminal.Terminal>())
      /** The answer, with what to do instead after a no of a person who is still there. */
      const ask = Effect.fnUntraced(function* <A>(
        question: Question<Pick<Answered<A>, "always" | "answer">>,
        no: A,
        asksInstead: boolean
      ): Effect.fn.Return<Answered<A>, never, Stdio.Stdio | Terminal.Terminal> {
        const asked = yield* askOnScreen(question, style)
        if (asked._tag !== "Answered") return { answer: no, by: asked._tag === "Quit" ? "person" : "nobody" }
        const isRequested = asksInstead && asked.answer.answer === no
        const instead = isRequested ? yield* askText(insteadQuestion) : ""
        return { ...asked.answer, by: "person", ...(instead === "" ? {} : { instead }) }
      })
      return Approver.of({
        step: Effect.fn("Approver.step")((title, items) => {
          const asking: Asking = { scope: "step", title, items, notes: projectNotes(items) }
          return provide(ask(questionOf(asking, stepChoices(items), "Allow? "), "decline", true))
        }),
        call: Effect.fn("Approver.call")((item) =>
          provide(ask(questionOf(callAsking(item), callChoices(item), "Allow? "), "deny", hasNextRound(item)))
        ),
        inDoubt: Effect.fn("Approver.inDoubt")((item) => {
          const asking: Asking = { scope: "doubt", title: item.task, items: [item] }
          return provide(ask(questionOf(asking, doubtChoices, "Run it again? "), "stop", false))
        }),
        canAsk: provide(canAsk)
      })
    })
  )
