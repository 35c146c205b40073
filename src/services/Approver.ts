/**
 * Whoever is asked when the rules do not decide: a person at a terminal, or nobody.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { callQuestion, stepQuestion } from "../domain/ApprovalText.ts"
import type { ApprovalItem } from "../domain/RunEvent.ts"
import { type Answers, askNumber, canAsk } from "./TerminalQuestion.ts"

export type StepAnswer = "step" | "remaining" | "decline"
export type CallAnswer = "once" | "session" | "remember" | "deny"

/** An answer with the one who gave it; `nobody` when there was no way to ask. */
export interface Answered<A> {
  readonly answer: A
  readonly by: "person" | "rule" | "nobody"
}

const answers = <A>(byNumber: ReadonlyArray<readonly [string, A]>, fallback: string): Answers<A> => ({
  byNumber: new Map(byNumber),
  fallback
})
const stepAnswers = answers<StepAnswer>(
  [
    ["1", "step"],
    ["2", "remaining"],
    ["3", "decline"]
  ],
  "3"
)
const highRiskAnswers = answers<CallAnswer>(
  [
    ["1", "once"],
    ["2", "session"],
    ["4", "deny"]
  ],
  "4"
)
const callAnswers = answers<CallAnswer>([...highRiskAnswers.byNumber, ["3", "remember"]], "4")

export class Approver extends Context.Service<
  Approver,
  {
    /** Shows the concrete calls of a step: this step, all remaining steps of this run, or decline. */
    step(title: string, items: ReadonlyArray<ApprovalItem>): Effect.Effect<Answered<StepAnswer>>
    /** Shows one call: allow once, session, remember, deny. */
    call(item: ApprovalItem): Effect.Effect<Answered<CallAnswer>>
  }
>()("task-conductor/services/Approver") {
  /** Nobody can be asked: everything is denied. */
  static readonly layerDenyAll: Layer.Layer<Approver> = Layer.succeed(Approver)(
    Approver.of({
      step: () => Effect.succeed({ answer: "decline", by: "nobody" }),
      call: () => Effect.succeed({ answer: "deny", by: "nobody" })
    })
  )

  /** Everything was allowed beforehand. */
  static readonly layerAllowAll: Layer.Layer<Approver> = Layer.succeed(Approver)(
    Approver.of({
      step: () => Effect.succeed({ answer: "remaining", by: "rule" }),
      call: () => Effect.succeed({ answer: "once", by: "rule" })
    })
  )

  /** All steps were approved beforehand (`--yes-this-run`); single calls are still asked about. */
  static readonly layerApproveSteps = <E, R>(inner: Layer.Layer<Approver, E, R>): Layer.Layer<Approver, E, R> =>
    Layer.effect(
      Approver,
      Effect.gen(function* () {
        const { call } = yield* Approver
        return Approver.of({ step: () => Effect.succeed({ answer: "remaining", by: "rule" }), call })
      })
    ).pipe(Layer.provide(inner))

  /** Asks on the terminal; without one everything is denied by nobody. Enter and end of input deny. */
  static readonly layerTerminal: Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal> = Layer.effect(
    Approver,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Stdio.Stdio | Terminal.Terminal>())
      const ask = Effect.fnUntraced(function* <A>(question: string, possible: Answers<A>, denial: A) {
        const answer = (yield* canAsk) ? yield* askNumber(question, possible) : Option.none<A>()
        return Option.match(answer, {
          onNone: (): Answered<A> => ({ answer: denial, by: "nobody" }),
          onSome: (given): Answered<A> => ({ answer: given, by: "person" })
        })
      }, provide)
      return Approver.of({
        step: Effect.fn("Approver.step")((title, items) => ask(stepQuestion(title, items), stepAnswers, "decline")),
        call: Effect.fn("Approver.call")((item) =>
          ask(callQuestion(item), item.risk === "high" ? highRiskAnswers : callAnswers, "deny")
        )
      })
    })
  )
}
