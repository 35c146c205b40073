/** The permanent permissions of a user, and the file that stores them. */
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

/** Says that the file of remembered permissions cannot be used or written, and stays unchanged. */
export class PolicyFileError extends Schema.TaggedError<PolicyFileError>()("PolicyFileError", {
  path: Schema.String,
  /** The problem, as a sentence without a full stop. */
  problem: Schema.String,
  /** What the user can do, as a sentence. */
  remedy: Schema.String
}) {
  override get message(): string {
    return `The remembered permissions in ${this.path} are not used: ${this.problem}. ${this.remedy}`
  }
}

/** The maximum size of the file in bytes, for reading and for writing. */
const maxBytes = 1_048_576
const writableByOthers = 0o022

const failWith = (path: string, problem: string, remedy: string) => new PolicyFileError({ path, problem, remedy })

const systemFailure = (path: string) => (error: PlatformError) =>
  failWith(path, `the system says ${error.reason._tag}`, "Check the file and its folder, or remove it.")

/**
 * Why the file cannot be trusted: it is no regular file, it belongs to another user, or other users can write it.
 * Undefined if the file can be trusted.
 */
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

/** Reads the rules from the file; none if there is no file. `owner` is the user id that must own the file, if known. */
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

/** How often and how long to retry while another process changes the file. Such a change takes only milliseconds. */
const waitForOthers = Schedule.spaced("20 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: "10 seconds" }))

/**
 * Runs a change under a lock, so that concurrent changes do not overwrite each other. The lock ends with the process.
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

/** Replaces the file in one step with mode 0600, in a folder with mode 0700, and flushes it to disk. */
const writePolicyFile = Effect.fn("writePolicyFile")(
  function* (path: string, rules: ReadonlyArray<RememberedRule>) {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const folder = paths.dirname(path)
    yield* makeFolders(folder, 0o700)
    /** Temporary files that killed processes left. */
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

/**
 * Changes the rules in the file. Reads the file first, to keep rules that other processes added. Returns the rules
 * before the change.
 */
const updateFile = (path: string, owner: number | undefined, change: Change) =>
  Effect.gen(function* () {
    const present = yield* readPolicyFile(path, owner)
    const changed = change(present)
    if (changed !== present) yield* writePolicyFile(path, changed)
    return present
  }).pipe(Effect.uninterruptible, (update) => changeAlone(path, update))

/**
 * Creates policies with these initial rules. `update` changes the stored rules and returns the rules before the change.
 */
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
    /** The path of the file. Absent if the rules last only for the run. */
    file,
    /** The rules of the file at the start, with later changes. */
    rules: Effect.sync(() => rules),
    /** Why the file is not used. Absent if the file is valid or missing. */
    rejection: Result.isFailure(atStart) ? atStart.failure : undefined,
    /**
     * Adds a rule with the current time, or replaces the rule for the same tool and pattern. If the file cannot be used
     * or written, this fails and remembers nothing.
     */
    remember: Effect.fn("Policies.remember")(function* (rule: RememberedRule) {
      const entry: RememberedRule = { ...rule, rememberedAt: DateTime.formatIso(yield* DateTime.now) }
      yield* apply((present) => [...without(present, rule), entry])
    }),
    /** Removes a rule from the file. Returns false if it has no such rule. */
    revoke: Effect.fn("Policies.revoke")(function* (rule: RememberedRule) {
      const isHeld = (present: Rules): boolean => present.some((other) => isSameRule(other, rule))
      return isHeld(yield* apply((present) => (isHeld(present) ? without(present, rule) : present)))
    })
  }
})

export class Policies extends Context.Service<Policies>()("task-conductor/services/permissions/Policies", {
  make: makePolicies
}) {
  /** Stores rules in this file. `owner` is the user id that must own the file, on systems with user ids. */
  static readonly layer = (file: string, owner?: number) =>
    Layer.effect(
      Policies,
      Effect.gen(function* () {
        const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
        const atStart = yield* Effect.result(readPolicyFile(file, owner))
        return yield* makePolicies(file, atStart, (change) => provide(updateFile(file, owner, change)))
      })
    )

  /** Remembers rules until the end of the run, beginning with `initial`. */
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
