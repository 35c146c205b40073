/**
 * The interface between the stages of a run and its persistence. Each model call and each tool call runs as one
 * activity: a stable key, a schema for its outcome, and the effect. Without a workflow the effect simply runs; in a
 * workflow the engine may return the recorded outcome of the key instead, without any change in the stages.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as WorkflowActivity from "effect/workflow/Activity"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { activityName } from "../../domain/runs/ActivityKey.ts"
import { Journal } from "./Journal.ts"
import { encodedJson, jsonCodecOf, OwnJournal, runRecorded } from "./RecordedActivity.ts"

/**
 * Work that is to be done once. `key` comes from domain/runs/ActivityKey; `input` is a hash of the prompt or of the
 * arguments, so that an outcome counts only for the same input. Only a success is recorded: after a failure (server
 * gone, permission denied) another try may succeed.
 */
export interface Activity<A, E, R> {
  readonly key: string
  readonly input: string
  readonly success: Schema.Codec<A, unknown>
  readonly error: Schema.Codec<E, unknown>
  readonly execute: Effect.Effect<A, E, R>
  /**
   * Publishes the outcome, once it is persisted. A recorded outcome was published before and is not published again.
   */
  readonly tell?: (outcome: A) => Effect.Effect<void>
  /** The prompt of a model call, to show where another one differs. */
  readonly prompt?: { readonly system: string; readonly user: string }
}

/** Observes whether an activity is executed, so that only the outcome of an execution is published. */
const onExecution = <A, E, R>({ execute, tell = () => Effect.void }: Activity<A, E, R>) => {
  let isFresh = false
  return {
    execute: Effect.tap(execute, () =>
      Effect.sync(() => {
        isFresh = true
      })
    ),
    tell: (outcome: A): Effect.Effect<void> => (isFresh ? tell(outcome) : Effect.void)
  }
}

/** A part of a run that is made of activities. Once it has finished, none of them is looked up again. */
export interface Stage<A> {
  readonly key: string
  readonly success: Schema.Codec<A, unknown>
}

export class Activities extends Context.Service<
  Activities,
  {
    run<A, E, R>(activity: Activity<A, E, R>): Effect.Effect<A, E, R>
    /** The recorded outcome of a stage that has finished. */
    stageResult<A>(stage: Stage<A>): Effect.Effect<Option.Option<A>>
    /** Returns the recorded outcome of the stage, or runs the stage and persists its outcome if that is final. */
    runStage<A, E, R>(
      stage: Stage<A>,
      execute: Effect.Effect<A, E, R>,
      isFinal?: (outcome: A) => boolean
    ): Effect.Effect<A, E, R>
    /** Reads current state, such as a file that a task refers to. It is persisted for the replay only. */
    record<A, E, R>(what: Stage<A>, look: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("task-conductor/services/journal/Activities") {
  /** Runs every activity and records nothing. */
  static readonly layerDirect: Layer.Layer<Activities> = Layer.succeed(Activities)(
    Activities.of({
      run: ({ execute, tell = () => Effect.void }) => Effect.tap(execute, tell),
      stageResult: () => Effect.succeedNone,
      runStage: (_stage, execute) => execute,
      record: (_what, look) => look
    })
  )

  /**
   * In a workflow of this process the journal holds the outcome of each activity, in others the engine runs it; elsewhere
   * it simply runs. The journal holds the outcomes of stages.
   */
  static readonly layerWorkflow = Layer.effect(
    Activities,
    Effect.gen(function* () {
      const journal = yield* Journal

      const stageResult = <A>({ key, success }: Stage<A>): Effect.Effect<Option.Option<A>> =>
        Effect.flatMap(
          journal.stageResult(key),
          Option.match({
            onNone: () => Effect.succeedNone,
            onSome: (value) =>
              Schema.decodeUnknownEffect(jsonCodecOf(success))(value).pipe(
                Effect.asSome,
                Effect.catchTag("SchemaError", () => journal.unreadable(key))
              )
          })
        )

      const persist = <A>(stage: Stage<A>, outcome: A): Effect.Effect<void> =>
        Effect.suspend(() => journal.saveStageResult(stage.key, encodedJson(stage.success, outcome)))

      return Activities.of({
        run: <A, E, R>(activity: Activity<A, E, R>): Effect.Effect<A, E, R> =>
          Effect.contextWith((context: Context.Context<never>) => {
            const own = Context.getOption(context, OwnJournal)
            if (Option.isSome(own)) return runRecorded(own.value, activity)
            const engine = Context.getOption(context, WorkflowEngine)
            const instance = Context.getOption(context, WorkflowInstance)
            const { execute, tell } = onExecution(activity)
            if (Option.isNone(engine) || Option.isNone(instance)) return Effect.tap(execute, tell)
            const { error, success } = activity
            const durable = WorkflowActivity.make({
              name: activityName(activity),
              success,
              error,
              execute
            })
            return durable.pipe(
              Effect.provideService(WorkflowEngine, engine.value),
              Effect.provideService(WorkflowInstance, instance.value),
              Effect.tap(tell)
            ) as Effect.Effect<A, E, R>
          }),
        stageResult,
        runStage: <A, E, R>(
          stage: Stage<A>,
          execute: Effect.Effect<A, E, R>,
          isFinal: (outcome: A) => boolean = () => true
        ) =>
          Effect.flatMap(
            stageResult(stage),
            Option.match({
              onSome: (outcome) => Effect.succeed(outcome),
              onNone: () => Effect.tap(execute, (outcome) => (isFinal(outcome) ? persist(stage, outcome) : Effect.void))
            })
          ),
        record: (what, look) =>
          Effect.tap(look, (found) => journal.saveSeen(what.key, encodedJson(what.success, found)))
      })
    })
  )
}
