/**
 * The answers of people to the questions of a cluster run: durable deferreds of its workflow, so that a client on any machine
 * can give them, and every worker finds them.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import { type WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { type Answered, Approver, isStart } from "../approvals/Approver.ts"
import { answered, answerKey } from "../journal/RecordedAnswers.ts"
import { RunWorkflow } from "./RunWorkflow.ts"

type Codec<A> = Schema.Codec<Answered<A>, Schema.Json>

const deferredOf = <A>(question: string, codec: Codec<A>) =>
  DurableDeferred.make(answerKey(question), { success: codec })

export interface RunAnswers {
  /** The answer to a question, once somebody gave it. */
  readonly find: <A>(question: string, codec: Codec<A>) => Effect.Effect<Option.Option<Answered<A>>>
  /** Saves the answer to a question; the first one counts. */
  readonly give: <A>(question: string, codec: Codec<A>, answer: Answered<A>) => Effect.Effect<void>
}

/** The answers that an engine keeps for a run. */
export const makeRunAnswers = Effect.fnUntraced(function* (engine: WorkflowEngine["Service"], order: RunOrder) {
  const executionId = yield* RunWorkflow.executionId({ order })
  const instance = WorkflowInstance.initial(RunWorkflow, executionId)
  const answers: RunAnswers = {
    find: (question, codec) =>
      engine
        .deferredResult(deferredOf(question, codec))
        .pipe(
          Effect.provideService(WorkflowInstance, instance),
          Effect.map(Option.flatMap((exit) => (Exit.isSuccess(exit) ? Option.some(exit.value) : Option.none())))
        ),
    give: (question, codec, answer) => {
      const deferred = deferredOf(question, codec)
      const where = { workflowName: RunWorkflow._tag, executionId, deferredName: deferred.name }
      return engine.deferredDone(deferred, { ...where, exit: Exit.succeed(answer) })
    }
  }
  return answers
})

/** The interval at which the engine is asked for an answer. */
const pollInterval = Duration.millis(300)

/** Asks nobody in this process: waits, however long it takes, until a client that follows the run answers. */
export const layerRemoteApprover = ({ find }: RunAnswers): Layer.Layer<Approver> => {
  const awaitAnswer = Effect.fnUntraced(function* <A>(
    question: string,
    codec: Codec<A>
  ): Effect.fn.Return<Answered<A>> {
    for (;;) {
      const given = yield* find(question, codec)
      if (Option.isSome(given)) return given.value
      yield* Effect.sleep(pollInterval)
    }
  })
  /* Plugins and servers start before the run has events that a follower could see: nobody can answer for them. */
  return Layer.succeed(Approver)(
    Approver.of({
      step: (_title, _items, question) => awaitAnswer(question, answered.step),
      call: (item, question) =>
        isStart(item) ? Effect.succeed({ answer: "deny", by: "nobody" }) : awaitAnswer(question, answered.call),
      inDoubt: (_item, question) => awaitAnswer(question, answered.doubt)
    })
  )
}
