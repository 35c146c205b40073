/**
 * The approver that asks the person at the terminal. Without a terminal everything is denied by nobody; the end of input denies,
 * or stops.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { type Choice, keyLine, keyLines, readTyped } from "../../domain/permissions/AnswerKeys.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import { type Asking, shortQuestion, wholeQuestion } from "../../domain/permissions/ApprovalText.ts"
import { framed } from "../../domain/permissions/QuestionLines.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { callChoices, doubtChoices, kindText, projectText, stepChoices } from "./AnswerChoices.ts"
import { type Answered, Approver, isStart } from "./Approver.ts"
import { canAsk } from "./QuestionScreen.ts"
import { askOnScreen, askText, type Question, type QuestionStyle } from "./TerminalQuestion.ts"

/** With a bell, without colours. */
export const plainStyle: QuestionStyle = { bell: true, isColoured: false }

const wishQuestion = "What should be done instead? (Enter for nothing)"

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
        hasWish: boolean
      ): Effect.fn.Return<Answered<A>, never, Stdio.Stdio | Terminal.Terminal> {
        const asked = yield* askOnScreen(question, style)
        if (asked._tag !== "Answered") return { answer: no, by: asked._tag === "Quit" ? "person" : "nobody" }
        const isWished = hasWish && asked.answer.answer === no
        const instead = isWished ? yield* askText(wishQuestion) : ""
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
