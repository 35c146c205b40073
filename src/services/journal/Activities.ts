/**
 * Runs the steps of a run that must not happen twice: each model call, and each tool call with effects outside a
 * working copy. Such a step is an activity with a stable key, a schema for its outcome, and an effect. The outcome is
 * on disk before the run continues. After that, the effect does not run again.
 *
 * Changes of working copies are recorded too, but a resumed run makes them again.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { activityName } from "../../domain/runs/ActivityKey.ts"
import { Journal } from "./Journal.ts"

/**
 * Work that must be done only once. `key` is a key of domain/runs/ActivityKey, `input` a hash of the prompt or the
 * arguments. A recorded outcome is used only for the same input. Failures are not recorded, because a retry may
 * succeed.
 */
export interface Activity<A, E, R> {
  readonly key: string
  readonly input: string
  readonly success: Schema.Codec<A, unknown>
  readonly error: Schema.Codec<E, unknown>
  readonly execute: Effect.Effect<A, E, R>
  /**
   * Emits events after the outcome was written. Not called for an outcome from the journal, whose events were already
   * emitted.
   */
  readonly emit?: (outcome: A) => Effect.Effect<void>
  /** The prompt of a model call, stored to show where a later prompt differs. */
  readonly prompt?: { readonly system: string; readonly user: string }
}

/**
 * A part of a run that consists of activities. After the result of the stage is recorded, its activities are not needed
 * again.
 */
export interface RunStage<A> {
  readonly key: string
  readonly success: Schema.Codec<A, unknown>
}

const encoderOf = memoize((schema: Schema.Codec<never, unknown>) => Schema.encodeSync(Schema.toCodecJson(schema)))

/** Encodes a value as JSON. A value that does not fit its schema is a defect of the program. */
export const asJson = <A>(schema: Schema.Codec<A, unknown>, value: A): Effect.Effect<Schema.Json> =>
  Effect.sync(() => encoderOf(schema as Schema.Codec<never, unknown>)(value as never))

export class Activities extends Context.Service<
  Activities,
  {
    run<A, E, R>(activity: Activity<A, E, R>): Effect.Effect<A, E, R>
    /** The recorded outcome of a stage that has finished. */
    stageResult<A>(stage: RunStage<A>): Effect.Effect<Option.Option<A>>
    /**
     * The recorded outcome of the stage. If there is none, runs the stage, and records its outcome if that is final.
     */
    runStage<A, E, R>(
      stage: RunStage<A>,
      execute: Effect.Effect<A, E, R>,
      isFinal?: (outcome: A) => boolean
    ): Effect.Effect<A, E, R>
    /**
     * Runs an effect without consequences outside the run, such as a read of the project. A replay uses the recorded
     * outcome. A resumed run runs the effect again.
     */
    record<A, E, R>(what: RunStage<A>, execute: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("task-conductor/services/journal/Activities") {
  /**
   * Records activities in the journal of the run. An outcome is encoded only for the journal, so the caller gets it
   * unchanged.
   */
  static readonly layer = Layer.effect(
    Activities,
    Effect.map(Journal, (journal) => {
      const saved = <A>(type: "outcome" | "settled", key: string, success: RunStage<A>["success"]) =>
        Effect.flatMap(
          journal.saved(type, key),
          Option.match({
            onNone: () => Effect.succeedNone,
            onSome: (value) =>
              Schema.decodeUnknownEffect(Schema.toCodecJson(success))(value).pipe(
                Effect.asSome,
                Effect.catchTag("SchemaError", () => journal.unreadable(key))
              )
          })
        )

      const stageResult = <A>({ key, success }: RunStage<A>): Effect.Effect<Option.Option<A>> =>
        saved("settled", key, success)

      return Activities.of({
        run: Effect.fnUntraced(function* <A, E, R>(activity: Activity<A, E, R>): Effect.fn.Return<A, E, R> {
          const { error, execute, emit, success } = activity
          const key = activityName(activity)
          const known = yield* saved("outcome", key, success)
          if (Option.isSome(known)) return known.value
          const outcome = yield* Effect.tapError(execute, (failure) =>
            Effect.flatMap(asJson(error, failure), (json) => journal.enqueue({ type: "failure", key, error: json }))
          )
          yield* journal.append({ type: "outcome", key, value: yield* asJson(success, outcome) })
          if (emit !== undefined) yield* emit(outcome)
          return outcome
        }),
        stageResult,
        runStage: Effect.fnUntraced(function* <A, E, R>(
          stage: RunStage<A>,
          execute: Effect.Effect<A, E, R>,
          isFinal: (outcome: A) => boolean = () => true
        ): Effect.fn.Return<A, E, R> {
          const known = yield* stageResult(stage)
          if (Option.isSome(known)) return known.value
          const outcome = yield* execute
          if (isFinal(outcome)) {
            yield* journal.append({ type: "settled", key: stage.key, value: yield* asJson(stage.success, outcome) })
          }
          return outcome
        }),
        record: ({ key, success }, execute) =>
          Effect.tap(execute, (outcome) =>
            Effect.flatMap(asJson(success, outcome), (value) => journal.enqueue({ type: "seen", key, value }))
          )
      })
    })
  )

  /** Runs every activity, but records none. */
  static readonly layerUnsaved: Layer.Layer<Activities> = Layer.provide(Activities.layer, Journal.layerNone)
}
