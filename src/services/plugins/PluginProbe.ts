/**
 * Imports a plugin in a child process first: an endless loop, `process.exit` or a crash while it is imported ends that
 * child and not the program. It is no fence against code that means harm: a plugin runs with all rights of the person.
 * Called by PluginPackages.
 */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { moduleUrl } from "../files/PackageFolder.ts"
import type { ProbeReport } from "./ProbedImport.ts"

/** How long a plugin may take to be imported. */
export const importTime = "30 seconds"

const program = fileURLToPath(moduleUrl("services/plugins/ProbedImport"))

/** Whatever is imported may be read; the child writes no file and starts no program. */
const execArgv = ["--permission", "--allow-fs-read=*", "--allow-addons", "--allow-wasi", "--allow-worker"]

/** Node ends with this code when a module waits for something that cannot happen any more. */
const unsettled = 13

const endText = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (code === unsettled) return "its import waits for something that never happens"
  return `it ended the process while it was imported (${code === null ? `signal ${signal}` : `exit code ${code}`})`
}

/** What the child said or how it ended. The report is the only thing it can say: its output is thrown away. */
const runChild = (url: string): Effect.Effect<string | undefined> =>
  Effect.callback<string | undefined>((resume) => {
    // A child of our own and no service: the report comes over the channel that only `fork` opens.
    const child = fork(program, [url], { execArgv, stdio: ["ignore", "ignore", "ignore", "ipc"] })
    let report: ProbeReport | undefined
    child.on("message", (message) => {
      report = message as ProbeReport
    })
    child.on("error", (error) => resume(Effect.succeed(error.message)))
    child.on("exit", (code, signal) =>
      resume(Effect.succeed(report === undefined ? endText(code, signal) : report.problem))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** What is wrong with the module, as the end of a sentence; nothing when it can be imported. */
export const probeImport = Effect.fn("probeImport")((url: string) =>
  Effect.timeoutOrElse(runChild(url), {
    duration: importTime,
    orElse: () => Effect.succeed<string | undefined>(`its import took longer than ${importTime}`)
  })
)
