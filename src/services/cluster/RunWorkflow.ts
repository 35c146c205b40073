/**
 * A run as a workflow of effect/workflow, which the engine of a cluster gives to one of its workers, and the answers of people
 * to its questions: durable deferreds, so that a client on any machine can give them and every worker finds them.
 */
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import { type WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { RunOrder, UnknownSkill } from "../../domain/runs/RunOrder.ts"
import { RunReport } from "../../domain/runs/RunReport.ts"
import { JournalError } from "../journal/JournalError.ts"
import { BriefingError } from "../pipeline/Briefer.ts"
import { type Answered, Approver, isStart } from "../approvals/Approver.ts"
import { answered, answerKey } from "../journal/RecordedAnswers.ts"

/** The run could not be executed at all. */
export class RunRefused extends Schema.TaggedError<RunRefused>()("RunRefused", {
  what: Schema.String,
  exitCode: Schema.Int
}) {
  override get message(): string {
    return this.what
  }
}

/** Where a run goes on that workers have given back: how many, and what they lack, by their names. */
export const RunPlacement = Schema.Struct({
  number: Schema.Int,
  declined: Schema.Record(Schema.String, Schema.String)
})
export type RunPlacement = typeof RunPlacement.Type

/** The workflow from an order to its report. */
export const RunWorkflow = Workflow.make("task-conductor/Run", {
  payload: { order: RunOrder, placement: Schema.optionalKey(RunPlacement) },
  success: RunReport,
  error: Schema.Union([UnknownSkill, BriefingError, JournalError, RunRefused]),
  idempotencyKey: ({ order, placement }) =>
    placement === undefined ? order.runId : `${order.runId}/${placement.number}`
})

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
        .pipe(Effect.provideService(WorkflowInstance, instance), Effect.map(Option.flatMap(Exit.getSuccess))),
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
