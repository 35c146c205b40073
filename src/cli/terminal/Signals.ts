/**
 * The signals that the process receives. The first one ends the program, unless an interactive session
 * takes Ctrl-C for itself; the last event of a run says which signal ended it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export class Signals extends Context.Service<
  Signals,
  {
    /** The signal that ended the program, nothing while there was none. */
    readonly received: () => "SIGINT" | "SIGTERM" | undefined
    /** Until the scope closes, Ctrl-C calls this instead of ending the program. */
    readonly onInterrupt: (listener: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("task-conductor/cli/terminal/Signals") {}
