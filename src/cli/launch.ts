/**
 * Runs the command line of this process to its exit code: signals, failures, defects. Nothing here knows a command.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { printable } from "../domain/text/Printable.ts"
import { exitCodes, failureOf } from "./terminal/Failure.ts"
import { guardProcess } from "./terminal/guardProcess.ts"
import { Output } from "./terminal/Output.ts"
import { layerPresenter } from "./terminal/Presenter.ts"
import { version } from "../app/version.ts"
import { Signals } from "./terminal/Signals.ts"
import { layerFlags, taskConductor } from "./taskConductor.ts"

const layer = Layer.merge(layerPresenter, layerFlags).pipe(
  Layer.provideMerge(Layer.merge(Output.layer, NodeServices.layer))
)

const internalError = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const what = (error instanceof Error ? error.message : String(error)).split("\n")[0]
  const line = `internal error: ${what}. This is a mistake of task-conductor, please report it.`
  return process.env["TASK_CONDUCTOR_DEBUG"] === "1"
    ? `${line}\n${Cause.pretty(cause)}`
    : `${line} TASK_CONDUCTOR_DEBUG=1 shows details.`
}

const say = (text: string, exitCode: number) => Output.use(({ tell }) => tell(text)).pipe(Effect.as(exitCode))

/** A result that did not arrive is a failure, also of work that went well. */
const requireWritten = (exitCode: number) =>
  Output.use(({ lost, tell }) => {
    const reason = lost()
    return reason === undefined
      ? Effect.succeed(exitCode)
      : tell(`The result could not be written to stdout (${reason}). Write it elsewhere and run again.`).pipe(
          Effect.as(exitCode === 0 ? exitCodes.failed : exitCode)
        )
  })

/** Runs the command to an exit code; everything that went wrong is said. */
const conduct = (argv: ReadonlyArray<string>) =>
  Command.runWith(taskConductor, { version })(argv).pipe(
    Effect.as(0),
    Effect.catchTag("ShowHelp", () => Effect.succeed<number>(exitCodes.usage)),
    Effect.catch((error) => {
      const { exitCode, text } = failureOf(error)
      if (text === "") return Effect.succeed(exitCode)
      const isUsage = error._tag === "CommandFailure" && exitCode === exitCodes.usage
      return say(isUsage ? `${text}\nRun "task-conductor ${argv[0]} --help" for help.` : text, exitCode)
    }),
    Effect.catchCauseIf(Cause.hasDies, (cause) => say(internalError(cause), exitCodes.failed)),
    Effect.flatMap(requireWritten),
    Effect.provide(layer)
  )

const strayError = (thrown: unknown): string => {
  const [what = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)
  return `The work is stopped: an error was thrown outside of any call, most likely by a plugin: ${printable(what)}`
}

const codeOf = (signal: NodeJS.Signals): number => (signal === "SIGTERM" ? exitCodes.sigterm : exitCodes.sigint)

/** A signal that comes so soon after the first is the same one: npx passes on what the terminal has sent to both. */
const sameSignalMs = 500

/**
 * Runs `argv` and ends the process. Unless a session takes it, the first SIGINT or SIGTERM interrupts what is going on, the second ends the process
 * at once: it is left to the system, since a pipe that nobody writes to can block even the exit.
 */
export const launch = (argv: ReadonlyArray<string>): void => {
  let received: NodeJS.Signals | undefined
  let isStray = false
  let interrupted: (() => void) | undefined
  const onInterrupt = (listener: () => void) =>
    Effect.acquireRelease(
      Effect.sync(() => void (interrupted = listener)),
      () => Effect.sync(() => void (interrupted = undefined))
    )
  const ownConsole = globalThis.console
  const finish = guardProcess((thrown) => {
    if (isStray) return
    isStray = true
    Effect.runFork(Effect.andThen(Effect.provide(say(strayError(thrown), 0), Output.layer), Fiber.interrupt(fiber)))
  })
  const fiber = Effect.runFork(
    conduct(argv).pipe(
      Effect.provideService(Signals, { received: () => received, onInterrupt }),
      Effect.provideService(Console.Console, ownConsole)
    )
  )
  const release = (): void => void process.off("SIGINT", onSignal).off("SIGTERM", onSignal)
  const onSignal = (signal: NodeJS.Signals): void => {
    if (received !== undefined) return
    if (signal === "SIGINT" && interrupted !== undefined) return interrupted()
    received = signal
    Effect.runFork(Fiber.interrupt(fiber))
    setTimeout(release, sameSignalMs).unref()
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal)
  fiber.addObserver((exit) => {
    const ended = Exit.isSuccess(exit) && !isStray ? exit.value : exitCodes.failed
    const code = received === undefined ? ended : codeOf(received)
    finish()
    process.stdout.write("", () => process.stderr.write("", () => (release(), process.exit(code))))
  })
}
