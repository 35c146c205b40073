/**
 * Reads and writes the file of remembered permissions. A file that another user may have written is not used; writing
 * replaces the file in one step and keeps it unreadable for others.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readPolicies, renderPolicies, type RememberedRule } from "../../domain/permissions/PolicyFormat.ts"

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
    return yield* failWith(path, `line ${line}, column ${column}: ${what}`, "Fix the file, or remove it.")
  },
  (effect, path) =>
    Effect.catchTag(effect, "PlatformError", (error) =>
      error.reason._tag === "NotFound"
        ? Effect.succeed<ReadonlyArray<RememberedRule>>([])
        : Effect.fail(systemFailure(path)(error))
    )
)

/** Replaces the file in one step, with mode 0600 in a folder of mode 0700. */
export const writePolicyFile = Effect.fn("writePolicyFile")(
  function* (path: string, rules: ReadonlyArray<RememberedRule>) {
    const fs = yield* FileSystem.FileSystem
    const folder = (yield* Path.Path).dirname(path)
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
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
  },
  (effect, path) => Effect.mapError(effect, systemFailure(path))
)
