/**
 * Commands in files of recipes: Makefile, justfile, Taskfile, Rakefile. Read line by line with simple patterns: a target
 * that is written in an unusual way is missing in the map, and nothing else happens.
 */
import { isCommandName, type Manifest, nameOf, type ProjectCommand } from "./ProjectCommand.ts"

/** The first line of a recipe without the marks of the program that runs it. */
const firstRecipeLine = (lines: ReadonlyArray<string>, after: number): string => {
  const line = lines[after + 1] ?? ""
  return /^[ \t]/.test(line) ? line.trim().replace(/^[@+-]+/, "") : ""
}

const command = (run: string, does: string, from: string): ProjectCommand => ({
  run,
  from,
  ...(does === "" ? {} : { does })
})

const makeTargets = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  const lines = text.split(/\r?\n/)
  const phony = new Set(lines.flatMap((line) => /^\.PHONY\s*:(.*)$/.exec(line)?.[1]?.trim().split(/\s+/) ?? []))
  const found = new Map<string, ProjectCommand>()
  lines.forEach((line, index) => {
    const names = /^([A-Za-z0-9][^:=#$%"]*?)\s*::?(?![:=])/.exec(line.slice(0, 500))?.[1]?.split(/\s+/) ?? []
    for (const name of names.filter((one) => isCommandName(one) && (phony.has(one) || !/[./]/.test(one)))) {
      const does = firstRecipeLine(lines, index)
      if (found.get(name)?.does === undefined) found.set(name, command(`make ${name}`, does, path))
    }
  })
  return [...found.values()]
}

/** `build target='debug':`: parameters that have no value of their own must be given. */
const justRecipes = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  const lines = text.split(/\r?\n/)
  return lines.flatMap((line, index) => {
    const match = /^@?([A-Za-z][\w-]*)([^:\n]{0,200}):(?!=)/.exec(line)
    if (match === null || /\[private\]/.test(lines[index - 1] ?? "")) return []
    const [, name = "", parameters = ""] = match
    const required = parameters.split(/\s+/).filter((one) => /^[+]?[A-Za-z][\w-]*$/.test(one))
    const run = ["just", name, ...required.map((one) => `(${one.replace("+", "")})`)].join(" ")
    return [command(run, firstRecipeLine(lines, index), path)]
  })
}

const taskfileTasks = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  const lines = text.split(/\r?\n/)
  const start = lines.findIndex((line) => /^tasks:\s*$/.test(line))
  if (start === -1) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^[^\s#]/.test(line))
  const within = end === -1 ? rest : rest.slice(0, end)
  const indent = /^ +/.exec(within.find((line) => /^ +\S/.test(line)) ?? "")?.[0].length ?? 0
  return within.flatMap((line) => {
    const [, blanks = "", name = ""] = /^( +)["']?([\w:-]+)["']?:/.exec(line) ?? []
    return blanks.length === indent && isCommandName(name) ? [command(`task ${name}`, "", path)] : []
  })
}

const rakeTasks = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> =>
  text.split(/\r?\n/).flatMap((line) => {
    const name = /^task[ (]+:?["']?(\w+)/.exec(line)?.[1]
    return name === undefined ? [] : [command(`rake ${name}`, "", path)]
  })

/** The commands of a file of recipes, in its order. */
export const recipeTargets = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  switch (nameOf(manifest.path).toLowerCase()) {
    case "makefile":
    case "gnumakefile":
      return makeTargets(manifest)
    case "justfile":
    case ".justfile":
      return justRecipes(manifest)
    case "taskfile.yml":
    case "taskfile.yaml":
      return taskfileTasks(manifest)
    case "rakefile":
      return rakeTasks(manifest)
    default:
      return []
  }
}
