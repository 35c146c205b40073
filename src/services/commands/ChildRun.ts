/**
 * Runs one child process to its end, with limited output, and leaves no process behind. To stop it, its process group
 * gets SIGTERM, then SIGKILL. In the sandbox, all descendants end with the child.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessHandle, ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import type * as Sink from "effect/Sink"
import * as path from "node:path"
import { withoutInherited } from "./Descriptors.ts"
import { endsWithProgram } from "./Watchdog.ts"
import { type CommandLimits, exceededLimit } from "../../domain/commands/CommandLimits.ts"
import { CommandOutput } from "../../domain/commands/CommandOutput.ts"
import { infoAt } from "../files/FileLook.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { usageOf } from "./CommandUsage.ts"
import type { ControlGroup } from "./ControlGroup.ts"

/** Input and output between this process and a child. */
export interface Channel {
  readonly input: Stream.Stream<Uint8Array, PlatformError.PlatformError>
  readonly output: Sink.Sink<void, Uint8Array, never, PlatformError.PlatformError>
}

/** Returns a function that provides an effect with the services for programs and files from the current context. */
export const processProvider = Effect.map(Effect.context<ChildProcessSpawner | FileSystem.FileSystem>(), (context) =>
  Effect.provideContext(context)
)

/** Limits for the child's use of the machine. Without `limits`, its usage is not measured. */
interface ChildBounds {
  readonly limits?: CommandLimits
  /** The in-memory folders of the sandbox. Their content counts as memory. */
  readonly temporary?: ReadonlyArray<string>
  /** The control group in which the kernel enforces the limits. */
  readonly group?: ControlGroup | undefined
}

interface ChildOrder {
  /** The command line: the words of the sandbox, the program, and its arguments. */
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** True if the program is bubblewrap, which reports on descriptor 3. */
  readonly sandboxed: boolean
  /** The system call filter as bytes. bubblewrap reads it from descriptor 4. */
  readonly filter?: Uint8Array | undefined
  /** The input and output on descriptor 5 of the process. */
  readonly channel?: Channel | undefined
  /** The stdin of the program; empty if absent. */
  readonly input?: string | undefined
  readonly seconds: number
  /** The setting that determines `seconds`, for the error message. Absent if no setting does. */
  readonly limit?: string
  readonly bounds?: ChildBounds
}

export interface ChildEnd {
  /** The exit code; 128 or more after a signal. Null if the child was stopped because it wrote or used too much. */
  readonly exitCode: number | null
  /** Why the child was stopped, as a sentence. Present if the exit code is null. */
  readonly stopped?: string
  /** stdout and stderr in the order of writing. A long output is cut in the middle. */
  readonly output: string
}

export const maxOutputBytes = 10_485_760
/** The time between SIGTERM and SIGKILL. */
const grace = "1 second"
const shownTail = 2000
/** The interval at which the usage of the child is measured. */
const watchEvery = "300 millis"
const tooMuch = "It wrote more than 10 MB and was stopped."

/**
 * The reports of bubblewrap: first the process id of the first process in the sandbox, later the exit code of the
 * command.
 */
const Status = Schema.Struct({
  "child-pid": Schema.optionalKey(Schema.Int),
  "exit-code": Schema.optionalKey(Schema.Int)
})
type Status = typeof Status.Type
const readStatus = Schema.decodeUnknownOption(Schema.fromJsonString(Status))

/** Sends a signal. Does nothing if the process has ended. */
const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    return
  }
}

/** The state of the sandbox around a child. */
interface SandboxWatch {
  /** The first process in the sandbox. All other processes there end with it. */
  readonly inner: Deferred.Deferred<number>
  /** The exit code of the command; undefined while it runs. */
  readonly exitCode: () => number | undefined
  /** Reads the reports until bubblewrap has no more. */
  readonly reading: Fiber.Fiber<void>
}

/** Stops the processes in the sandbox with SIGTERM, then SIGKILL. A signal to bubblewrap would not reach them. */
const stopInner = Effect.fnUntraced(function* (handle: ChildProcessHandle, { inner }: SandboxWatch) {
  const isRunning = Effect.orElseSucceed(handle.isRunning, () => false)
  if (!(yield* isRunning)) return
  const first = yield* Effect.timeoutOption(Deferred.await(inner), grace)
  if (Option.isNone(first)) return
  signal(-first.value, "SIGTERM")
  yield* Effect.timeoutOption(Effect.ignore(handle.exitCode), grace)
  if (!(yield* isRunning)) return
  signal(first.value, "SIGKILL")
  yield* Effect.timeoutOption(Effect.ignore(handle.exitCode), grace)
})

const start = Effect.fnUntraced(function* (order: ChildOrder) {
  const { argv, channel, cwd, env, filter, input, sandboxed } = order
  const [program = "", ...args] = order.bounds?.group?.enter(argv) ?? argv
  const handle = yield* ChildProcess.make(program, args, {
    cwd,
    env: { ...env, ...endsWithProgram() },
    extendEnv: false,
    stdin: input === undefined ? "ignore" : Stream.make(new TextEncoder().encode(input)),
    detached: true,
    killSignal: "SIGTERM",
    forceKillAfter: grace,
    additionalFds: {
      ...withoutInherited(),
      ...(sandboxed ? { fd3: { type: "output" as const } } : {}),
      ...(filter === undefined ? {} : { fd4: { type: "input" as const, stream: Stream.make(filter) } }),
      ...(channel === undefined ? {} : { fd5: { type: "duplex" as const, stream: channel.input } })
    }
  })
  if (channel !== undefined) {
    yield* Effect.forkScoped(Effect.interruptible(Effect.ignore(Stream.run(handle.getOutputFd(5), channel.output))))
  }
  return handle
})

/** Reads the reports of bubblewrap while it runs. */
const watchSandbox = Effect.fnUntraced(function* (handle: ChildProcessHandle) {
  const inner = yield* Deferred.make<number>()
  let exitCode: number | undefined
  const record = (line: string) => {
    const status = Option.getOrElse(readStatus(line), (): Status => ({}))
    exitCode = status["exit-code"] ?? exitCode
    return status["child-pid"] === undefined ? Effect.void : Deferred.succeed(inner, status["child-pid"])
  }
  const lines = Stream.splitLines(Stream.decodeText(handle.getOutputFd(3)))
  const reading = yield* Effect.forkScoped(Effect.interruptible(Effect.ignore(Stream.runForEach(lines, record))))
  const watch: SandboxWatch = { inner, exitCode: () => exitCode, reading }
  return watch
})

/**
 * Measures the usage of the child repeatedly. If it is too high, ends all processes and returns the reason. Otherwise
 * never returns.
 */
const watchUsage = Effect.fnUntraced(function* (
  { bounds: { limits, temporary = [] } = {} }: ChildOrder,
  handle: ChildProcessHandle,
  sandbox: SandboxWatch | undefined
) {
  if (limits === undefined || process.platform !== "linux") return yield* Effect.never
  const inner = sandbox === undefined ? undefined : yield* Deferred.await(sandbox.inner)
  const folders = { paths: temporary, sizeBytes: limits.temporaryBytes }
  while (true) {
    yield* Effect.sleep(watchEvery)
    const stopped = exceededLimit(limits, yield* usageOf(handle.pid, limits.memoryBytes, inner, folders))
    if (stopped === undefined) continue
    signal(inner ?? -handle.pid, "SIGKILL")
    return stopped
  }
})

const launch = (order: ChildOrder, output: CommandOutput) =>
  Effect.gen(function* () {
    const handle = yield* start(order)
    const sandbox = order.sandboxed ? yield* watchSandbox(handle) : undefined
    const full = yield* Deferred.make<void>()
    const collect = Stream.runForEach(handle.all, (chunk) =>
      Effect.suspend(() => {
        output.push(chunk)
        return output.bytes > maxOutputBytes ? Deferred.succeed(full, undefined) : Effect.void
      })
    )
    const collecting = yield* Effect.forkScoped(Effect.interruptible(Effect.ignore(collect)))
    if (sandbox !== undefined) yield* Effect.addFinalizer(() => stopInner(handle, sandbox))
    return { handle, sandbox, full, collecting }
  }).pipe(Effect.uninterruptible)

/** Runs the child and collects `output`. Returns the exit code, or why the child was stopped. */
const runToEnd = Effect.fnUntraced(function* (order: ChildOrder, output: CommandOutput) {
  const { collecting, full, handle, sandbox } = yield* launch(order, output)
  const exitCode = yield* Effect.raceAllFirst([
    handle.exitCode,
    Effect.as(Deferred.await(full), tooMuch),
    watchUsage(order, handle, sandbox)
  ])
  if (typeof exitCode === "string") return exitCode
  /** The output may be incomplete until the background processes end, so they are ended first. */
  yield* Effect.ignore(handle.kill({ killSignal: "SIGTERM", forceKillAfter: grace }))
  const readers = sandbox === undefined ? [collecting] : [collecting, sandbox.reading]
  yield* Effect.timeoutOption(Effect.forEach(readers, Fiber.await), grace)
  const exceeded = order.bounds?.group?.exceeded()
  if (exceeded !== undefined) return exceeded
  if (sandbox === undefined) return exitCode
  const inner = sandbox.exitCode()
  if (inner !== undefined) return inner
  const why = output.text().trim().split("\n")[0] ?? ""
  return yield* new ToolFailure({ type: "io_error", message: `The sandbox could not be started: ${why}` })
}, Effect.scoped)

/**
 * Runs the child. Fails with `timeout` if the child or its output lasts longer than `seconds`. Any other failure is an
 * `io_error`.
 */
export const runChild = Effect.fn("runChild")(function* (order: ChildOrder) {
  const output = new CommandOutput()
  const result = yield* runToEnd(order, output).pipe(
    Effect.catchTag("PlatformError", (error) =>
      Effect.fail(new ToolFailure({ type: "io_error", message: `The command could not be run: ${error.message}` }))
    ),
    Effect.timeoutOrElse({
      duration: `${order.seconds} seconds`,
      orElse: () => {
        const end = output.text().slice(-shownTail)
        const message = `The command was stopped after ${order.seconds} s${order.limit === undefined ? "" : ` (${order.limit})`}. ${end === "" ? "It wrote nothing." : `The end of its output:\n${end}`}`
        return Effect.fail(new ToolFailure({ type: "timeout", message }))
      }
    })
  )
  const end: ChildEnd =
    typeof result === "string"
      ? { exitCode: null, stopped: result, output: output.text() }
      : { exitCode: result, output: output.text() }
  return end
})

export const isExecutable = Effect.fnUntraced(function* (file: string) {
  const info = yield* infoAt(file)
  return info?.type === "File" && (info.mode & 0o111) !== 0
})

/**
 * The path of the first executable file with this name in `folders`. Relative folders are skipped. Undefined if there
 * is none.
 */
export const findProgram = Effect.fnUntraced(function* (name: string, folders: ReadonlyArray<string>) {
  for (const folder of folders) {
    const file = path.join(folder, name)
    if (path.isAbsolute(folder) && (yield* isExecutable(file))) return file
  }
  return undefined
})
