/** What a person allowed permanently, and the file that holds it. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { readPolicies, renderPolicies, type RememberedRule, isSameRule } from "../../domain/permissions/PolicyFormat.ts"
import { takeLock } from "../files/ProcessLock.ts"
import { flushFolder, makeFolders, writePrivateFile } from "../files/PrivateFile.ts"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"

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
const readPolicyFile = Effect.fn("readPolicyFile")(
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
const changeAlone = <A, R>(path: string, change: Effect.Effect<A, PolicyFileError, R>) =>
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

/** Replaces the file in one step, with mode 0600 in a folder of mode 0700, and flushes both to the disk. */
const writePolicyFile = Effect.fn("writePolicyFile")(
  function* (path: string, rules: ReadonlyArray<RememberedRule>) {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const folder = paths.dirname(path)
    yield* makeFolders(folder, 0o700)
    /* A process that was killed while it wrote left its file. */
    const isLeft = (name: string) => name.startsWith(`${paths.basename(path)}.`) && name.endsWith(".tmp")
    const left = (yield* fs.readDirectory(folder)).filter(isLeft)
    yield* Effect.forEach(left, (name) => Effect.ignore(fs.remove(paths.join(folder, name))), { discard: true })
    yield* writePrivateFile(path, renderPolicies(rules))
    yield* flushFolder(folder)
  },
  (effect, path) => Effect.mapError(effect, systemFailure(path))
)

type Rules = ReadonlyArray<RememberedRule>
type Change = (rules: Rules) => Rules

const without = (rules: Rules, rule: RememberedRule): Rules => rules.filter((other) => !isSameRule(other, rule))

/** Changes what the file holds now, to keep rules that another process added. Gives what it held. */
const updateFile = (path: string, owner: number | undefined, change: Change) =>
  Effect.gen(function* () {
    const present = yield* readPolicyFile(path, owner)
    const changed = change(present)
    if (changed !== present) yield* writePolicyFile(path, changed)
    return present
  }).pipe(Effect.uninterruptible, (update) => changeAlone(path, update))

/** Policies that begin with these rules. `update` changes what is stored, and gives what was. */
const makePolicies = Effect.fnUntraced(function* (
  file: string | undefined,
  atStart: Result.Result<Rules, PolicyFileError>,
  update: (change: Change) => Effect.Effect<Rules, PolicyFileError>
) {
  let rules = Result.getOrElse(atStart, (): Rules => [])
  const withMutex = (yield* Semaphore.make(1)).withPermits(1)
  const apply = (change: Change) =>
    withMutex(Effect.tap(update(change), () => Effect.sync(() => void (rules = change(rules)))))
  return {
    /** The path of the file; absent when nothing is stored beyond the run. */
    file,
    /** The rules in force: those of the file as it was at the start, and what was remembered or revoked since. */
    rules: Effect.sync(() => rules),
    /** Why the file is not used; absent when it is valid or missing. */
    rejection: Result.isFailure(atStart) ? atStart.failure : undefined,
    /**
     * Adds a rule with the present time, which replaces one for the same tool and pattern. Fails when the file cannot be
     * used or written; then nothing is remembered.
     */
    remember: Effect.fn("Policies.remember")(function* (rule: RememberedRule) {
      const entry: RememberedRule = { ...rule, rememberedAt: DateTime.formatIso(yield* DateTime.now) }
      yield* apply((present) => [...without(present, rule), entry])
    }),
    /** Removes a rule from the file; false when the file does not hold it. */
    revoke: Effect.fn("Policies.revoke")(function* (rule: RememberedRule) {
      const isHeld = (present: Rules): boolean => present.some((other) => isSameRule(other, rule))
      return isHeld(yield* apply((present) => (isHeld(present) ? without(present, rule) : present)))
    })
  }
})

export class Policies extends Context.Service<Policies>()("task-conductor/services/permissions/Policies", {
  make: makePolicies
}) {
  /** Stores the rules in this file. `owner` is the id of the user that the file must belong to, where the system has one. */
  static readonly layer = (file: string, owner?: number) =>
    Layer.effect(
      Policies,
      Effect.gen(function* () {
        const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
        const atStart = yield* Effect.result(readPolicyFile(file, owner))
        return yield* makePolicies(file, atStart, (change) => provide(updateFile(file, owner, change)))
      })
    )

  /** Remembers for the run only, starting with these rules. */
  static readonly layerMemory = (initial: Rules = []) =>
    Layer.effect(
      Policies,
      Effect.suspend(() => {
        let stored = initial
        const update = (change: Change) =>
          Effect.sync(() => {
            const present = stored
            stored = change(present)
            return present
          })
        return makePolicies(undefined, Result.succeed(initial), update)
      })
    )
}
