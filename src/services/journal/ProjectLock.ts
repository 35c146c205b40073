/**
 * The lock on a project: one process at a time may change it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { type LockHolder, takeLock } from "../files/Lock.ts"

/** The project, and the folder where locks leave a file on systems that need one. */
export interface LockedProject extends Omit<LockHolder, "pid" | "since"> {
  readonly locks: string
  /** Absolute. */
  readonly project: string
}

/** Takes the lock until the scope closes. Fails when another process has it. */
export const takeProject = Effect.fnUntraced(function* ({ locks, project, ...holder }: LockedProject) {
  const real = yield* Effect.orElseSucceed((yield* FileSystem.FileSystem).realPath(project), () => project)
  const remedy = "Wait for it, end it first, or run with --read-only what changes nothing."
  yield* takeLock(`project ${real}`, { folder: locks, what: `The project ${real}`, remedy, ...holder })
})
