/**
 * The plugins of a run that are not built in: packages and files that a configuration names, and values that a script
 * passes. Finds them, asks the person to trust those that a project names, imports them, and reports why one is left out.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { isPackageName, type PluginEntry } from "../../domain/configuration/Configuration.ts"
import { Gate } from "../permissions/Gate.ts"
import type { Plugin } from "../tools/Plugin.ts"
import { builtInOrigin } from "../../domain/tools/ToolCall.ts"
import { findPlugin, type FoundPlugin, pluginHash } from "./PluginFinder.ts"
import { importPlugin } from "./PluginImport.ts"
import { pluginShapeProblem } from "../tools/PluginLoader.ts"
import { notTrusted, PluginProblem } from "../tools/PluginProblem.ts"

/** One entry of the configuration or one value, with its plugin or the problem. */
export interface KnownPlugin {
  /** Absent for a value that a script passed. */
  readonly entry?: PluginEntry
  /** The module that is imported. */
  readonly file?: string
  readonly version?: string
  readonly outcome: Result.Result<Plugin, PluginProblem>
}

interface PluginOrder {
  /** In the order in which they are loaded; of two that name the same file the first counts. */
  readonly entries: ReadonlyArray<PluginEntry>
  /** Plugins as values; the caller trusts them. */
  readonly values: ReadonlyArray<Plugin>
}

const importsAtOnce = 4

/** The name in questions and rules. A rule cannot hold "..", so a path with it is written in full. */
const nameInRules = ({ entry, file }: FoundPlugin): string => (entry.text.includes("..") ? file : entry.text)

/** Asks the person to trust the exact content of a plugin that a project names. */
const requireTrust = Effect.fnUntraced(function* (found: FoundPlugin) {
  if (found.entry.scope !== "project") return found
  const gate = yield* Gate
  const { text: plugin } = found.entry
  const hash = yield* Effect.mapError(pluginHash(found), ({ message }) => {
    const detail = `its content cannot be pinned, so it cannot be trusted: ${message}.`
    return new PluginProblem({ plugin, code: "Unpinnable", detail })
  })
  const name = nameInRules(found)
  yield* Effect.mapError(
    gate.authorizeStart({ _tag: "LoadPlugin", name, path: found.folder ?? found.file, hash }),
    ({ by }) => notTrusted(plugin, name, hash, by)
  )
  return found
})

const wrongName = "its name is reserved, or not of the form of a package name: lower-case letters, digits and hyphens."

/** A plugin is identified by its name, so none may have that of another plugin or of the built-in ones. */
const screenNames = (known: ReadonlyArray<KnownPlugin>): ReadonlyArray<KnownPlugin> => {
  const taken = new Set<string>()
  return known.map((one) => {
    if (Result.isFailure(one.outcome)) return one
    const { name } = one.outcome.success
    const reject = (code: PluginProblem["code"], detail: string): KnownPlugin => ({
      ...one,
      outcome: Result.fail(new PluginProblem({ plugin: one.entry?.text ?? name, code, detail }))
    })
    if (name === builtInOrigin || !isPackageName(name)) return reject("PluginName", wrongName)
    if (taken.has(name)) return reject("DuplicatePlugin", "another plugin has the same name. Remove one of them.")
    taken.add(name)
    return one
  })
}

/** What an entry names, once it may be imported. */
interface Sought extends Omit<KnownPlugin, "outcome"> {
  readonly entry: PluginEntry
  readonly found: Result.Result<FoundPlugin, PluginProblem>
}

/** Finds plugins and asks about them one after another, in order. A file that is named twice is loaded once. */
const findAll = Effect.fnUntraced(function* (entries: ReadonlyArray<PluginEntry>) {
  const seen = new Set<string>()
  const all: Array<Sought> = []
  for (const entry of entries) {
    const found = yield* Effect.result(findPlugin(entry))
    if (Result.isFailure(found)) {
      all.push({ entry, found })
      continue
    }
    const { file, version } = found.success
    if (seen.has(file)) continue
    seen.add(file)
    const trusted = yield* Effect.result(requireTrust(found.success))
    all.push({ entry, file, ...(version === undefined ? {} : { version }), found: trusted })
  }
  return all
})

export class PluginPackages extends Context.Service<
  PluginPackages,
  {
    /** Everything that was named, in order, including what is left out. */
    readonly known: ReadonlyArray<KnownPlugin>
    readonly plugins: ReadonlyArray<Plugin>
    readonly problems: ReadonlyArray<PluginProblem>
  }
>()("task-conductor/services/plugins/PluginPackages") {
  /** Imports what is named. A plugin that cannot be used is left out and never fails the layer. */
  static readonly layer = ({ entries, values }: PluginOrder) =>
    Layer.effect(
      PluginPackages,
      Effect.gen(function* () {
        const sought = yield* findAll(entries)
        const named = yield* Effect.forEach(
          sought,
          ({ found, ...one }) =>
            Effect.map(
              Effect.result(Effect.flatMap(Effect.fromResult(found), importPlugin)),
              (outcome): KnownPlugin => ({ ...one, outcome })
            ),
          { concurrency: importsAtOnce }
        )
        const given = values.map((plugin): KnownPlugin => {
          const malformed = pluginShapeProblem(plugin)
          return { outcome: malformed === undefined ? Result.succeed(plugin) : Result.fail(malformed) }
        })
        const known = screenNames([...named, ...given])
        const [plugins, problems] = Arr.partition(known, ({ outcome }) => outcome)
        return PluginPackages.of({ known, plugins, problems })
      })
    )
}
