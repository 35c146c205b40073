/**
 * Which modules of the command line share a file. A start reads few files when everything that the same starts load is one
 * file, and it reads nothing of other starts.
 */
import { fileURLToPath } from "node:url"
import type { CodeSplittingGroup, Plugin } from "rolldown"

const source = fileURLToPath(new URL("../src/", import.meta.url))

/** What people start all day, and the modules that each loads by `import()`; below src. */
const starts: Readonly<Record<string, ReadonlyArray<string>>> = {
  check: ["cli/check/check.ts"],
  project: ["cli/check/check.ts", "cli/check/projectCheckHandler.ts"],
  run: [
    "cli/run/run.ts",
    "cli/run/runHandler.ts",
    "services/pipeline/Preparation.ts",
    "services/pipeline/Rounds.ts",
    "services/pipeline/Concluder.ts",
    "services/pipeline/RunReporter.ts",
    "services/permissions/Gate.ts",
    "services/tools/ToolRunner.ts"
  ],
  runs: ["cli/runs/runs.ts", "cli/runs/show.ts", "cli/runs/runsHandler.ts"]
}

type Imports = ReadonlyMap<string, ReadonlyArray<string>>

const loadedBy = (entries: ReadonlyArray<string>, imports: Imports): ReadonlySet<string> => {
  const loaded = new Set(entries.map((entry) => source + entry))
  for (const id of loaded) {
    const found = imports.get(id)
    if (found === undefined && id.startsWith(source)) throw new Error(`No module ${id} is part of the command line.`)
    for (const one of found ?? []) loaded.add(one)
  }
  return loaded
}

const setsOf = (names: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  names.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (sets, name) => sets.concat(sets.map((set) => [...set, name])),
    [[]]
  )

/**
 * A file for each set of starts, with what exactly these load. What a module imports is loaded by every start that loads the
 * module; the sets with more starts go first, so that no two of these files import each other.
 */
export const startGroups = () => {
  const names = Object.keys(starts)
  const imports = new Map<string, ReadonlyArray<string>>()
  let loaded: ReadonlyArray<readonly [string, ReadonlySet<string>]> | undefined
  const fileOf = (id: string): string => {
    loaded ??= Object.entries(starts).map(([name, entries]) => [name, loadedBy(entries, imports)])
    return loaded.flatMap(([name, ids]) => (ids.has(id) ? [name] : [])).join("-")
  }
  const graph: Plugin = {
    name: "start-groups",
    buildEnd() {
      for (const id of this.getModuleIds()) imports.set(id, this.getModuleInfo(id)?.importedIds ?? [])
    }
  }
  const groups: ReadonlyArray<CodeSplittingGroup> = [
    { name: "main", tags: ["$initial"], priority: names.length + 1 },
    ...setsOf(names)
      .filter((set) => set.length > 0)
      .map((set) => ({
        name: `for-${set.join("-")}`,
        test: (id: string) => fileOf(id) === set.join("-"),
        priority: set.length
      }))
  ]
  return { graph, groups }
}
