/**
 * The commands of a project that its manifests name: scripts of npm and its like, recipes of make and its like, tasks of
 * Python projects, and the usual commands of a kind of project. A command that is written in an unusual way is missing in
 * the map, and nothing else happens.
 */
import { parse } from "jsonc-parser"
import { parse as parseYaml } from "yaml"
import * as Result from "effect/Result"

export interface ProjectCommand {
  /** What is to be run: program and arguments with blanks between them. */
  readonly run: string
  /** What the project runs then; absent when the kind of the project decides it. */
  readonly does?: string
  /** The file that names it. */
  readonly from: string
}

/** A file that may name commands. */
export interface Manifest {
  readonly path: string
  readonly text: string
  /** Paths of all files of the project. */
  readonly files: ReadonlySet<string>
}

/** The folder of a file with `/` at its end; empty for the project. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)

/** The last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** Kinds of names, the most useful first; names of no kind come before the last. */
const kinds: ReadonlyArray<RegExp> = [
  /^(?:test|tests|check|spec)$/,
  /test|spec|check|verify/,
  /lint|clippy|vet|ruff/,
  /type|tsc|mypy/,
  /build|compile/,
  /format|fmt/
]
const lasting = /deploy|publish|release|upload|install|uninstall|clean|push/

const kindOf = ({ run }: ProjectCommand): number => {
  const name = run.toLowerCase().split(" ").slice(1).join(" ") || run.toLowerCase()
  if (lasting.test(name)) return kinds.length + 1
  const kind = kinds.findIndex((pattern) => pattern.test(name))
  return kind === -1 ? kinds.length : kind
}

/** Checks first, what leaves lasting traces last; of one kind in the order of the project. */
export const byUse = (commands: ReadonlyArray<ProjectCommand>): ReadonlyArray<ProjectCommand> =>
  commands.toSorted((a, b) => kindOf(a) - kindOf(b))

/** The kinds that only look at the project: tests, linters, and type checks. */
const lastCheck = 3

/** True for a command that checks the project and leaves it as it is. */
export const isCheck = (command: ProjectCommand): boolean => kindOf(command) <= lastCheck

/** A name that can be given to a program as one argument. */
const isCommandName = (name: string): boolean => /^[\w@][\w@:./+-]{0,59}$/.test(name)

const usual: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries({
    "Cargo.toml": ["cargo test", "cargo build"],
    "go.mod": ["go test ./...", "go vet ./...", "go build ./..."],
    "pom.xml": ["mvn test"],
    "build.gradle": ["gradle test", "gradle build"],
    "build.gradle.kts": ["gradle test", "gradle build"],
    "mix.exs": ["mix test"],
    "Package.swift": ["swift test", "swift build"],
    "pubspec.yaml": ["dart test", "dart analyze"],
    "build.sbt": ["sbt test"],
    "build.zig": ["zig build test"],
    "dune-project": ["dune test", "dune build"],
    "rebar.config": ["rebar3 eunit"],
    "stack.yaml": ["stack test"],
    ".rspec": ["bundle exec rspec"]
  })
)

/** Scripts beside a manifest that bring its program. */
const wrappers: ReadonlyArray<readonly [program: string, file: string]> = [
  ["mvn", "mvnw"],
  ["gradle", "gradlew"]
]

/** Names of the manifests with usual commands. */
export const usualManifests: ReadonlyArray<string> = [...usual.keys()]

/** True when a folder around the manifest has one of the same name, whose commands include it. */
const isPart = ({ files, path }: Manifest): boolean => {
  const parts = folderOf(path).split("/").slice(0, -1)
  return parts.some((_, index) => files.has([...parts.slice(0, index), nameOf(path)].join("/")))
}

/** The usual commands of a manifest; none for a part of a larger project of the same kind. */
export const usualCommands = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const { files, path } = manifest
  if (isPart(manifest)) return []
  return (usual.get(nameOf(path)) ?? []).map((command) => {
    const [program = "", ...rest] = command.split(" ")
    const wrapper = wrappers.find(([one, file]) => one === program && files.has(`${folderOf(path)}${file}`))
    return { run: [wrapper === undefined ? program : `./${wrapper[1]}`, ...rest].join(" "), from: path }
  })
}

/** The fields of an object; none of anything else. */
const fieldsOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [])

/** The fields of a JSON text, as far as it can be read. */
const jsonFields = (text: string): ReadonlyMap<string, unknown> => {
  const value = Result.try((): unknown => parse(text, [], { allowTrailingComma: true }))
  return fieldsOf(Result.isSuccess(value) ? value.success : undefined)
}

/** A script is a string, a list of strings, or an object that holds one. */
const bodyOf = (script: unknown): string | undefined => {
  if (typeof script === "string") return script
  if (Array.isArray(script)) return script.filter((part) => typeof part === "string").join(" && ")
  const command = fieldsOf(script).get("command")
  return typeof command === "string" ? command : undefined
}

const scriptsIn = (
  { path, text }: Manifest,
  field: string,
  run: (name: string) => string,
  isWanted: (name: string, all: ReadonlyMap<string, unknown>) => boolean = () => true
): ReadonlyArray<ProjectCommand> => {
  const scripts = fieldsOf(jsonFields(text).get(field))
  return [...scripts].flatMap(([name, script]) => {
    const does = bodyOf(script)
    if (does === undefined || !isCommandName(name) || !isWanted(name, scripts)) return []
    return [{ run: run(name), does, from: path }]
  })
}

/** Scripts that a package manager runs by itself. */
const automatic = /^(?:pre|post)?(?:install|pack|prepare|publish|publishOnly|version|dependencies|uninstall)$/

const isOwnScript = (name: string, all: ReadonlyMap<string, unknown>): boolean =>
  !automatic.test(name) && !all.has(name.replace(/^(?:pre|post)/, "")) === /^(?:pre|post)/.test(name)

const lockFiles: ReadonlyArray<readonly [file: string, manager: string]> = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"]
]

/** The package manager that the lock file beside the manifest, or at the top, belongs to; else npm. */
const managerOf = ({ files, path, text }: Manifest): string => {
  const named = jsonFields(text).get("packageManager")
  const declared = typeof named === "string" ? /^(npm|pnpm|yarn|bun)@/.exec(named)?.[1] : undefined
  const folders = [folderOf(path), ""]
  const locked = folders.flatMap((folder) => lockFiles.filter(([file]) => files.has(`${folder}${file}`)))
  return declared ?? locked[0]?.[1] ?? "npm"
}

const packageScripts = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const manager = managerOf(manifest)
  const run = (name: string) => (name === "test" && manager !== "bun" ? `${manager} test` : `${manager} run ${name}`)
  return scriptsIn(manifest, "scripts", run, isOwnScript)
}

/** The commands of a JSON manifest, in its order. */
export const jsonScripts = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  switch (nameOf(manifest.path)) {
    case "package.json":
      return packageScripts(manifest)
    case "composer.json":
      return scriptsIn(
        manifest,
        "scripts",
        (name) => `composer run ${name}`,
        (name) => !/^(?:pre|post)-/.test(name)
      )
    case "deno.json":
    case "deno.jsonc":
      return scriptsIn(manifest, "tasks", (name) => `deno task ${name}`)
    default:
      return []
  }
}

/** Paths that a package.json names as what is loaded or run first, relative to it, as they are written. */
export const packageEntries = (text: string): ReadonlyArray<string> => {
  const fields = jsonFields(text)
  const leaves = (value: unknown, depth: number): ReadonlyArray<string> =>
    typeof value === "string"
      ? [value]
      : depth === 0
        ? []
        : [...fieldsOf(value).values()].slice(0, 20).flatMap((one) => leaves(one, depth - 1))
  const written = ["bin", "main", "module", "exports"].flatMap((name) => leaves(fields.get(name), 4))
  return [...new Set(written.map((path) => path.replace(/^\.\//, "")))]
}

/** The first line of a recipe without the marks of the program that runs it. */
const firstRecipeLine = (lines: ReadonlyArray<string>, after: number): string => {
  const line = lines[after + 1] ?? ""
  return /^[ \t]/.test(line) ? line.trim().replace(/^[@+-]+/, "") : ""
}

const command = (run: string, does: string, from: string): ProjectCommand => ({ run, from, does: does || undefined })

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
  const read = Result.try((): unknown => parseYaml(text, { logLevel: "silent" }))
  const tasks = fieldsOf(fieldsOf(Result.isSuccess(read) ? read.success : undefined).get("tasks"))
  return [...tasks.keys()].filter(isCommandName).map((name) => command(`task ${name}`, "", path))
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

interface Section {
  readonly name: string
  readonly entries: ReadonlyArray<readonly [key: string, value: string]>
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value

/** The sections of a TOML or INI text with their entries of one line; other lines are passed over. */
const sectionsOf = (text: string): ReadonlyArray<Section> => {
  const sections: Array<{ name: string; entries: Array<readonly [string, string]> }> = []
  for (const line of text.split(/\r?\n/)) {
    const head = /^\[{1,2}([^[\]]{1,120})\]{1,2}\s*(?:#.*)?$/.exec(line)?.[1]
    if (head !== undefined) sections.push({ name: head.trim(), entries: [] })
    const [, key, value] = /^\s*["']?([\w:.-]{1,60})["']?\s*=\s*(.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) sections.at(-1)?.entries.push([key, unquoted(value.trim())])
  }
  return sections
}

/** Sections whose keys are tasks, and how a task is run. */
const taskSections: ReadonlyArray<readonly [section: RegExp, run: string]> = [
  [/^tool\.poe\.tasks$/, "poe"],
  [/^tool\.pdm\.scripts$/, "pdm run"],
  [/^tool\.taskipy\.tasks$/, "task"],
  [/^tool\.rye\.scripts$/, "rye run"],
  [/^tool\.pixi\.tasks$/, "pixi run"],
  [/^tool\.hatch\.envs\.default\.scripts$/, "hatch run"]
]

const tasksOf = (sections: ReadonlyArray<Section>, from: string): ReadonlyArray<ProjectCommand> =>
  sections.flatMap(({ entries, name }) => {
    const found = taskSections.find(([pattern]) => pattern.test(name))
    const environment = /^tool\.hatch\.envs\.([\w-]+)\.scripts$/.exec(name)?.[1]
    const prefix =
      found === undefined ? (environment === undefined ? undefined : `hatch run ${environment}:`) : found[1]
    if (prefix === undefined) return []
    const space = prefix.endsWith(":") ? "" : " "
    return entries
      .filter(([key]) => isCommandName(key) && !key.startsWith("_"))
      .map(([key, does]) => ({ run: `${prefix}${space}${key}`, does, from }))
  })

/** Settings of a checker mean that the project is checked with it. */
const checkers: ReadonlyArray<readonly [section: RegExp, files: ReadonlyArray<string>, run: string]> = [
  [/^(?:tool\.pytest.*|tool:pytest|pytest)$/, ["pytest.ini"], "python -m pytest"],
  [/^tool\.ruff/, ["ruff.toml", ".ruff.toml"], "ruff check ."],
  [/^(?:tool\.)?mypy$/, ["mypy.ini", ".mypy.ini"], "mypy ."],
  [/^flake8$/, [".flake8"], "flake8"]
]

const environmentOf = ({ files, path }: Manifest): string => {
  const has = (file: string) => files.has(`${folderOf(path)}${file}`)
  if (has("uv.lock")) return "uv run "
  if (has("poetry.lock")) return "poetry run "
  return has("pdm.lock") ? "pdm run " : ""
}

const checkersOf = (sections: ReadonlyArray<Section>, manifest: Manifest): ReadonlyArray<ProjectCommand> =>
  checkers
    .filter(
      ([pattern, files]) => files.includes(nameOf(manifest.path)) || sections.some(({ name }) => pattern.test(name))
    )
    .map(([, , run]) => ({ run: `${environmentOf(manifest)}${run}`, from: manifest.path }))

/** Environments of tox in pyproject.toml. */
const toxSections = (sections: ReadonlyArray<Section>, from: string): ReadonlyArray<ProjectCommand> =>
  sections.flatMap(({ name }) => {
    const environment = /^tool\.tox\.env\.([\w-]+)$/.exec(name)?.[1]
    return environment === undefined ? [] : [{ run: `tox -e ${environment}`, from }]
  })

const toxEnvironments = (sections: ReadonlyArray<Section>, from: string): ReadonlyArray<ProjectCommand> =>
  sections.flatMap(({ entries, name }) => {
    const environment = /^testenv(?::([\w-]+))?$/.exec(name)
    if (environment === null) return []
    const does = entries.find(([key, value]) => key === "commands" && value !== "")?.[1]
    const run = environment[1] === undefined ? "tox" : `tox -e ${environment[1]}`
    return [{ run, from, does }]
  })

/** `@nox.session` before `def name`; other decorators may stand between them. */
const noxSessions = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  const found: Array<ProjectCommand> = []
  let isSession = false
  for (const line of text.split(/\r?\n/)) {
    if (/^@(?:nox\.)?session\b/.test(line)) isSession = true
    const name = /^(?:async )?def (\w+)/.exec(line)?.[1]
    if (isSession && name !== undefined) found.push({ run: `nox -s ${name}`, from: path })
    if (name !== undefined) isSession = false
  }
  return found
}

/** The commands of a file of a Python project. */
export const pythonCommands = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const name = nameOf(manifest.path)
  if (name === "noxfile.py") return noxSessions(manifest)
  if (name === "manage.py") return [{ run: "python manage.py test", from: manifest.path }]
  const sections = sectionsOf(manifest.text)
  return [
    ...tasksOf(sections, manifest.path),
    ...toxSections(sections, manifest.path),
    ...(name === "tox.ini" ? toxEnvironments(sections, manifest.path) : []),
    ...checkersOf(sections, manifest)
  ]
}
