/**
 * Collects the events of a run for assertions.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RecordedEvent, RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { RunEvents } from "../../src/services/runs/RunEvents.ts"

export class EventLog extends Context.Service<
  EventLog,
  {
    /** All events so far, without their times. */
    readonly events: () => ReadonlyArray<RunEvent>
    readonly recorded: () => ReadonlyArray<RecordedEvent>
  }
>()("test/EventLog") {
  static readonly layer: Layer.Layer<EventLog | RunEvents> = Layer.unwrap(
    Effect.sync(() => {
      const recorded: Array<RecordedEvent> = []
      return Layer.merge(
        RunEvents.layerListener((event) => Effect.sync(() => void recorded.push(event))),
        Layer.succeed(EventLog)(
          EventLog.of({
            events: () => recorded.map((one) => one.event),
            recorded: () => recorded
          })
        )
      )
    })
  )
}
