/**
 * The interface between the stages and whatever makes runs survive. Each model call and each tool call runs as one
 * activity: a stable key, a schema for its outcome, and the effect. Directly it simply runs; in a workflow the engine may
 * return a recorded outcome for the key instead, and no stage changes.
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

/**
 * What is to be done once. `key` comes from domain/runs/ActivityKey; `input` is a hash of what it is done with, so that an outcome
 * counts only for the same prompt or the same arguments. Only a success is an outcome to remember: a failure (server
 * gone, permission denied) may be otherwise the next time.
 */
export interface Activity<A, E, R> {
  readonly key: string
  readonly input: string
  readonly success: Schema.Codec<A, unknown>
  readonly error: Schema.Codec<E, unknown>
  readonly execute: Effect.Effect<A, E, R>
  /** Tells the outcome, once it is persisted; an outcome from before is not told again. */
  readonly tell?: (outcome: A) => Effect.Effect<void>
  /** The prompt of a model call, to show where another one differs. */
  readonly prompt?: { readonly system: string; readonly user: string }
}

/** Watches whether an activity is carried out, so that its outcome is told when it was, and only then. */
const whenCarriedOut = <A, E, R>({ execute, tell = () => Effect.void }: Activity<A, E, R>) => {
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

/** A part of a run that is made of activities. Once it has come to its end, none of them is looked at again. */
export interface Stage<A> {
  readonly key: string
  readonly success: Schema.Codec<A, unknown>
}

const encode = <A>({ success }: Stage<A>, outcome: A) =>
  Effect.orDie(Schema.encodeEffect(Schema.toCodecJson(success))(outcome))

export class Activities extends Context.Service<
  Activities,
  {
    run<A, E, R>(activity: Activity<A, E, R>): Effect.Effect<A, E, R>
    /** The outcome of a stage that came to its end before. */
    stageResult<A>(stage: Stage<A>): Effect.Effect<Option.Option<A>>
    /** Gives the outcome of the stage from before, or runs it and persists its outcome, unless that is not final. */
    runStage<A, E, R>(
      stage: Stage<A>,
      execute: Effect.Effect<A, E, R>,
      isFinal?: (outcome: A) => boolean
    ): Effect.Effect<A, E, R>
    /** Looks at what is there now, such as a file that a task refers to. What is found is persisted for the replay only. */
    record<A, E, R>(what: Stage<A>, look: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("task-conductor/services/journal/Activities") {
  /** Runs every activity, remembers nothing. */
  static readonly layerDirect: Layer.Layer<Activities> = Layer.succeed(Activities)(
    Activities.of({
      run: ({ execute, tell = () => Effect.void }) => Effect.tap(execute, tell),
      stageResult: () => Effect.succeedNone,
      runStage: (_stage, execute) => execute,
      record: (_what, look) => look
    })
  )

  /** In a workflow each activity is one of its engine; outside of one it simply runs. The outcomes of stages are in the journal. */
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
              Effect.asSome(Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(success))(value)))
          })
        )

      const persist = <A>(stage: Stage<A>, outcome: A): Effect.Effect<void> =>
        Effect.flatMap(encode(stage, outcome), (value) => journal.keepStageResult(stage.key, value))

      return Activities.of({
        run: <A, E, R>(given: Activity<A, E, R>): Effect.Effect<A, E, R> =>
          Effect.contextWith((context: Context.Context<never>) => {
            const engine = Context.getOption(context, WorkflowEngine)
            const instance = Context.getOption(context, WorkflowInstance)
            const { execute, tell } = whenCarriedOut(given)
            if (Option.isNone(engine) || Option.isNone(instance)) return Effect.tap(execute, tell)
            const { error, success } = given
            const activity = WorkflowActivity.make({
              name: activityName(given),
              success,
              error,
              execute
            })
            return activity.pipe(
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
          Effect.tap(look, (found) => Effect.flatMap(encode(what, found), (value) => journal.keepSeen(what.key, value)))
      })
    })
  )
}
