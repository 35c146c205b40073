/**
 * Who is told of an MCP server that a start waits for.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Takes a line about a server that is waited for; nobody does by default. */
export const WaitingNotice = Context.Reference<(line: string) => Effect.Effect<void>>(
  "task-conductor/services/plugins/WaitingNotice",
  { defaultValue: () => () => Effect.void }
)
