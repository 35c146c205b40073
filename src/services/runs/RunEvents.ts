/** The events that stages publish. Stages never read events; callers (terminal, `--json`, library) do. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RecordedEvent, RunEvent } from "../../domain/runs/RunEvent.ts"

export class RunEvents extends Context.Service<
  RunEvents,
  {
    /** Publishes one event; listeners see events in the order of publication. */
    publish(event: RunEvent): Effect.Effect<void>
  }
>()("task-conductor/services/runs/RunEvents") {
  /** Passes every event, with its time, to one listener. The listener's own failures are defects. */
  static readonly layerListener = (
    listener: (recorded: RecordedEvent) => Effect.Effect<void>
  ): Layer.Layer<RunEvents> =>
    Layer.succeed(RunEvents)(
      RunEvents.of({
        publish: (event) =>
          Clock.clockWith((clock) => listener({ at: new Date(clock.currentTimeMillisUnsafe()).toISOString(), event }))
      })
    )

  /** Drops all events. */
  static readonly layerSilent: Layer.Layer<RunEvents> = RunEvents.layerListener(() => Effect.void)
}
