/**
 * The signals that the process receives. The first signal ends the program, except for a Ctrl-C that a conversation
 * handles. The last event of a run names the signal.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export class Signals extends Context.Service<
  Signals,
  {
    /** The signal that ended the program; undefined without one. */
    readonly received: () => "SIGINT" | "SIGTERM" | undefined
    /** Until the scope closes, Ctrl-C calls the listener instead of ending the program. */
    readonly onInterrupt: (listener: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("task-conductor/cli/terminal/Signals") {}
