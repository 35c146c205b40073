/**
 * Who may change the project now. A run holds its project from its first moment to its last. A conversation can be open for
 * hours: it locks the project when a call wants to change something, and unlocks it when the message is answered. The gate
 * claims the lock, the conversation releases it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class ProjectWriteLock extends Context.Service<
  ProjectWriteLock,
  {
    /** Holds the project from now on; why not, when another process works there. */
    readonly claim: Effect.Effect<string | undefined>
    /** Lets others work in the project again. */
    readonly release: Effect.Effect<void>
  }
>()("task-conductor/services/permissions/ProjectWriteLock") {
  /** The project is held as a whole by whoever provides this, so that no call has to claim it. */
  static readonly layerHeld = Layer.succeed(ProjectWriteLock)({ claim: Effect.undefined, release: Effect.void })
}
