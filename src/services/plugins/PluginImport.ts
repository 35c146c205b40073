/**
 * Imports a plugin: in a child process first, so that an endless loop, `process.exit` or a crash during the import ends
 * that child and not the program, then here. It is no protection against malicious code: a plugin runs with all rights
 * of the person.
 */
import { fork } from "node:child_process"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { stdioWithoutInherited } from "../commands/Descriptors.ts"
import { causeText, runIsolated } from "./ForeignCode.ts"
import { guardPlugin } from "./GuardedPlugin.ts"
import type { Plugin } from "./Plugin.ts"
import { type FoundPlugin, isOwnFile } from "./PluginFinder.ts"
import { pluginShapeProblem } from "./PluginLoader.ts"
import { PluginProblem, type PluginProblemReason } from "./PluginProblem.ts"
import { shareModules } from "./SharedModules.ts"
import { moduleUrl } from "../files/PackageFolder.ts"
import type { ProbeReport } from "./ProbedImport.ts"

export const importTime = "30 seconds"

const program = fileURLToPath(moduleUrl("services/plugins/ProbedImport"))

/** The child may read every file; it may not write files or start programs. */
const execArgv = ["--permission", "--allow-fs-read=*", "--allow-addons", "--allow-wasi", "--allow-worker"]

/** The exit code of Node when a top-level await never settles. */
const unsettled = 13

const endText = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (code === unsettled) return "its import waits for something that never happens"
  return `it ended the process while it was imported (${code === null ? `signal ${signal}` : `exit code ${code}`})`
}

/** The report of the child, or the way it ended. Its output is discarded. */
const runChild = (url: string): Effect.Effect<string | undefined> =>
  Effect.callback<string | undefined>((resume) => {
    // Not ChildProcessSpawner: the report comes over a channel that only `fork` opens.
    const { close, stdio } = stdioWithoutInherited(["ignore", "ignore", "ignore", "ipc"] as const)
    const child = fork(program, [url], { execArgv, stdio })
    close()
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

/** The problem of the module, as the end of a sentence; nothing when it can be imported. */
const probeImport = Effect.fn("probeImport")((url: string) =>
  Effect.timeoutOrElse(runChild(url), {
    duration: importTime,
    orElse: () => Effect.succeed<string | undefined>(`its import took longer than ${importTime}`)
  })
)

/** The modules that were imported into this process, which keeps them: another probe would say nothing of them. */
const imported = new Set<string>()

/** The default export of a plugin that may be loaded. Fails with `LoadFailed` or `NotAPlugin`. */
export const importPlugin = Effect.fn("importPlugin")(function* (found: FoundPlugin) {
  const { entry, file, version } = found
  const problem = (reason: PluginProblemReason) => new PluginProblem({ plugin: entry.text, reason })
  const failed = (detail: string) => problem({ _tag: "LoadFailed", detail })
  const path = yield* Path.Path
  const url = pathToFileURL(file).href
  const wrong = imported.has(url) ? undefined : yield* probeImport(url)
  if (wrong !== undefined) return yield* failed(wrong)
  const isOwn = (other: string): boolean => isOwnFile(path, found, other)
  shareModules({ url, ...(entry.scope === "project" ? { isOwn } : {}) })
  const load = Effect.promise(() => import(url) as Promise<{ readonly default?: Plugin }>)
  const exit = yield* runIsolated(Effect.timeoutOption(load, importTime))
  if (Exit.isFailure(exit)) return yield* failed(causeText(exit.cause))
  if (Option.isNone(exit.value)) return yield* failed(`its import took longer than ${importTime}`)
  imported.add(url)
  const plugin = exit.value.value.default
  if (plugin === undefined || pluginShapeProblem(plugin) !== undefined) return yield* problem({ _tag: "NotAPlugin" })
  return guardPlugin(version === undefined ? plugin : { ...plugin, version })
})
