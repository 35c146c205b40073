/**
 * What a stage hands over to be done once: a model call or a tool call.
 */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

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
