/**
 * The signal that ended the program, if one did. `launch` sets it, the last event of a run tells it.
 */
import * as Context from "effect/Context"

export class Signals extends Context.Service<
  Signals,
  {
    /** The first signal, nothing while there was none. */
    readonly received: () => NodeJS.Signals | undefined
  }
>()("task-conductor/cli/Signals") {}
