/**
 * An approver that gives prepared answers and keeps what it was asked, and one that allows everything.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalItem } from "../../src/domain/permissions/ApprovalItem.ts"
import type { CallAnswer, UncertainAnswer, StepAnswer } from "../../src/domain/permissions/Answer.ts"
import { Approver, stopAtUncertain } from "../../src/services/approvals/Approver.ts"

export interface ScriptedApprover {
  /** The items of every question, in order. */
  readonly asked: ReadonlyArray<ReadonlyArray<ApprovalItem>>
  readonly layer: Layer.Layer<Approver>
}

/** Answers in order; a question without an answer is a defect. `before` runs while the question is open. */
export const scriptedApprover = (
  answers: { readonly calls?: ReadonlyArray<CallAnswer>; readonly steps?: ReadonlyArray<StepAnswer> },
  before: Effect.Effect<void> = Effect.void
): ScriptedApprover => {
  const asked: Array<ReadonlyArray<ApprovalItem>> = []
  const calls = [...(answers.calls ?? [])]
  const steps = [...(answers.steps ?? [])]
  const answerNext = <A>(items: ReadonlyArray<ApprovalItem>, left: Array<A>) =>
    Effect.gen(function* () {
      asked.push(items)
      yield* before
      const answer = left.shift()
      return answer === undefined
        ? yield* Effect.die(`No answer is prepared for ${JSON.stringify(items)}`)
        : { answer, by: "person" as const }
    })
  return {
    asked,
    layer: Layer.succeed(Approver)(
      Approver.of({
        call: (item) => answerNext([item], calls),
        step: (_title, items) => answerNext(items, steps),
        inDoubt: () => stopAtUncertain
      })
    )
  }
}

/** A person who approves everything once; about a call in doubt nobody decides unless an answer is given. */
export const willingApprover = (inDoubt?: UncertainAnswer): Layer.Layer<Approver> =>
  Layer.succeed(Approver)(
    Approver.of({
      step: () => Effect.succeed({ answer: "step", by: "person" }),
      call: () => Effect.succeed({ answer: "once", by: "person" }),
      inDoubt: inDoubt === undefined ? () => stopAtUncertain : () => Effect.succeed({ answer: inDoubt, by: "person" })
    })
  )

/** Everything is allowed beforehand; nobody answers about a call in doubt. */
export const layerAllowAll: Layer.Layer<Approver> = Layer.succeed(Approver)(
  Approver.of({
    step: () => Effect.succeed({ answer: "remaining", by: "rule" }),
    call: () => Effect.succeed({ answer: "once", by: "rule" }),
    inDoubt: () => stopAtUncertain
  })
)
