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
  /**
   * Called before an acceptable report ends the work. Returns a question that the model must answer first, or undefined
   * to let the work end.
   */
  readonly beforeEnd?: (turn: AgentTurn) => Effect.Effect<string | undefined>
  /** Says why the work ends without a report; undefined while the work continues. */
  readonly endOf?: (session: Session) => AgentEnd<never> | undefined
}
