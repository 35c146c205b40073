/** An optional mechanism of a turn, such as the self-review. `Agent.ts` lists the hooks in use. */
import type * as Effect from "effect/Effect"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { AgentEnd, Session } from "./Session.ts"
import type { AgentTurn } from "./Turn.ts"

export interface AgentHook {
  /**
   * Finds places that still contain a name or line that the turn removed elsewhere. Returns lines about these places
   * for the reply.
   */
  readonly afterChanges?: (
    turn: AgentTurn,
    changed: ReadonlyArray<ProposedFile>
  ) => Effect.Effect<ReadonlyArray<string>>
  /** Returns a question to the model before an acceptable report ends the work; undefined for no question. */
  readonly beforeEnd?: (turn: AgentTurn) => Effect.Effect<string | undefined>
  /** Says why the work ends without a report; undefined while the work continues. */
  readonly endOf?: (session: Session) => AgentEnd<never> | undefined
}
