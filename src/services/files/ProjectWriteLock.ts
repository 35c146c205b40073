/**
 * Who may change the project now. A run holds its project from its first change to its end. A conversation can be open for
 * hours: it unlocks the project when the message is answered. The gate claims the lock when something is about to be changed,
 * and waits for whoever has it; the conversation releases it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class ProjectWriteLock extends Context.Service<
  ProjectWriteLock,
  {
    /**
     * Holds the project from now on, once no other process does; `waits` is told who does, as a sentence. Gives why not, when
     * it cannot be locked.
     */
    readonly claim: (waits: (text: string) => Effect.Effect<void>) => Effect.Effect<string | undefined>
    /** Lets others work in the project again. */
    readonly release: Effect.Effect<void>
  }
>()("task-conductor/services/files/ProjectWriteLock") {
  /** The project is held as a whole by whoever provides this, so that no call has to claim it. */
  static readonly layerHeld = Layer.succeed(ProjectWriteLock)({ claim: () => Effect.undefined, release: Effect.void })
}
