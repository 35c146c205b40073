/**
 * Who may change the project now. A run has its project from its first moment to its last. A conversation can be open for
 * hours: it locks the project when a call wants to change something, and unlocks it when the message is answered. The gate
 * claims the lock, the conversation releases it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface Turn {
  /** Has the project alone from now on; why not, when another process works there. */
  readonly claim: Effect.Effect<string | undefined>
  /** Lets others work in the project again. */
  readonly release: Effect.Effect<void>
}

/** Nothing has to be taken, unless a door says so: a run has its project as a whole. */
export const ProjectWriteLock = Context.Reference<Turn>(
  "task-conductor/services/permissions/ProjectWriteLock/ProjectTurn",
  {
    defaultValue: () => ({ claim: Effect.undefined, release: Effect.void })
  }
)
