/** Plugins that receive the events of runs and conversations. */
import type * as Effect from "effect/Effect"
import type * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import type { RecordedEvent } from "../../domain/runs/RunEvent.ts"

/** What a listener learns before the work begins. */
export interface ListenedWork {
  /** The name that the user gave for the model. */
  readonly model: string
  /** The name of a model's provider in traces. */
  readonly providerOf: (model: string) => string
  /** The version of the program. */
  readonly version: string
}

/** Receives one event of the work, with its time. */
export type TakeEvent = (recorded: RecordedEvent) => Effect.Effect<void>

/**
 * Sends the metrics of this registry until the scope closes. Returns false if nobody collects metrics. If sending
 * cannot start, fails with a sentence for the user.
 */
export type MetricSender = (metrics: {
  readonly registry: Metric.MetricRegistry
  readonly version: string
}) => Effect.Effect<boolean, string, Scope.Scope>

/**
 * Begins to listen, with resources that live as long as the work. Returns undefined if the listener does not want the
 * events. A failure is a sentence for the user. The work then continues without the listener.
 */
export type EventListener = (work: ListenedWork) => Effect.Effect<TakeEvent | undefined, string, Scope.Scope>
