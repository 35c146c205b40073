/**
 * Whoever decides about a call of which nobody knows whether it happened: a person at a terminal, or nobody.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { doubtQuestion } from "../../domain/permissions/ApprovalText.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import type { Answered } from "./Approver.ts"
import { type Answers, askLine, canAsk } from "./TerminalQuestion.ts"

/** Carry it out (again), take it as done, or stop the run. */
export const DoubtAnswer = Schema.Literals(["again", "done", "stop"])
export type DoubtAnswer = typeof DoubtAnswer.Type

const byNumber: ReadonlyMap<string, DoubtAnswer> = new Map([
  ["1", "again"],
  ["2", "done"],
  ["3", "stop"]
])

const answers: Answers<DoubtAnswer> = {
  read: (line) => byNumber.get(line),
  fallback: { shown: "3", answer: "stop" },
  help: "Answer with one of: 1, 2, 3."
}

export interface Arbitration {
  /** Shows the call: again, done, or stop. `question` identifies the question within the run, as its events do. */
  readonly decide: (item: ApprovalItem, question: string) => Effect.Effect<Answered<DoubtAnswer>>
}

/** Nobody can be asked: nothing is done again and nothing is taken as done. */
const nobody: Arbitration = { decide: () => Effect.succeed({ answer: "stop", by: "nobody" }) }

/** Nobody, unless a door says who. */
export const Arbiter = Context.Reference<Arbitration>("task-conductor/services/approvals/Arbiter", {
  defaultValue: () => nobody
})

/** Asks on the terminal; without one nobody decides. Enter and end of input stop. */
export const layerTerminalArbiter: Layer.Layer<never, never, Stdio.Stdio | Terminal.Terminal> = Layer.effect(
  Arbiter,
  Effect.gen(function* () {
    const provide = Effect.provideContext(yield* Effect.context<Stdio.Stdio | Terminal.Terminal>())
    const decide = Effect.fn("Arbiter.decide")(function* (item: ApprovalItem) {
      const answer = (yield* canAsk) ? yield* askLine(doubtQuestion(item), answers, "Answer") : Option.none()
      return Option.match(answer, {
        onNone: (): Answered<DoubtAnswer> => ({ answer: "stop", by: "nobody" }),
        onSome: (given): Answered<DoubtAnswer> => ({ answer: given, by: "person" })
      })
    }, provide)
    return { decide }
  })
)
