/** The events that stages emit. Only the callers of a run read them: the terminal, `--json` and the library. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RecordedEvent, RunEvent } from "../../domain/runs/RunEvent.ts"

export class RunEvents extends Context.Service<
  RunEvents,
  {
    /** Emits one event. Listeners receive all events in order. */
    publish(event: RunEvent): Effect.Effect<void>
  }
>()("task-conductor/services/runs/RunEvents") {
  /** Passes each event, with its time, to one listener. If the listener fails, the failure is a defect. */
  static readonly layerListener = (
    listener: (recorded: RecordedEvent) => Effect.Effect<void>
  ): Layer.Layer<RunEvents> =>
    Layer.succeed(RunEvents)(
      RunEvents.of({
        publish: (event) =>
          Clock.clockWith((clock) => listener({ at: new Date(clock.currentTimeMillisUnsafe()).toISOString(), event }))
      })
    )

  static readonly layerSilent: Layer.Layer<RunEvents> = RunEvents.layerListener(() => Effect.void)
}
