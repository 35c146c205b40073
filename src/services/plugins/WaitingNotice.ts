/** Receives notices about MCP servers that delay the start of a run. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Receives a line about a server that delays the start. The default ignores the line. */
export const WaitingNotice = Context.Reference<(line: string) => Effect.Effect<void>>(
  "task-conductor/services/plugins/WaitingNotice",
  { defaultValue: () => () => Effect.void }
)
