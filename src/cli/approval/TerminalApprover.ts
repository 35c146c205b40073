/**
 * Asks the user at the terminal. Without a terminal, everything is denied, and the program records that nobody
 * answered. If the input ends during a question, the call or step is denied. If nobody knows whether this call has
 * already happened, the run stops instead.
 */
import { type Answered, inWords } from "../../domain/permissions/Answer.ts"
import { callQuestion, uncertainQuestion, type Given, type Question, stepQuestion } from "./Question.ts"
import { Approver, isStart, unanswered } from "../../services/approvals/Approver.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { printableLines } from "../../domain/text/Printable.ts"
import { canAsk, askOnScreen, askText, ring, type QuestionStyle } from "./TerminalQuestion.ts"

export const layerTerminal = (
  style: QuestionStyle = { bell: true, isColoured: false }
): Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal> =>
  Layer.effect(
    Approver,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Stdio.Stdio | Terminal.Terminal>())
      /** Asks the question. After a denial, asks what the model should do instead. */
      const ask = Effect.fnUntraced(function* <A>(
        question: Question<Given<A>>,
        no: A,
        asksInstead: boolean
      ): Effect.fn.Return<Answered<A>, never, Stdio.Stdio | Terminal.Terminal> {
        const outcome = yield* askOnScreen(question, style)
        if (typeof outcome === "string") return { answer: no, by: outcome === "quit" ? "person" : "nobody" }
        const isRequested = asksInstead && outcome.answer.answer === no
        const instead = isRequested ? yield* askText("What should be done instead? (Enter for nothing)") : ""
        return { ...outcome.answer, by: "person", ...(instead === "" ? {} : { instead }) }
      })
      return Approver.of({
        step: Effect.fn("Approver.step")((title, items) => provide(ask(stepQuestion(title, items), "decline", true))),
        call: Effect.fn("Approver.call")((item) => {
          const isConversation = item.task === askTask
          /* In a conversation, the user says in the next message what the model should do instead. */
          const hasNextRound = !isStart(item) && !isConversation
          return provide(ask(callQuestion(isConversation ? "" : item.task, item), "deny", hasNextRound))
        }),
        inDoubt: Effect.fn("Approver.inDoubt")((item) => provide(ask(uncertainQuestion(item), "stop", false))),
        question: Effect.fn("Approver.question")((text) => {
          const asked = `${style.bell ? ring : ""}The model asks:\n${printableLines(text)}\nYour answer (Enter for none)`
          return provide(
            Effect.flatMap(canAsk, (isThere) => (isThere ? Effect.map(askText(asked), inWords) : unanswered("nobody")))
          )
        }),
        canAsk: provide(canAsk)
      })
    })
  )
