/**
 * The lock on a project, for the only process that may change it. While it is held, no process may change a project
 * above or below.
 *
 * A run holds the lock from its first change to its end. A conversation can stay open for hours, so it releases the
 * lock after each message. Before a change, the gate takes the lock. If another process holds it, the gate waits.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { removeAllTemporaryFiles } from "./AtomicWrite.ts"
import { isWithin } from "./CanonicalPath.ts"
import { textHash } from "./Hash.ts"
import { makeFolders, writePrivateFile } from "./PrivateFile.ts"
import { type LockHolder, lockHolder, LockTaken, type LockUnavailable, takeLock } from "./ProcessLock.ts"

/** The project, and the folder for lock files where the system needs them. */
export interface LockedProject extends Omit<LockHolder, "pid" | "since"> {
  readonly locks: string
  /** The absolute path of the project. */
  readonly project: string
}

const remedy = "Wait for it, end it first, or run with --read-only what changes nothing."

const lockName = (project: string): string => `project ${project}`

/** The lock on the list of locked projects in a folder, for one reader at a time. */
export const listLock = (folder: string) => ({ what: "The list of projects", name: `projects ${folder}` })

/**
 * How long a process waits while another process reads the list of locked projects, in milliseconds. Reading may be
 * slow.
 */
const longestLook = 30_000

/** Returns a function that says whether to keep waiting. It says no when one holder has had the lock for too long. */
const makePatience = () => {
  let [holder, since] = ["", 0]
  return ({ _tag, message }: LockTaken | LockUnavailable) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (message !== holder) [holder, since] = [message, now]
      return _tag === "LockTaken" && now - since < longestLook
    })
}

/**
 * Only one run of this process at a time reads the list of projects that are being changed. Otherwise, runs of the same
 * process would compete for the lock of the list.
 */
const inThisProcess = Semaphore.makeUnsafe(1)

/**
 * Fails if another process changes a project that contains this one or is in it. The files in `folder` list the
 * projects that are being changed.
 */
const refuseNested = Effect.fnUntraced(function* (real: string, folder: string, locks: string) {
  const fs = yield* FileSystem.FileSystem
  const files = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
  for (const file of files.map((name) => path.join(folder, name))) {
    const lockedProject = yield* Effect.orElseSucceed(fs.readFileString(file), () => real)
    if (lockedProject === real || !(isWithin(lockedProject, real) || isWithin(real, lockedProject))) continue
    const holder = yield* lockHolder(lockName(lockedProject), { folder: locks })
    if (holder._tag === "None") yield* Effect.ignore(fs.remove(file))
    else return yield* new LockTaken({ what: `The project ${lockedProject}`, remedy, holder: holder.value })
  }
})

/**
 * Takes the lock until the scope closes. Fails if another process has this lock, or the lock of a project above or
 * below.
 *
 * If the list of locked projects still contains this project, an earlier process was killed during its changes. The
 * temporary files of that process are removed.
 */
export const takeProject = Effect.fnUntraced(function* ({ locks, project, ...holder }: LockedProject) {
  const fs = yield* FileSystem.FileSystem
  const real = yield* Effect.orElseSucceed(fs.realPath(project), () => project)
  const folder = path.join(locks, "projects")
  const file = path.join(folder, textHash(real))
  const { name, what } = listLock(folder)
  const look = Effect.retry(takeLock(name, { folder: locks, what, ...holder }), {
    schedule: Schedule.spaced("20 millis"),
    while: makePatience()
  })
  const projectLock = takeLock(lockName(real), { folder: locks, what: `The project ${real}`, remedy, ...holder })
  const listed = Effect.andThen(makeFolders(folder, 0o700), writePrivateFile(file, new TextEncoder().encode(real)))
  const scope = yield* Effect.scope
  yield* Effect.scoped(
    look.pipe(
      Effect.andThen(refuseNested(real, folder, locks)),
      Effect.andThen(Scope.provide(projectLock, scope)),
      Effect.andThen(Effect.orElseSucceed(fs.exists(file), () => false)),
      Effect.tap(Effect.ignore(listed)),
      Effect.flatMap((wasKilled) => (wasKilled ? removeAllTemporaryFiles(real) : Effect.void))
    )
  ).pipe(inThisProcess.withPermit)
  yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(file)))
})

/** How often a waiting process checks whether the project is free. */
const lookAgain = "300 millis"

/** Takes the lock as soon as it is free. Meanwhile, calls `waits` once for each holder. */
const awaitProject = Effect.fnUntraced(function* (
  place: LockedProject,
  waits: (taken: LockTaken) => Effect.Effect<void>
) {
  let lastMessage = ""
  for (;;) {
    const lockTaken = yield* takeProject(place).pipe(
      Effect.as(undefined),
      Effect.catchTag("LockTaken", (one) => Effect.succeed(one))
    )
    if (lockTaken === undefined) return
    if (lockTaken.message !== lastMessage) yield* waits(lockTaken)
    lastMessage = lockTaken.message
    yield* Effect.sleep(lookAgain)
  }
})

const makeWriteLock = Effect.fnUntraced(function* (place: LockedProject) {
  const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem>())
  const held = yield* Ref.make<Scope.Closeable | undefined>(undefined)
  const withMutex = (yield* Semaphore.make(1)).withPermits(1)

  const take = Effect.fnUntraced(function* (waits: (text: string) => Effect.Effect<void>) {
    if ((yield* Ref.get(held)) !== undefined) return undefined
    const scope = yield* Scope.make()
    const projectTaken = Scope.provide(
      awaitProject(place, ({ by, what }) => waits(`${what} is being changed by ${by}. Waiting until that has ended.`)),
      scope
    )
    return yield* provide(projectTaken).pipe(
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
  return ProjectWriteLock.of({ claim: (waits) => withMutex(take(waits)), release: withMutex(release) })
})

export class ProjectWriteLock extends Context.Service<
  ProjectWriteLock,
  {
    /**
     * Takes the lock as soon as it is free, and keeps it. `waits` receives a sentence about the holder. Returns the
     * reason if the project cannot be locked.
     */
    readonly claim: (waits: (text: string) => Effect.Effect<void>) => Effect.Effect<string | undefined>
    /** Lets other processes change the project. */
    readonly release: Effect.Effect<void>
  }
>()("task-conductor/services/files/ProjectWriteLock") {
  /**
   * The lock of one run. If the run has not released it, it is released with the layer. Other processes see the `runId`
   * as the holder.
   */
  static readonly layer = (place: LockedProject): Layer.Layer<ProjectWriteLock, never, FileSystem.FileSystem> =>
    Layer.effect(ProjectWriteLock, makeWriteLock(place))

  /** A layer for callers that hold the lock the whole time: it takes and releases nothing. */
  static readonly layerHeld = Layer.succeed(ProjectWriteLock)({ claim: () => Effect.undefined, release: Effect.void })
}
