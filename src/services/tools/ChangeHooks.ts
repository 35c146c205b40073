/**
 * What wants to know of changes in the project before and after they are made. A feature provides it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WriteAccess } from "../../domain/tools/Access.ts"

export interface ChangeHooks {
  /** Why the change must not be made; nothing when it may. */
  readonly before: (writes: ReadonlyArray<WriteAccess>) => Effect.Effect<string | undefined>
  readonly after: (writes: ReadonlyArray<WriteAccess>) => Effect.Effect<void>
}

export const ChangeHooks = Context.Reference<ChangeHooks>("task-conductor/services/tools/ChangeHooks", {
  defaultValue: () => ({ before: () => Effect.undefined, after: () => Effect.void })
})
