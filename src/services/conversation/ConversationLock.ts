/**
 * The lock of a conversation on its project: taken when a call wants to change something, released with the answer.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { type LockedProject, takeProject } from "../journal/ProjectLock.ts"
import { ProjectWriteLock } from "../permissions/Gate.ts"

/** The lock of the conversation that `runId` names to other processes. */
export const layerConversationLock = (
  place: Pick<LockedProject, "locks" | "project" | "runId">
): Layer.Layer<ProjectWriteLock, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    ProjectWriteLock,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
      const held = yield* Ref.make<Scope.Closeable | undefined>(undefined)
      const withMutex = (yield* Semaphore.make(1)).withPermits(1)

      const take = Effect.gen(function* () {
        if ((yield* Ref.get(held)) !== undefined) return undefined
        const scope = yield* Scope.make()
        return yield* provide(Scope.provide(takeProject({ ...place, work: "conversation" }), scope)).pipe(
          Effect.andThen(Ref.set(held, scope)),
          Effect.as(undefined),
          Effect.catchTags({
            LockTaken: ({ by }) =>
              Effect.succeed(`would change something, and ${by} works in the project: wait for it, or end it`),
            LockUnavailable: ({ code }) =>
              Effect.succeed(`would change something, and the project cannot be locked against runs: ${code}`)
          })
        )
      })
      const release = Effect.flatMap(Ref.getAndSet(held, undefined), (scope) =>
        scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
      )
      yield* Effect.addFinalizer(() => withMutex(release))
      return { claim: Effect.uninterruptible(withMutex(take)), release: withMutex(release) }
    })
  )
