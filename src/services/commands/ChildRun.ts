/**
 * Runs one child process to its end and keeps what it writes within bounds. Nothing of it is left afterwards, however it
 * ends: its process group is asked to stop and then killed; inside the sandbox every process it ever started dies with it.
 * Called by services/commands/Commands and services/commands/Sandbox.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessHandle } from "effect/process/ChildProcessSpawner"
import { type CommandOutput, makeCommandOutput } from "../../domain/commands/CommandOutput.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"

export interface ChildOrder {
  /** The program and its arguments, with the sandbox around them when there is one. */
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Whether the program is bubblewrap, which reports on descriptor 3. */
  readonly sandboxed: boolean
  readonly seconds: number
}

export interface ChildEnd {
  /** 128 and more for a signal; null when it was stopped because it wrote too much. */
  readonly exitCode: number | null
  /** stdout and stderr in the order in which they were written; the beginning and the end of what is long. */
  readonly output: string
}

const maxOutputBytes = 10_485_760
/** Between the request to stop and the end by force. */
const grace = "1 second"
const shownTail = 2000

/** What bubblewrap reports: the process that holds all others of the sandbox, later how the command ended. */
const Status = Schema.Struct({
  "child-pid": Schema.optionalKey(Schema.Int),
  "exit-code": Schema.optionalKey(Schema.Int)
})
type Status = typeof Status.Type
const readStatus = Schema.decodeUnknownOption(Schema.fromJsonString(Status))

/** Signals may come too late; a process that is gone needs none. */
const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    return
  }
}

/** What is known of the sandbox around a child. */
interface SandboxWatch {
  /** The process that all others inside hang on; bubblewrap reports it as soon as there is one. */
  readonly inner: Deferred.Deferred<number>
  /** Absent until the command has ended. */
  readonly exitCode: () => number | undefined
  /** Ends when bubblewrap has nothing more to report. */
  readonly reading: Fiber.Fiber<void>
}

/**
 * Lets the processes inside stop by themselves, then ends them: bubblewrap passes no signal on, and if it were killed
 * itself while it starts, what it started would live on.
 */
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

const start = Effect.fnUntraced(function* ({ argv: [program = "", ...args], cwd, env, sandboxed }: ChildOrder) {
  const command = ChildProcess.make(program, args, {
    cwd,
    env,
    extendEnv: false,
    stdin: "ignore",
    detached: true,
    killSignal: "SIGTERM",
    forceKillAfter: grace,
    ...(sandboxed ? { additionalFds: { fd3: { type: "output" as const } } } : {})
  })
  return yield* command
})

/** Reads what bubblewrap reports while it runs. */
const watchSandbox = Effect.fnUntraced(function* (handle: ChildProcessHandle) {
  const inner = yield* Deferred.make<number>()
  let exitCode: number | undefined
  const note = (line: string) => {
    const status = Option.getOrElse(readStatus(line), (): Status => ({}))
    exitCode = status["exit-code"] ?? exitCode
    return status["child-pid"] === undefined ? Effect.void : Deferred.succeed(inner, status["child-pid"])
  }
  const lines = Stream.splitLines(Stream.decodeText(handle.getOutputFd(3)))
  const reading = yield* Effect.forkScoped(Effect.interruptible(Effect.ignore(Stream.runForEach(lines, note))))
  const watch: SandboxWatch = { inner, exitCode: () => exitCode, reading }
  return watch
})

/** Starts the child, begins to read what it writes, and makes sure that it ends with the scope. */
const launch = (order: ChildOrder, output: CommandOutput) =>
  Effect.gen(function* () {
    const handle = yield* start(order)
    const sandbox = order.sandboxed ? yield* watchSandbox(handle) : undefined
    const full = yield* Deferred.make<void>()
    const collect = Stream.runForEach(handle.all, (chunk) =>
      Effect.suspend(() => {
        output.push(chunk)
        return output.bytes() > maxOutputBytes ? Deferred.succeed(full, undefined) : Effect.void
      })
    )
    const collecting = yield* Effect.forkScoped(Effect.interruptible(Effect.ignore(collect)))
    if (sandbox !== undefined) yield* Effect.addFinalizer(() => stopInner(handle, sandbox))
    return { handle, sandbox, full, collecting }
  }).pipe(Effect.uninterruptible)

/** Runs the child and gives its exit code; `output` is filled meanwhile. */
const conduct = Effect.fnUntraced(function* (order: ChildOrder, output: CommandOutput) {
  const { collecting, full, handle, sandbox } = yield* launch(order, output)
  const exitCode = yield* Effect.raceFirst(handle.exitCode, Effect.as(Deferred.await(full), null))
  if (exitCode === null) return null
  /* What runs on in the background ends with the command; only then is everything written. */
  yield* Effect.ignore(handle.kill({ killSignal: "SIGTERM", forceKillAfter: grace }))
  const readers = sandbox === undefined ? [collecting] : [collecting, sandbox.reading]
  yield* Effect.timeoutOption(Effect.forEach(readers, Fiber.await), grace)
  if (sandbox === undefined) return exitCode
  const inner = sandbox.exitCode()
  if (inner !== undefined) return inner
  const why = output.text().trim().split("\n")[0] ?? ""
  return yield* new ToolFailure({ type: "io_error", message: `The sandbox could not be started: ${why}` })
}, Effect.scoped)

/** Runs it for at most `seconds`. Fails with `timeout` (with the end of the output) or `io_error`. */
export const runChild = Effect.fn("runChild")(function* (order: ChildOrder) {
  const output = makeCommandOutput()
  const exitCode = yield* conduct(order, output).pipe(
    Effect.catchTag("PlatformError", (error) =>
      Effect.fail(new ToolFailure({ type: "io_error", message: `The command could not be run: ${error.message}` }))
    ),
    Effect.timeoutOrElse({
      duration: `${order.seconds} seconds`,
      orElse: () => {
        const end = output.text().slice(-shownTail)
        const message = `The command was stopped after ${order.seconds} s. ${end === "" ? "It wrote nothing." : `The end of its output:\n${end}`}`
        return Effect.fail(new ToolFailure({ type: "timeout", message }))
      }
    })
  )
  const end: ChildEnd = { exitCode, output: output.text() }
  return end
})
