/**
 * Which modules of a bundle share a file. A start reads few files when everything that the same starts load is one file, and it
 * reads nothing of other starts.
 */
import { fileURLToPath } from "node:url"
import type { CodeSplittingGroup, Plugin } from "rolldown"

const source = new URL("../src/", import.meta.url)

/** The modules that each start loads, with all that they import, by its name: files below src and modules of packages. */
type Starts = Readonly<Record<string, ReadonlyArray<string>>>

/** What a run loads by `import()`, wherever it is started. */
const run = "services/pipeline/PipelineStages.ts"
const commandRun = ["cli/run/run.ts", "cli/run/runHandler.ts", run]
const serverModel = ["app/chosenModel.ts"]

/** What people start all day. */
export const commandStarts: Starts = {
  check: ["cli/check/check.ts"],
  project: ["cli/check/check.ts", "app/projectCheck.ts"],
  run: commandRun,
  runs: ["cli/runs/runs.ts", "cli/runs/show.ts"]
}

/** What needs neither a project nor a saved run, beside help. */
export const quickStarts: Starts = { check: ["cli/check/check.ts"] }

/** What programs import and what their first run loads, and the command line where it shares its modules with plugins. */
export const libraryStarts: Starts = {
  api: ["index.ts"],
  plugin: ["plugin-kit.ts"],
  run: ["index.ts", "@effect/platform-node/NodeServices", "app/runs.ts", run, ...serverModel],
  main: ["main.ts"],
  command: ["main.ts", ...commandRun, ...serverModel]
}

type Imports = ReadonlyMap<string, ReadonlyArray<string>>

const addressOf = (entry: string) => (entry.endsWith(".ts") ? new URL(entry, source) : import.meta.resolve(entry))

const loadedBy = (entries: ReadonlyArray<string>, imports: Imports): ReadonlySet<string> => {
  const loaded = new Set(entries.map((entry) => fileURLToPath(addressOf(entry))))
  for (const id of loaded) if (!imports.has(id)) throw new Error(`No module ${id} is part of the bundle.`)
  for (const id of loaded) for (const one of imports.get(id) ?? []) loaded.add(one)
  return loaded
}

/**
 * A file for each set of starts, with what exactly these load. What a module imports is loaded by every start that loads the
 * module; the sets with more starts go first, so that no two of these files import each other. What is only started by its
 * name keeps its own file: it may do something as soon as it is loaded.
 */
export const startGroups = (starts: Starts, before: ReadonlyArray<Omit<CodeSplittingGroup, "priority">> = []) => {
  const names = Object.keys(starts)
  const imports = new Map<string, ReadonlyArray<string>>()
  const started = new Set<string>()
  let loaded: ReadonlyArray<readonly [string, ReadonlySet<string>]> | undefined
  const startsOf = (id: string): ReadonlyArray<string> => {
    loaded ??= Object.entries(starts).map(([name, entries]) => [name, loadedBy(entries, imports)])
    return started.has(id) ? [] : loaded.flatMap(([name, ids]) => (ids.has(id) ? [name] : []))
  }
  const graph: Plugin = {
    name: "start-groups",
    buildEnd() {
      for (const id of this.getModuleIds()) {
        const module = this.getModuleInfo(id)
        imports.set(id, module?.importedIds ?? [])
        if (module?.isEntry === true && module.importers.length === 0) started.add(id)
      }
    }
  }
  const groups: ReadonlyArray<CodeSplittingGroup> = [
    ...before.map((group) => ({ ...group, priority: names.length + 1 })),
    ...names.map((_, index) => ({
      name: (id: string) => `for-${startsOf(id).join("-")}`,
      test: (id: string) => startsOf(id).length === index + 1,
      priority: index + 1
    }))
  ]
  return { graph, groups }
}
