/**
 * Looks at changes of the project, before and after they are made. A feature provides it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WriteAccess } from "../../domain/tools/Access.ts"

export interface ChangeGuard {
  /** Why the change must not be made; nothing when it may. */
  readonly objectionTo: (writes: ReadonlyArray<WriteAccess>) => Effect.Effect<string | undefined>
  /** The change was made. */
  readonly noteMade: (writes: ReadonlyArray<WriteAccess>) => Effect.Effect<void>
}

export const ChangeGuard = Context.Reference<ChangeGuard>("task-conductor/services/tools/ChangeGuard", {
  defaultValue: () => ({ objectionTo: () => Effect.undefined, noteMade: () => Effect.void })
})
