/** Plugins that receive the events of runs and conversations. */
import type * as Effect from "effect/Effect"
import type * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import type { RecordedEvent } from "../../domain/runs/RunEvent.ts"

/** What the program tells a listener before the work begins. */
export interface ListenedWork {
  /** The model of the work, by the name that the user gave. */
  readonly model: string
  /** Returns the name of a model's provider in traces. */
  readonly providerOf: (model: string) => string
  /** The version of the program. */
  readonly version: string
}

/** Receives the events of one run or conversation in order. If the listener fails, the work continues. */
export type TakeEvent = (recorded: RecordedEvent) => Effect.Effect<void>

/**
 * Sends the metrics of this registry until the scope closes. Returns false if nobody collects metrics. If sending
 * fails, the error is a sentence.
 */
export type MetricSender = (metrics: {
  readonly registry: Metric.MetricRegistry
  readonly version: string
}) => Effect.Effect<boolean, string, Scope.Scope>

/**
 * Begins to listen. The resources of the listener live as long as the work. Returns undefined if the listener does not
 * want the events. If it fails, the error is a sentence for the user, and the work continues without the listener.
 */
export type EventListener = (work: ListenedWork) => Effect.Effect<TakeEvent | undefined, string, Scope.Scope>
