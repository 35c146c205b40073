/**
 * The seam between the stages and whatever makes runs survive. Each model call and each tool call is performed as one
 * activity: a stable key, a schema for its outcome, and the effect. Here it simply runs; a durable engine replaces the
 * layer and may return a recorded outcome for the key instead, and no stage changes.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"

/**
 * What is to be done once. `key` comes from domain/CallId. Only a success is an outcome to remember: a failure (server
 * gone, permission denied) may be otherwise the next time.
 */
export interface Activity<A, E, R> {
  readonly key: string
  readonly success: Schema.Codec<A, unknown>
  readonly error: Schema.Codec<E, unknown>
  readonly execute: Effect.Effect<A, E, R>
}

export class Activities extends Context.Service<
  Activities,
  {
    perform<A, E, R>(activity: Activity<A, E, R>): Effect.Effect<A, E, R>
  }
>()("task-conductor/services/Activities") {
  /** Runs every activity, remembers nothing. */
  static readonly layerDirect: Layer.Layer<Activities> = Layer.succeed(Activities)(
    Activities.of({
      perform: (activity) => activity.execute
    })
  )
}
