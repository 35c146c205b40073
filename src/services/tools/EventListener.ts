/** Plugins that hear what happens in runs and conversations. */
import type * as Effect from "effect/Effect"
import type * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import type { RecordedEvent } from "../../domain/runs/RunEvent.ts"

/** What a listener is told of the work before it begins. */
export interface ListenedWork {
  /** The model of the work, by the name that the user gave it. */
  readonly model: string
  /** What traces call the provider of a model. */
  readonly providerOf: (model: string) => string
  readonly version: string
}

/** Takes the events of one run or conversation, in order. A failure in it ends no work. */
export type TakeEvent = (recorded: RecordedEvent) => Effect.Effect<void>

/** Sends the metrics in this registry for as long as the scope is open; false when nobody collects them. A failure is a sentence. */
export type MetricSender = (metrics: {
  readonly registry: Metric.MetricRegistry
  readonly version: string
}) => Effect.Effect<boolean, string, Scope.Scope>

/**
 * Begins to listen; what it opens lives as long as the work. Nothing when it does not want to; a failure is a sentence that
 * the user reads, and the work goes on without the listener.
 */
export type EventListener = (work: ListenedWork) => Effect.Effect<TakeEvent | undefined, string, Scope.Scope>
