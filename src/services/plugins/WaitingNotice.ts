/** Receives notices about MCP servers for which a start waits. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Receives a line about a server that delays the start. By default the line is ignored. */
export const WaitingNotice = Context.Reference<(line: string) => Effect.Effect<void>>(
  "task-conductor/services/plugins/WaitingNotice",
  { defaultValue: () => () => Effect.void }
)
