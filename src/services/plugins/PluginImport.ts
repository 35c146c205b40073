/**
 * Imports a plugin: in a child process first, so that an endless loop, `process.exit` or a crash during the import ends
 * that child and not the program, then here. It is no protection against malicious code: a plugin runs with all rights
 * of the person.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { type Plugin, PluginTools, type Tool, type Tools } from "../tools/Plugin.ts"
import { watchSharedState, shareModules } from "./SharedState.ts"
import { fork } from "node:child_process"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { stdioWithoutInherited } from "../commands/Descriptors.ts"
import { endsWithProgram } from "../commands/Watchdog.ts"
import { causeText, runIsolated } from "../tools/ForeignCode.ts"
import { type FoundPlugin, isOwnFile } from "./PluginFinder.ts"
import { pluginShapeProblem } from "../tools/PluginLoader.ts"
import { notAPlugin, PluginProblem } from "../tools/PluginProblem.ts"
import { moduleUrl } from "../files/PackageFolder.ts"
import type { ProbeReport } from "./ProbedImport.ts"

const damage = (plugin: string, what: string): ToolFailure =>
  new ToolFailure({
    type: "internal_error",
    message: `The plugin ${plugin} changed ${what}, which all code in the program shares. It was put back, and what the call gave was left out. This is a fault of the plugin.`
  })

/**
 * Runs code of the plugin, first the part that is no effect. What it changed of the things that all code shares is put back
 * when it ends, and the call fails with the name of what it changed.
 */
const guarded = <A, R>(plugin: string, work: () => Effect.Effect<A, ToolFailure, R>) =>
  Effect.suspend(() => {
    const repair = watchSharedState()
    let found: string | undefined
    const repaired = Effect.sync(() => {
      const name = repair()
      found ??= name
    })
    const begin = Effect.suspend(() => {
      try {
        return work()
      } finally {
        found = repair()
      }
    })
    return Effect.flatMap(Effect.ensuring(begin, repaired), (value) =>
      found === undefined ? Effect.succeed(value) : Effect.fail(damage(plugin, found))
    )
  })

// oxlint-disable-next-line typescript/no-explicit-any -- each tool has parameters of its own
const guardTool = (plugin: string, tool: Tool<any>): Tool<any> => {
  if (typeof tool?.execute !== "function") return tool
  return { ...tool, execute: (params, granted) => guarded(plugin, () => tool.execute(params, granted)) }
}

/** The same plugin with every call guarded. */
export const guardPlugin = (plugin: Plugin): Plugin => ({
  ...plugin,
  tools: Layer.effect(
    PluginTools,
    Effect.map(PluginTools, (tools): Tools => {
      if (typeof tools !== "object" || tools === null) return tools
      return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guardTool(plugin.name, tool)]))
    })
  ).pipe(Layer.provide(plugin.tools))
})

export const importTime = "30 seconds"

const program = fileURLToPath(moduleUrl("services/plugins/ProbedImport"))

/** The child may read every file; it may not write files or start programs. */
const execArgv = ["--permission", "--allow-fs-read=*", "--allow-addons", "--allow-wasi", "--allow-worker"]

/** The exit code of Node when a top-level await never settles. */
const unfinishedAwait = 13

const endText = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (code === unfinishedAwait) return "its import waits for something that never happens"
  return `it ended the process while it was imported (${code === null ? `signal ${signal}` : `exit code ${code}`})`
}

/** The report of the child, or the way it ended. Its output is discarded. */
const runChild = (url: string): Effect.Effect<string | undefined> =>
  Effect.callback<string | undefined>((resume) => {
    // Not ChildProcessSpawner: the report comes over a channel that only `fork` opens.
    const { close, stdio } = stdioWithoutInherited(["ignore", "ignore", "ignore", "ipc"] as const)
    const child = fork(program, [url], { execArgv, stdio, env: { ...process.env, ...endsWithProgram() } })
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
  const failed = (why: string) =>
    new PluginProblem({ plugin: entry.text, code: "LoadFailed", detail: `it failed while loading: ${why}` })
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
  if (plugin === undefined || pluginShapeProblem(plugin) !== undefined) return yield* notAPlugin(entry.text)
  return guardPlugin(version === undefined ? plugin : { ...plugin, version })
})
