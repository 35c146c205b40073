/**
 * Keeps the answers of people as durable deferreds of the workflow engine, so that they are known wherever the run
 * continues. One layer wraps another approver; the other layer waits for answers that arrive through the engine.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import type * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import {
  AnsweredBy,
  type Answered,
  Approver,
  CallAnswer,
  DoubtAnswer,
  isStart,
  StepAnswer
} from "../approvals/Approver.ts"

const answeredWith = <A>(answer: Schema.Codec<A, Schema.Json>): Schema.Codec<Answered<A>, Schema.Json> =>
  Schema.Struct({
    answer,
    by: AnsweredBy,
    instead: Schema.optionalKey(Schema.String),
    always: Schema.optionalKey(Schema.Array(Schema.String))
  })

/** The schema of the answers to each kind of question. */
export const stepAnswered = answeredWith<StepAnswer>(StepAnswer)
export const callAnswered = answeredWith<CallAnswer>(CallAnswer)
export const doubtAnswered = answeredWith<DoubtAnswer>(DoubtAnswer)

/** The execution of a workflow that holds the answers, with its engine. */
export interface AnswerStore {
  readonly engine: WorkflowEngine["Service"]
  readonly workflow: Workflow.Any
  readonly executionId: string
}

/** The answer store of the workflow in which this fiber runs. */
const storeHere: Effect.Effect<AnswerStore | undefined> = Effect.contextWith((context: Context.Context<never>) => {
  const engine = Context.getOption(context, WorkflowEngine)
  const instance = Context.getOption(context, WorkflowInstance)
  if (Option.isNone(engine) || Option.isNone(instance)) return Effect.undefined
  const { executionId, workflow } = instance.value
  return Effect.succeed({ engine: engine.value, workflow, executionId })
})

const deferredOf = <A>(question: string, answered: Schema.Codec<Answered<A>, Schema.Json>) =>
  DurableDeferred.make(`question/${question}`, { success: answered })

/** The answer to a question, once somebody gave it. */
const answerOf = <A>(
  { engine, executionId, workflow }: AnswerStore,
  question: string,
  answered: Schema.Codec<Answered<A>, Schema.Json>
): Effect.Effect<Option.Option<Answered<A>>> =>
  engine
    .deferredResult(deferredOf(question, answered))
    .pipe(
      Effect.provideService(WorkflowInstance, WorkflowInstance.initial(workflow, executionId)),
      Effect.map(Option.flatMap((exit) => (Exit.isSuccess(exit) ? Option.some(exit.value) : Option.none())))
    )

/** True when the answer to a question is saved. */
export const isAnswered = <A>(
  store: AnswerStore,
  question: string,
  answered: Schema.Codec<Answered<A>, Schema.Json>
): Effect.Effect<boolean> => Effect.map(answerOf(store, question, answered), Option.isSome)

/** Saves the answer to a question; the first one counts. */
export const giveAnswer = <A>(
  { engine, executionId, workflow }: AnswerStore,
  question: string,
  answered: Schema.Codec<Answered<A>, Schema.Json>,
  answer: Answered<A>
): Effect.Effect<void> => {
  const deferred = deferredOf(question, answered)
  const where = { workflowName: workflow._tag, executionId, deferredName: deferred.name }
  return engine.deferredDone(deferred, { ...where, exit: Exit.succeed(answer) })
}

/** Returns the saved answer, or asks and saves the answer if it is final. A denial is persisted only with a wish. */
const askOnce = Effect.fnUntraced(function* <A>(
  question: string,
  answered: Schema.Codec<Answered<A>, Schema.Json>,
  isFinal: (answer: Answered<A>) => boolean,
  ask: Effect.Effect<Answered<A>>
): Effect.fn.Return<Answered<A>> {
  const store = yield* storeHere
  if (store === undefined) return yield* ask
  const saved = yield* answerOf(store, question, answered)
  if (Option.isSome(saved)) return saved.value
  const answer = yield* ask
  if (isFinal(answer)) yield* giveAnswer(store, question, answered, answer)
  return answer
})

/** Asks `inner` unless the question was approved before. A call that is in doubt again is a new question. */
export const layerDurable = <E, R>(inner: Layer.Layer<Approver, E, R>): Layer.Layer<Approver, E, R> =>
  Layer.effect(
    Approver,
    Effect.map(Approver, ({ call, canAsk, inDoubt, leaves, step }) =>
      Approver.of({
        step: Effect.fn("DurableApprover.step")((title, items, question) =>
          askOnce(
            question,
            stepAnswered,
            ({ answer, by, instead }) => by === "person" && (answer !== "decline" || instead !== undefined),
            step(title, items, question)
          )
        ),
        call: Effect.fn("DurableApprover.call")((item, question) =>
          askOnce(
            question,
            callAnswered,
            ({ answer, by, instead }) => by === "person" && (answer !== "deny" || instead !== undefined),
            call(item, question)
          )
        ),
        inDoubt,
        ...(canAsk === undefined ? {} : { canAsk }),
        ...(leaves === undefined ? {} : { leaves })
      })
    )
  ).pipe(Layer.provide(inner))

/** The interval at which the store is read for an answer. */
const pollInterval = Duration.millis(300)

/** Waits, however long it takes, until somebody answers from elsewhere. */
const awaitAnswer = Effect.fnUntraced(function* <A>(
  store: AnswerStore,
  question: string,
  answered: Schema.Codec<Answered<A>, Schema.Json>
): Effect.fn.Return<Answered<A>> {
  for (;;) {
    const saved = yield* answerOf(store, question, answered)
    if (Option.isSome(saved)) return saved.value
    yield* Effect.sleep(pollInterval)
  }
})

/** Asks nobody in this process; a client that follows the run answers, from any machine. */
export const layerRemote = (store: AnswerStore): Layer.Layer<Approver> =>
  Layer.succeed(Approver)(
    /* Plugins and servers start before the run has events that a follower could see: nobody can answer for them. */
    Approver.of({
      step: (_title, _items, question) => awaitAnswer(store, question, stepAnswered),
      call: (item, question) =>
        isStart(item) ? Effect.succeed({ answer: "deny", by: "nobody" }) : awaitAnswer(store, question, callAnswered),
      inDoubt: (_item, question) => awaitAnswer(store, question, doubtAnswered)
    })
  )
