/**
 * The places where a hook may take part in a turn. A hook is one mechanism that a turn works without, such as the
 * self-review. `Agent.ts` lists the hooks in use.
 */
import type * as Effect from "effect/Effect"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { AgentEnd, Session } from "./Session.ts"
import type { AgentTurn } from "./Turn.ts"

export interface AgentHook {
  /** Lines for the reply about what the changes of a turn left behind. */
  readonly afterChanges?: (
    turn: AgentTurn,
    changed: ReadonlyArray<ProposedFile>
  ) => Effect.Effect<ReadonlyArray<string>>
  /** A question to the model before an acceptable report ends the work; nothing for none. */
  readonly beforeEnd?: (turn: AgentTurn) => Effect.Effect<string | undefined>
  /** Why the work ends without a report; nothing while it goes on. */
  readonly endOf?: (session: Session) => AgentEnd<never> | undefined
}
