/**
 * Runs the command line in the process of the test, which takes a tenth of the time of a process of its own: for what a command
 * says and how it ends. What it does to a process, such as signals, needs a real one.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { Console as NodeConsole } from "node:console"
import { join } from "node:path"
import { runCommandLine } from "../../src/cli/taskConductor.ts"
import { Output } from "../../src/cli/terminal/Output.ts"
import { Signals } from "../../src/cli/terminal/Signals.ts"
import { type Ended, environmentOf, type Sandbox, type StartOptions } from "./binary.ts"
import { textCollector } from "./textCollector.ts"

const runIn = async (root: string, args: ReadonlyArray<string>, options: StartOptions): Promise<Ended> => {
  if (options.under !== undefined || options.module !== undefined || options.stdout !== undefined)
    throw new Error("Only a process of its own can be started like that.")
  const env = environmentOf(root, options.env)
  const [stdout, stderr] = [textCollector(), textCollector()]
  const streams = { env, stdin: {}, stdout: stdout.stream, stderr: stderr.stream }
  const stdin = Stream.make(Buffer.from(options.stdin ?? ""))
  const before = process.cwd()
  process.chdir(join(root, "project"))
  try {
    const code = await Effect.runPromise(
      runCommandLine(args).pipe(
        Effect.provide(Layer.mergeAll(NodeServices.layer, Output.layerOf(streams), Stdio.layerTest({ stdin }))),
        Effect.provideService(Signals, { received: () => undefined, onInterrupt: () => Effect.void }),
        Effect.provideService(Console.Console, new NodeConsole(stdout.stream, stderr.stream)),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
      )
    )
    const normal = (text: string) => text.replaceAll(root, "<root>")
    return { code, stdout: normal(stdout.text()), stderr: normal(stderr.text()) }
  } finally {
    process.chdir(before)
  }
}

/* The current folder is that of the whole process: one command at a time. */
let last: Promise<unknown> = Promise.resolve()

/** The sandbox with a `run` that starts no process; `start` does. */
export const inProcess = (sandbox: Sandbox): Sandbox => ({
  ...sandbox,
  run: (args, options = {}) => {
    const mine = last.then(() => runIn(sandbox.root, args, options))
    last = mine.catch(() => undefined)
    return mine
  }
})
