/**
 * Who may change the project now. A run has its project from its first moment to its last. A conversation can be open for
 * hours: it takes its turn when a call wants to change something, and gives it back when the message is answered. The gate
 * takes it, Asker gives it back.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { type RunPlace, takeProject } from "../history/RunJournal.ts"

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

/** The turns of one conversation, which holders and those who wait know by its `runId`. */
export const layerProjectWriteLock = (
  place: Pick<RunPlace, "locks" | "project" | "runId">
): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    ProjectWriteLock,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
      const held = yield* Ref.make<Scope.Closeable | undefined>(undefined)
      const alone = (yield* Semaphore.make(1)).withPermits(1)

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
      yield* Effect.addFinalizer(() => alone(release))
      return { claim: Effect.uninterruptible(alone(take)), release: alone(release) }
    })
  )
