/**
 * Reads and writes the file of remembered permissions. A file that another user may have written is not used; writing
 * replaces the file in one step and keeps it unreadable for others. One process at a time changes it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { readPolicies, renderPolicies, type RememberedRule } from "../../domain/permissions/PolicyFormat.ts"
import { openDirectory } from "../files/DirectoryHandle.ts"
import { takeLock } from "../files/Lock.ts"
import { makeFolders } from "../files/MakeFolder.ts"

/** The file of remembered permissions cannot be used or written; it is left unchanged. */
export class PolicyFileError extends Schema.TaggedError<PolicyFileError>()("PolicyFileError", {
  path: Schema.String,
  /** What is wrong, a sentence without the full stop. */
  problem: Schema.String,
  /** What to do, a whole sentence. */
  remedy: Schema.String
}) {
  override get message(): string {
    return `The remembered permissions in ${this.path} are not used: ${this.problem}. ${this.remedy}`
  }
}

/** A larger file was not written by this program. */
const maxBytes = 1_048_576
const writableByOthers = 0o022

const failWith = (path: string, problem: string, remedy: string) => new PolicyFileError({ path, problem, remedy })

const systemFailure = (path: string) => (error: PlatformError) =>
  failWith(path, `the system says ${error.reason._tag}`, "Check the file and its folder, or remove it.")

/** The problem of what is not a regular file of this user that only this user can write; nothing without one. */
const privacyProblem = (path: string, info: FileSystem.File.Info, owner: number | undefined) => {
  if (info.type === "SymbolicLink") return failWith(path, "the file is a link", "Put a regular file there.")
  if (info.type !== "File") return failWith(path, "it is not a regular file", "Put a regular file there.")
  if ((info.mode & writableByOthers) !== 0) {
    return failWith(path, "other users can write the file", `Check its content, then run: chmod 600 ${path}`)
  }
  if (owner !== undefined && info.uid._tag === "Some" && info.uid.value !== owner) {
    return failWith(path, "the file belongs to another user", "Remove it, or change its owner.")
  }
  return Number(info.size) > maxBytes ? failWith(path, "the file is larger than 1 MiB", "Remove it.") : undefined
}

/** The rules of the file; none when there is no file. `owner` is the id of the user it must belong to, where known. */
export const readPolicyFile = Effect.fn("readPolicyFile")(
  function* (path: string, owner: number | undefined) {
    const fs = yield* FileSystem.FileSystem
    const info = yield* fs.lstat(path)
    const problem = privacyProblem(path, info, owner)
    if (problem !== undefined) return yield* problem
    const read = readPolicies(yield* fs.readFileString(path))
    if (Result.isSuccess(read)) return read.success
    const { column, line, what } = read.failure
    return yield* failWith(
      path,
      `line ${line}, column ${column}: ${what.replace(/\.$/, "")}`,
      "Fix the file, or remove it."
    )
  },
  (effect, path) =>
    Effect.catchTag(effect, "PlatformError", (error) =>
      error.reason._tag === "NotFound"
        ? Effect.succeed<ReadonlyArray<RememberedRule>>([])
        : Effect.fail(systemFailure(path)(error))
    )
)

/** How long a change waits for other processes that change the file, in steps. Each change takes milliseconds. */
const waitForOthers = Schedule.spaced("20 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: "10 seconds" }))

/**
 * Makes a change while no other process makes one, so that a change that read the file before another was written does
 * not undo it. The lock ends with its process.
 */
export const changeAlone = <A, R>(path: string, change: Effect.Effect<A, PolicyFileError, R>) =>
  Effect.gen(function* () {
    const paths = yield* Path.Path
    yield* takeLock(`policies ${paths.resolve(path)}`, { folder: paths.dirname(path), what: path, runId: "" }).pipe(
      Effect.retry({ schedule: waitForOthers, while: ({ _tag }) => _tag === "LockTaken" }),
      Effect.catchTags({
        LockTaken: () => failWith(path, "other processes keep changing the file", "Try again."),
        LockUnavailable: ({ code }) =>
          failWith(path, `it cannot be locked against other processes: the system says ${code}`, "Try again.")
      })
    )
    return yield* change
  }).pipe(Effect.scoped)

/** Removes what a process left that was killed while it wrote. The file must be locked. */
const removeLeftovers = Effect.fnUntraced(function* (folder: string, name: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const left = (yield* fs.readDirectory(folder)).filter((one) => one.startsWith(`${name}.`) && one.endsWith(".tmp"))
  yield* Effect.forEach(left, (one) => Effect.ignore(fs.remove(path.join(folder, one))), { discard: true })
})

/** Replaces the file in one step, with mode 0600 in a folder of mode 0700, and flushes both to the disk. */
export const writePolicyFile = Effect.fn("writePolicyFile")(
  function* (path: string, rules: ReadonlyArray<RememberedRule>) {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const folder = paths.dirname(path)
    yield* makeFolders(folder, 0o700)
    yield* removeLeftovers(folder, paths.basename(path))
    const temporary = `${path}.${(yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)).toString(36)}.tmp`
    const fill = Effect.gen(function* () {
      const handle = yield* fs.open(temporary, { flag: "wx", mode: 0o600 })
      yield* handle.writeAll(new TextEncoder().encode(renderPolicies(rules)))
      yield* handle.sync
    })
    yield* Effect.scoped(fill).pipe(
      Effect.andThen(fs.rename(temporary, path)),
      Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true })))
    )
    yield* fs.realPath(folder).pipe(
      Effect.flatMap(openDirectory),
      Effect.flatMap(({ sync }) => sync),
      Effect.scoped,
      Effect.ignore
    )
  },
  (effect, path) => Effect.mapError(effect, systemFailure(path))
)
