/**
 * The process of the binary: streams, signals, exit, and guards against errors of plugins. bin/task-conductor.cjs
 * imports it after checking the version of Node.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Console as NodeConsole } from "node:console"
import { writeSync } from "node:fs"
import { runCommandLine } from "./cli/taskConductor.ts"
import { exitCodes } from "./cli/terminal/Failure.ts"
import { Output } from "./cli/terminal/Output.ts"
import { watchThreads } from "./cli/terminal/ProcessEnd.ts"
import { Signals } from "./cli/terminal/Signals.ts"
import { printable } from "./domain/text/Printable.ts"
import { closeInherited } from "./services/commands/Descriptors.ts"

/**
 * A second signal within this time counts as the same signal. A terminal sends a signal to npx and to this program, and
 * npx forwards it to this program once more.
 */
const sameSignalMs = 500

const onEarlyExit = (): void => {
  process.exitCode = exitCodes.failed
  writeSync(2, "A plugin ended the program in the middle of its work.\n")
}

/**
 * Runs `argv` and ends the process. The first signal interrupts the work, except for a SIGINT that a conversation
 * handles. The second signal ends the process at once, because an unread pipe can block a normal exit. SIGHUP counts as
 * SIGTERM, so that no command outlives a closed terminal.
 */
const launch = (argv: ReadonlyArray<string>): void => {
  closeInherited()
  let received: "SIGINT" | "SIGTERM" | undefined
  let isStray = false
  let interrupted: (() => void) | undefined
  const onInterrupt = (listener: () => void) =>
    Effect.acquireRelease(
      Effect.sync(() => void (interrupted = listener)),
      () => Effect.sync(() => void (interrupted = undefined))
    )
  const ownConsole = globalThis.console
  globalThis.console = new NodeConsole(process.stderr, process.stderr)
  process.on("uncaughtException", (thrown: unknown) => {
    if (isStray) return
    isStray = true
    const [what = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)
    const text = `task-conductor stops. Code outside any call threw an error, most likely a plugin: ${printable(what)}`
    const reported = Output.use(({ emit }) => emit(text))
    Effect.runFork(Effect.andThen(Effect.provide(reported, Output.layer), Fiber.interrupt(fiber)))
  })
  process.on("exit", onEarlyExit)
  const endProcess = watchThreads()
  const fiber = Effect.runFork(
    runCommandLine(argv).pipe(
      Effect.provide(Layer.merge(Output.layer, NodeServices.layer)),
      Effect.provideService(Signals, { received: () => received, onInterrupt }),
      Effect.provideService(Console.Console, ownConsole)
    )
  )
  const release = (): void => void process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onSignal)
  const onSignal = (signal: NodeJS.Signals): void => {
    if (received !== undefined) return
    if (signal === "SIGINT" && interrupted !== undefined) return interrupted()
    received = signal === "SIGINT" ? signal : "SIGTERM"
    Effect.runFork(Fiber.interrupt(fiber))
    setTimeout(release, sameSignalMs).unref()
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal)
  fiber.addObserver((exit) => {
    const ended = Exit.isSuccess(exit) && !isStray ? exit.value : exitCodes.failed
    const code = received === undefined ? ended : received === "SIGTERM" ? exitCodes.sigterm : exitCodes.sigint
    process.off("exit", onEarlyExit)
    process.stdout.write("", () =>
      process.stderr.write("", () => {
        release()
        endProcess(code)
      })
    )
  })
}

launch(process.argv.slice(2))
