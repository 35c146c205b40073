/**
 * The lock of a run or a conversation on its project: taken when something is about to be changed, waiting for whoever has it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { awaitProject, type LockedProject } from "../services/journal/ProjectLock.ts"
import { ProjectWriteLock } from "../services/files/ProjectWriteLock.ts"

/** The lock under the name `runId` for other processes; released with its layer at the latest. */
export const layerWriteLock = (place: LockedProject): Layer.Layer<ProjectWriteLock, never, FileSystem.FileSystem> =>
  Layer.effect(
    ProjectWriteLock,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem>())
      const held = yield* Ref.make<Scope.Closeable | undefined>(undefined)
      const withMutex = (yield* Semaphore.make(1)).withPermits(1)

      const take = Effect.fnUntraced(function* (waits: (text: string) => Effect.Effect<void>) {
        if ((yield* Ref.get(held)) !== undefined) return undefined
        const scope = yield* Scope.make()
        const taken = Scope.provide(
          awaitProject(place, ({ by, what }) =>
            waits(`${what} is being changed by ${by}. Waiting until that has ended.`)
          ),
          scope
        )
        return yield* provide(taken).pipe(
          Effect.andThen(Ref.set(held, scope)),
          Effect.as(undefined),
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, Exit.void))),
          Effect.catchTag("LockUnavailable", ({ code }) =>
            Effect.succeed(`would change something, and the project cannot be locked against runs: ${code}`)
          )
        )
      })
      const release = Effect.flatMap(Ref.getAndSet(held, undefined), (scope) =>
        scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
      )
      yield* Effect.addFinalizer(() => withMutex(release))
      return { claim: (waits) => withMutex(take(waits)), release: withMutex(release) }
    })
  )
