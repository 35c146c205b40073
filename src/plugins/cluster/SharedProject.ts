/**
 * The lock of a worker on a project: several workers of one machine may carry out the same run.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type LockedProject, takeLock, takeProject } from "../../kit/files.ts"

const interval = Schedule.spaced("1 second")

/** Says whether a worker of this machine has a run, also when it is stopped and answers nobody. */
const takeRun = ({ locks, project, runId }: LockedProject) =>
  takeLock(`run ${runId} in ${project}`, { folder: locks, what: `The run ${runId}`, runId })

/** Takes the lock on the project until the scope closes. Fails when another run of this machine has it. */
export const takeSharedProject = Effect.fn("takeSharedProject")(function* (locked: LockedProject) {
  const isHere = yield* takeRun(locked).pipe(
    Effect.as(false),
    Effect.catchTag("LockTaken", () => Effect.succeed(true))
  )
  if (!isHere) return yield* takeProject(locked)
  yield* Effect.retry(takeRun(locked), interval).pipe(
    Effect.andThen(Effect.retry(takeProject(locked), interval)),
    Effect.forkScoped
  )
})
