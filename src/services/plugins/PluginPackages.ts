/**
 * Loads the plugins of a run that are not built in, and asks the user to trust those of the project. A child process
 * imports each plugin first, so that a crash or an endless loop ends only the child. This does not protect against
 * malicious code, because a plugin has all rights of the user.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { fork } from "node:child_process"
import { fileURLToPath, pathToFileURL } from "node:url"
import { isPackageName, type PluginEntry } from "../../domain/configuration/Configuration.ts"
import { Gate } from "../permissions/Gate.ts"
import { beforeRun, questionOfAccess } from "../permissions/GateQuestion.ts"
import { type Plugin, pluginApiVersion, PluginTools, type Tool, type Tools } from "../tools/Plugin.ts"
import { builtInOrigin, ToolFailure } from "../../domain/tools/ToolCall.ts"
import { findPlugin, type FoundPlugin, pluginHash, isOwnFile } from "./PluginFinder.ts"
import { requireOwnPlugin } from "./OwnPlugin.ts"
import { pluginShapeProblem } from "../tools/PluginLoader.ts"
import { noPluginValue, notTrusted, PluginProblem, notAPlugin, problemOfValue } from "../tools/PluginProblem.ts"
import { watchSharedState, shareModules } from "./SharedState.ts"
import { stdioWithoutInherited } from "../commands/Descriptors.ts"
import { endsWithProgram } from "../commands/Watchdog.ts"
import { causeText, runIsolated } from "../tools/ForeignCode.ts"
import { startTool } from "../tools/ToolCode.ts"
import { hashOf } from "../files/Hash.ts"
import { canonicalJson } from "../../domain/text/Json.ts"
import { skillsFolderOf } from "./PluginSkills.ts"
import { noteSecret } from "../runs/KnownSecrets.ts"
import type { SecretReader } from "./Secrets.ts"
import { moduleUrl } from "../files/PackageFolder.ts"
import type { ProbeReport } from "./ProbedImport.ts"

const damage = (plugin: string, what: string): ToolFailure =>
  new ToolFailure({
    type: "internal_error",
    message: `The plugin ${plugin} changed ${what}, which all code in the program shares. It was put back, and what the call gave was left out. This is a fault of the plugin.`
  })

/**
 * Runs code of a plugin. If the code changes shared state, restores the state and fails with the name of what changed.
 */
const guarded = <A, E, R>(plugin: string, work: (services: Context.Context<R>) => Effect.Effect<A, E, R>) =>
  Effect.contextWith((services: Context.Context<R>) => {
    const repair = watchSharedState()
    let damaged: string | undefined
    const repaired = Effect.sync(() => {
      const name = repair()
      damaged ??= name
    })
    const begin = Effect.suspend(() => {
      try {
        return work(services)
      } finally {
        damaged = repair()
      }
    })
    return Effect.flatMap(Effect.ensuring(begin, repaired), (value) =>
      damaged === undefined ? Effect.succeed(value) : Effect.fail(damage(plugin, damaged))
    )
  })

// oxlint-disable-next-line typescript/no-explicit-any -- each tool has parameters of its own
const guardTool = (plugin: string, tool: Tool<any>): Tool<any> => {
  if (typeof tool?.execute !== "function") return tool
  return { ...tool, execute: (params, call) => guarded(plugin, (services) => startTool(tool, params, call, services)) }
}

/** Returns the plugin with a guard around every call of its tools. */
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

/** Lets the child process read every file, but not write files or start programs. */
const execArgv = ["--permission", "--allow-fs-read=*", "--allow-addons", "--allow-wasi", "--allow-worker"]

/** The exit code of Node if a top-level await never ends. */
const unfinishedAwait = 13

const endText = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (code === unfinishedAwait) return "its import waits for something that never happens"
  return `it ended the process while it was imported (${code === null ? `signal ${signal}` : `exit code ${code}`})`
}

/** Returns the problem that the child reported, or how it ended. The output of the child is discarded. */
const runChild = (url: string): Effect.Effect<string | undefined> =>
  Effect.callback<string | undefined>((resume) => {
    // ChildProcessSpawner is not used here, because only `fork` opens the channel for the report.
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

/** The problem with importing a module, as the end of a sentence; undefined if it can be imported. */
const probeImport = Effect.fn("probeImport")((url: string) =>
  Effect.timeoutOrElse(runChild(url), {
    duration: importTime,
    orElse: () => Effect.succeed<string | undefined>(`its import took longer than ${importTime}`)
  })
)

/** The modules that this process has already imported. Node keeps them, so another trial would show nothing new. */
const imported = new Set<string>()

/** Imports a trusted plugin and returns its default export. Fails with `LoadFailed` or `NotAPlugin`. */
const importPlugin = Effect.fn("importPlugin")(function* (pluginFile: FoundPlugin) {
  const { entry, file, version } = pluginFile
  const failed = (why: string) =>
    new PluginProblem({ plugin: entry.text, code: "LoadFailed", detail: `it failed while loading: ${why}` })
  const path = yield* Path.Path
  const url = pathToFileURL(file).href
  const wrong = imported.has(url) ? undefined : yield* probeImport(url)
  if (wrong !== undefined) return yield* failed(wrong)
  const isOwn = (other: string): boolean => isOwnFile(path, pluginFile, other)
  shareModules({ url, ...(entry.scope === "project" ? { isOwn } : {}) })
  const load = Effect.promise(() => import(url) as Promise<{ readonly default?: Plugin }>)
  const exit = yield* runIsolated(Effect.timeoutOption(load, importTime))
  if (Exit.isFailure(exit)) return yield* failed(causeText(exit.cause))
  if (Option.isNone(exit.value)) return yield* failed(`its import took longer than ${importTime}`)
  imported.add(url)
  const plugin = exit.value.value.default
  if (plugin === undefined || pluginShapeProblem(plugin) !== undefined) return yield* notAPlugin(entry.text)
  const skillsFolder = plugin.skills === undefined ? undefined : yield* skillsFolderOf(plugin.skills, pluginFile)
  return guardPlugin({
    ...plugin,
    ...(skillsFolder === undefined ? {} : { skillsFolder }),
    named: entry.text,
    ...(version === undefined ? {} : { version }),
    ...(entry.configuration === undefined ? {} : { configuration: entry.configuration })
  })
})

/** A plugin that the configuration names or that a script passes. If it cannot be used, `outcome` is the problem. */
export interface KnownPlugin {
  /** The entry of the configuration. Absent for a value that a script passed. */
  readonly entry?: PluginEntry
  /** The module that is imported. */
  readonly file?: string
  readonly version?: string
  readonly outcome: Result.Result<Plugin, PluginProblem>
}

interface PluginOrder {
  /** The entries in the order of loading. If two entries name the same file, the first is used. */
  readonly entries: ReadonlyArray<PluginEntry>
  /** The plugins that the caller passed as values. They count as trusted, because the caller chose them. */
  readonly values: ReadonlyArray<Plugin>
  readonly secret?: SecretReader
}

const importsAtOnce = 4

/**
 * The name of a plugin in questions and rules. A rule cannot contain "..", so a path with ".." becomes an absolute
 * path.
 */
const nameInRules = ({ entry, file }: FoundPlugin): string => (entry.text.includes("..") ? file : entry.text)

const requireOwn = (found: FoundPlugin) =>
  found.entry.scope === "user" ? requireOwnPlugin(found) : Effect.succeed(found)

/** Asks the user to trust exactly this content of a plugin that a project names. */
const requireTrust = Effect.fnUntraced(function* (pluginFile: FoundPlugin) {
  if (pluginFile.entry.scope !== "project") return yield* requireOwn(pluginFile)
  const gate = yield* Gate
  const { text: plugin } = pluginFile.entry
  const content = yield* Effect.mapError(pluginHash(pluginFile), ({ message }) => {
    const detail = `its content cannot be pinned, so it cannot be trusted: ${message}.`
    return new PluginProblem({ plugin, code: "Unpinnable", detail })
  })
  const name = nameInRules(pluginFile)
  const { configuration: given } = pluginFile.entry
  const hash = given === undefined ? content : hashOf([content, given.value])
  const configuration = given === undefined ? {} : { configuration: canonicalJson(given.value) }
  yield* Effect.mapError(
    gate.authorize(
      questionOfAccess(beforeRun, {
        _tag: "LoadPlugin",
        name,
        path: pluginFile.folder ?? pluginFile.file,
        hash,
        ...configuration
      })
    ),
    ({ by }) => notTrusted(plugin, name, hash, by)
  )
  return pluginFile
})

const wrongName = "its name is reserved, or not of the form of a package name: lower-case letters, digits and hyphens."

/** Rejects invalid, reserved and repeated names, because a plugin is known by its name. */
const screenNames = (known: ReadonlyArray<KnownPlugin>): ReadonlyArray<KnownPlugin> => {
  const usedNames = new Set<string>()
  return known.map((plugin) => {
    if (Result.isFailure(plugin.outcome)) return plugin
    const { name } = plugin.outcome.success
    const reject = (code: PluginProblem["code"], detail: string): KnownPlugin => ({
      ...plugin,
      outcome: Result.fail(
        new PluginProblem({
          plugin: plugin.entry?.text ?? name,
          code,
          detail,
          ...(plugin.entry === undefined ? { isValue: true as const } : {})
        })
      )
    })
    if (name === builtInOrigin || !isPackageName(name)) return reject("PluginName", wrongName)
    if (usedNames.has(name)) return reject("DuplicatePlugin", "another plugin has the same name. Remove one of them.")
    usedNames.add(name)
    return plugin
  })
}

/** An entry with the trusted file of its plugin, or with the problem. */
interface Sought extends Omit<KnownPlugin, "outcome"> {
  readonly entry: PluginEntry
  readonly foundFile: Result.Result<FoundPlugin, PluginProblem>
}

/**
 * Adds the configuration from the user's file to a plugin that was named without a configuration, for example by a
 * flag. The configuration of a project is never added.
 */
const withConfiguration = Effect.fnUntraced(function* (plugin: FoundPlugin, entries: ReadonlyArray<PluginEntry>) {
  if (plugin.entry.configuration !== undefined || plugin.entry.scope === "project") return plugin
  for (const { configuration: configured, ...other } of entries.filter(({ scope }) => scope === "user")) {
    if (configured === undefined) continue
    const named = yield* Effect.option(findPlugin(other))
    if (Option.isSome(named) && named.value.file === plugin.file)
      return { ...plugin, entry: { ...plugin.entry, configuration: configured } }
  }
  return plugin
})

/** Fails if a found plugin may not be imported. */
type Trust<R> = (found: FoundPlugin) => Effect.Effect<FoundPlugin, PluginProblem, R>

/** Finds plugins, and asks the user about them one after another. A file that several entries name is loaded once. */
const findAll = Effect.fnUntraced(function* <R>(entries: ReadonlyArray<PluginEntry>, trust: Trust<R>) {
  const seen = new Set<string>()
  const all: Array<Sought> = []
  for (const entry of entries) {
    const foundFile = yield* Effect.result(findPlugin(entry))
    if (Result.isFailure(foundFile)) {
      all.push({ entry, foundFile })
      continue
    }
    const { file, version } = foundFile.success
    if (seen.has(file)) continue
    seen.add(file)
    const trusted = yield* Effect.result(trust(yield* withConfiguration(foundFile.success, entries)))
    all.push({ entry, file, ...(version === undefined ? {} : { version }), foundFile: trusted })
  }
  return all
})

/** Checks a plugin that a script passed as a value, because the compiler may not have checked its type. */
const readValue = (plugin: Plugin): Result.Result<Plugin, PluginProblem> => {
  if (typeof plugin !== "object" || plugin === null) {
    return Result.fail(noPluginValue(plugin === null ? "null" : `a ${typeof plugin}`))
  }
  const malformed = pluginShapeProblem(plugin)
  if (malformed === undefined) return Result.succeed({ ...plugin, isValue: true })
  return Result.fail(malformed.plugin === "without a name" ? noPluginValue("an object") : problemOfValue(malformed))
}

const withSkills = (read: Result.Result<Plugin, PluginProblem>) => {
  if (Result.isFailure(read) || read.success.skills === undefined) return Effect.succeed(read)
  const plugin = read.success
  return Effect.map(skillsFolderOf(plugin.skills, undefined), (skillsFolder) =>
    Result.succeed<Plugin>({ ...plugin, skillsFolder })
  )
}

/** Reads the secrets that the plugin declares. From then on, they are redacted from texts. */
export const withSecrets = Effect.fnUntraced(function* (plugin: Plugin, read: SecretReader) {
  const { secrets } = plugin
  if (typeof secrets !== "object" || secrets === null) return plugin
  const values = new Map<string, Result.Result<string, string>>()
  for (const name of Object.keys(secrets)) {
    const value = yield* read(name)
    if (Result.isSuccess(value)) noteSecret(value.success)
    values.set(name, value)
  }
  return { ...plugin, secretValues: values }
})

/** Imports plugins, several at a time. Restores shared state that they changed. */
const importPlugins = Effect.fnUntraced(function* (foundPlugins: ReadonlyArray<Sought>) {
  /**
   * One watch covers all plugins, because a separate watch for each would undo the changes that other plugins make
   * meanwhile.
   */
  const repair = foundPlugins.length === 0 ? () => undefined : watchSharedState()
  const load = ({ foundFile }: Sought) => Effect.result(Effect.flatMap(Effect.fromResult(foundFile), importPlugin))
  const outcomes = yield* Effect.forEach(foundPlugins, load, { concurrency: importsAtOnce })
  repair()
  return outcomes
})

const readPlugins = Effect.fnUntraced(function* <R>({ entries, values }: PluginOrder, trust: Trust<R>) {
  const foundPlugins = yield* findAll(entries, trust)
  const outcomes = yield* importPlugins(foundPlugins)
  const named = Arr.zipWith(foundPlugins, outcomes, ({ foundFile: _found, ...one }, outcome): KnownPlugin => ({
    ...one,
    outcome
  }))
  const ofValues = yield* Effect.forEach(values, (plugin) =>
    Effect.map(withSkills(readValue(plugin)), (outcome): KnownPlugin => ({ outcome }))
  )
  return screenNames([...named, ...ofValues])
})

/**
 * Loads all plugins except those that a project names. Skips unusable plugins, which are reported when all tools are
 * loaded.
 */
export const readOwnPlugins = Effect.fn("readOwnPlugins")(function* ({ entries, values }: PluginOrder) {
  const own = entries.filter(({ scope }) => scope !== "project")
  const known = yield* readPlugins({ entries: own, values }, requireOwn)
  const plugins = known.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : []))
  return plugins.filter(({ apiVersion }) => apiVersion === pluginApiVersion)
})

/** Imports the named plugins. Unusable plugins are skipped, so that the layer never fails. */
const makePluginPackages = Effect.fnUntraced(function* ({ secret, ...order }: PluginOrder) {
  const screened = yield* readPlugins(order, requireTrust)
  const withSecretValues = yield* Effect.forEach(screened, (screenedPlugin) =>
    secret === undefined || Result.isFailure(screenedPlugin.outcome)
      ? Effect.succeed(screenedPlugin)
      : Effect.map(withSecrets(screenedPlugin.outcome.success, secret), (plugin): KnownPlugin => ({
          ...screenedPlugin,
          outcome: Result.succeed(plugin)
        }))
  )
  const [plugins, problems] = Arr.partition(withSecretValues, ({ outcome }) => outcome)
  /** In the result, `known` contains every named plugin in order, including skipped plugins. */
  const skillFolders = plugins.flatMap(({ name: plugin, skillsFolder }) =>
    skillsFolder !== undefined && Result.isSuccess(skillsFolder) ? [{ plugin, folder: skillsFolder.success }] : []
  )
  return { known: withSecretValues, plugins, problems, skillFolders }
})

export class PluginPackages extends Context.Service<PluginPackages>()(
  "task-conductor/services/plugins/PluginPackages",
  { make: makePluginPackages }
) {
  static readonly layer = (order: PluginOrder) => Layer.effect(this, this.make(order))
}
