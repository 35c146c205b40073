/**
 * A lock between processes that ends when its holder dies. The lock is a socket that only one process can own and that
 * tells other processes who owns it.
 */
import { createHash } from "node:crypto"
import { connect, createServer, type Server } from "node:net"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as path from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { codeOf } from "./FileFailure.ts"
import { makeFolders } from "./PrivateFile.ts"

/** The process that holds a lock, as its lock file names it. */
export const LockHolder = Schema.Struct({
  pid: Schema.Int,
  /** The time when the holder took the lock, in ISO 8601. */
  since: Schema.String,
  /** Present if the holder is a conversation, absent for a run. */
  work: Schema.optionalKey(Schema.Literal("conversation")),
  runId: Schema.String
})
export type LockHolder = typeof LockHolder.Type

/** A local time such as `27 Nov, 23:51`. */
const timeText = (iso: string): string => {
  const at = new Date(iso)
  const parts = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const
  return Number.isNaN(at.getTime()) ? iso : at.toLocaleString("en-GB", parts)
}

/** Says that another process has the lock. `holder` is absent if it does not answer. */
export class LockTaken extends Schema.TaggedError<LockTaken>()("LockTaken", {
  /** The name of the locked thing, for messages. */
  what: Schema.String,
  holder: Schema.optionalKey(LockHolder),
  /** What the user can do, as a sentence. */
  remedy: Schema.String
}) {
  /** Describes the holder. */
  get by(): string {
    const { holder } = this
    if (holder === undefined) return "another process"
    const { pid, runId, since, work = "run" } = holder
    return `${work} ${runId} (pid ${pid}, since ${timeText(since)})`
  }
  override get message(): string {
    return `${this.what} is in use by ${this.by}. ${this.remedy}`
  }
}

/** Says that the system allows no lock. `code` is its error code. */
export class LockUnavailable extends Schema.TaggedError<LockUnavailable>()("LockUnavailable", {
  /** The name of the thing to lock, for messages. */
  what: Schema.String,
  code: Schema.String
}) {
  override get message(): string {
    return `${this.what} cannot be locked against other runs: the system says ${this.code}. Nothing was begun. A lock is a local socket: look at the limit of open files (ulimit -n), and at what forbids sockets to this program.`
  }
}

/** The folder for socket files. Only some systems use it, because sockets are no files on Linux and Windows. */
export interface LockPlace {
  readonly folder: string
}

const answerTime = "500 millis"

/** The address of the socket. Linux has abstract sockets, which vanish with their process, however it ends. */
const addressOf = Effect.fnUntraced(function* (name: string, { folder }: LockPlace) {
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 32)
  const unique = `task-conductor-${process.getuid?.() ?? 0}-${digest}`
  if (process.platform === "linux") return `\0${unique}`
  if (process.platform === "win32") return `\\\\.\\pipe\\${unique}`
  yield* makeFolders(folder, 0o700)
  return path.join(folder, `${digest}.sock`)
})

/** Tells each connecting client who holds the lock. Reads nothing from clients. */
const listen = (address: string, holder: LockHolder): Effect.Effect<Server, NodeJS.ErrnoException> =>
  Effect.callback((resume) => {
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy())
      /** An open connection would keep the lock and this process alive. */
      socket.end(JSON.stringify(holder), () => socket.destroy())
    })
    /**
     * This handler also gets later errors, such as too many connections. Clients then get no answer, but the lock
     * stays.
     */
    server.on("error", (error: NodeJS.ErrnoException) => resume(Effect.fail(error)))
    server.listen(address, () => resume(Effect.succeed(server.unref())))
  })

/** The answer of the holder. Undefined if nobody listens or answers in time. */
const askHolder = (address: string) =>
  Effect.callback<string, NodeJS.ErrnoException>((resume) => {
    const socket = connect(address)
    let text = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk: string) => (text += chunk))
    socket.on("end", () => resume(Effect.succeed(text)))
    socket.on("error", (error) => resume(Effect.fail(error)))
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeoutOption(answerTime))

const decodeHolder = Schema.decodeUnknownOption(Schema.fromJsonString(LockHolder))

/** The holder of the lock `name`. Undefined if there is none, or if it does not answer. */
export const lockHolder = Effect.fn("lockHolder")(function* (name: string, place: LockPlace) {
  const said = yield* Effect.option(Effect.flatMap(addressOf(name, place), askHolder))
  return Option.flatMap(Option.flatten(said), decodeHolder)
})

/** True if nobody listens any more. Removes the socket file of a dead process. */
const clearDead = Effect.fnUntraced(function* (address: string, { code }: NodeJS.ErrnoException) {
  if (code !== "ECONNREFUSED" && code !== "ENOENT") return false
  if (!address.startsWith("\0")) yield* Effect.ignore((yield* FileSystem.FileSystem).remove(address))
  return true
})

/** Takes the lock `name` until the scope closes. In error messages, `what` names the thing that is locked. */
export const takeLock = Effect.fn("takeLock")(function* (
  name: string,
  options: LockPlace & Omit<LockHolder, "pid" | "since"> & { readonly what: string; readonly remedy?: string }
) {
  const { what } = options
  const unavailable = (code: string) => new LockUnavailable({ what, code })
  const address = yield* Effect.mapError(addressOf(name, options), (error) => unavailable(codeOf(error)))
  const since = DateTime.formatIso(yield* DateTime.now)
  const { runId, work } = options
  const holder: LockHolder = { pid: process.pid, since, ...(work === undefined ? {} : { work }), runId }

  /** If the holder has died, tries once more to take the lock. Otherwise fails, because the lock is taken. */
  const refused = Effect.fnUntraced(function* (
    isSecond: boolean
  ): Effect.fn.Return<Server, LockTaken | LockUnavailable, FileSystem.FileSystem> {
    const said = yield* Effect.result(askHolder(address))
    if (!isSecond && Result.isFailure(said) && (yield* clearDead(address, said.failure))) return yield* attempt(true)
    const holder = Result.isSuccess(said) ? Option.flatMap(said.success, decodeHolder) : Option.none<LockHolder>()
    return yield* new LockTaken({
      what,
      remedy: options.remedy ?? "Wait for it, or end it first.",
      ...(Option.isSome(holder) ? { holder: holder.value } : {})
    })
  })

  const attempt = (isSecond: boolean) =>
    Effect.catch(listen(address, holder), (error) =>
      error.code === "EADDRINUSE" ? refused(isSecond) : Effect.fail(unavailable(error.code ?? error.message))
    )

  yield* Effect.acquireRelease(attempt(false), (server) =>
    Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )
})
