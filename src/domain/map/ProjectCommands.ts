/**
 * Finds the commands that the manifests of a project name. These are npm scripts, recipes of make and similar programs,
 * Python tasks, and conventional commands. Some unusual commands are not recognised. They are then missing in the map,
 * and nothing else changes.
 */
import { parse } from "jsonc-parser"
import { parse as parseYaml } from "yaml"
import * as Result from "effect/Result"
import { fileName } from "../files/PathList.ts"
import { type CommandKind, commandKind } from "./CommandKind.ts"
import { type Narrowing, scriptNarrowing, testPart, usualNarrowing } from "./NarrowCommand.ts"

export interface CommandWay {
  /** The command line: program and arguments separated by blanks. It runs in the folder of `from`. */
  readonly run: string
  /** How to run only a part of the command; absent if unknown. */
  readonly narrow?: Narrowing | undefined
  /** True for a command that runs only a part of the project's command. It is used if the whole command cannot run. */
  readonly isPart?: boolean
}

export interface ProjectCommand extends CommandWay {
  /** Commands that must run first in the same folder, in this order. */
  readonly prepare?: ReadonlyArray<string>
  /** The command line that the project defines for this command; absent for a conventional command. */
  readonly does?: string | undefined
  /** The manifest that names the command. */
  readonly from: string
  /** The kind of the command. Absent if the kind is unknown, or if the command never ends or has lasting effects. */
  readonly kind?: CommandKind | undefined
  /**
   * All ways to run the command, the best first. The program uses the first way that works with the installed programs.
   * Absent if `run` is the only way.
   */
  readonly ways?: ReadonlyArray<CommandWay> | undefined
}

/** A file that may name commands. */
export interface Manifest {
  readonly path: string
  readonly text: string
  readonly files: ReadonlySet<string>
  /** True if a test imports pytest, or if a settings file mentions it. */
  readonly namesPytest?: boolean
}

/** The folder of a file, ending with `/`. Empty for a file at the top of the project. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)

/** Patterns of script names, the most useful first. Other names follow, and those that match `lasting` come last. */
const kinds: ReadonlyArray<RegExp> = [
  /^test$/,
  /^(?:tests|check|spec)$/,
  /test|spec|check|verify/,
  /lint|clippy|vet|ruff/,
  /type|tsc|mypy/,
  /build|compile/,
  /format|fmt/
]
const lasting = /deploy|publish|release|upload|install|uninstall|clean|push/

const kindOf = ({ run }: ProjectCommand): number => {
  const words = run
    .toLowerCase()
    .replace(/^bundle exec /, "")
    .split(" ")
    .slice(1)
  const name = words.filter((word) => !/^(?:run|task|-.*|\..*)$/.test(word)).join(" ") || run.toLowerCase()
  if (lasting.test(name)) return kinds.length + 1
  const kind = kinds.findIndex((pattern) => pattern.test(name))
  return kind === -1 ? kinds.length : kind
}

/** Sorts checks first and commands with lasting effects last, and keeps the order within one kind. */
export const byUse = (commands: ReadonlyArray<ProjectCommand>): ReadonlyArray<ProjectCommand> =>
  commands.toSorted((a, b) => kindOf(a) - kindOf(b))

/**
 * A command with several ways to run, the best first. If the installed programs are unknown, the way at index `usual`
 * is used.
 */
export const inWays = (
  written: ReadonlyArray<string | CommandWay>,
  from: string,
  { usual = 0, ...facts }: Pick<ProjectCommand, "does" | "kind"> & { readonly usual?: number } = {}
): ProjectCommand => {
  const ways = written.map((way) => (typeof way === "string" ? { run: way, narrow: usualNarrowing(way) } : way))
  const { narrow, run } = ways[usual] ?? { run: "" }
  return { run, narrow, ...facts, from, ways: ways.length > 1 ? ways : undefined }
}

/** The first word of a command: the program that must be installed. */
export const programOf = ({ run }: CommandWay): string => run.split(" ")[0] ?? ""

/** The commands that work with the installed programs, each in the first way that works. */
export const runnableCommands = (
  commands: ReadonlyArray<ProjectCommand>,
  has: (program: string, folder: string) => boolean
): ReadonlyArray<ProjectCommand> =>
  commands.flatMap((command) => {
    const folder = folderOf(command.from)
    const way = (command.ways ?? [command]).find((one) => has(programOf(one), folder))
    const isPrepared = (command.prepare ?? []).every((run) => has(programOf({ run }), folder))
    return way !== undefined && isPrepared
      ? [{ ...command, ...way, does: way.isPart === true ? undefined : command.does, ways: undefined }]
      : []
  })

/** True for a name that can be passed to a program as one argument. */
export const isCommandName = (name: string): boolean => /^[\w@][\w@:./+-]{0,59}$/.test(name)

/** The fields of an object; empty for any other value. */
const fieldsOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [])

/** The fields of a JSON object; empty if the text is not valid JSON. */
const jsonFields = (text: string): ReadonlyMap<string, unknown> => {
  const value = Result.try((): unknown => parse(text, [], { allowTrailingComma: true }))
  return fieldsOf(Result.isSuccess(value) ? value.success : undefined)
}

/** The command line of a script: a string, a list of strings, or an object with a command. */
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

/** Scripts that a package manager runs automatically. */
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

/**
 * The package manager of a manifest. The first of these that exists:
 * - the manager that the field `packageManager` names
 * - the manager whose lock file is beside the manifest
 * - the manager whose lock file is at the top of the project
 * - npm
 */
const managerOf = ({ files, path, text }: Manifest): string => {
  const named = jsonFields(text).get("packageManager")
  const declared = typeof named === "string" ? /^(npm|pnpm|yarn|bun)@/.exec(named)?.[1] : undefined
  const folders = [folderOf(path), ""]
  const locked = folders.flatMap((folder) => lockFiles.filter(([file]) => files.has(`${folder}${file}`)))
  return declared ?? locked[0]?.[1] ?? "npm"
}

/** The placeholder that npm writes into a new package.json. */
const placeholder = /no test specified/

/** How each manager runs a program of an installed package. */
const executes: Readonly<Record<string, string>> = { npm: "npx", pnpm: "pnpm exec", yarn: "yarn", bun: "bunx" }

const packageWay = (manager: string, name: string, does: string): CommandWay => {
  const run = name === "test" && manager !== "bun" ? `${manager} test` : `${manager} run ${name}`
  return { run, narrow: scriptNarrowing(does, manager === "npm" ? `${run} --` : run, executes[manager] ?? "npx") }
}

const kindsOf = (scripts: ReadonlyArray<ProjectCommand>): ReadonlySet<CommandKind | undefined> =>
  new Set(scripts.map(({ does, run }) => commandKind(run, does)))

/**
 * The commands that a package.json implies but its scripts lack: its type check, its tests, and the tests of its parts.
 */
const impliedByPackage = (
  manifest: Manifest,
  scripts: ReadonlyArray<ProjectCommand>
): ReadonlyArray<ProjectCommand> => {
  const { files, path, text } = manifest
  const fields = jsonFields(text)
  const needs = new Map([...fieldsOf(fields.get("dependencies")), ...fieldsOf(fields.get("devDependencies"))])
  const manager = managerOf(manifest)
  const has = (name: string) => files.has(`${folderOf(path)}${name}`)
  const execute = (does: string): ProjectCommand => {
    const way = (one: string): CommandWay => ({ run: `${one} ${does}`, narrow: scriptNarrowing(does, "", one) })
    return inWays([...new Set([executes[manager] ?? "npx", "npx"])].map(way), path)
  }
  const kinds = kindsOf(scripts)
  const typed = !kinds.has("types") && needs.has("typescript") && has("tsconfig.json") ? [execute("tsc --noEmit")] : []
  if (kinds.has("tests")) return typed
  const runner = ["vitest", "jest", "mocha", "ava"].find((name) => needs.has(name))
  if (runner !== undefined) return [...typed, execute(runner === "vitest" ? "vitest run" : runner)]
  if (has("pnpm-workspace.yaml")) return [...typed, { run: "pnpm -r test", from: path, kind: "tests" }]
  if (!fields.has("workspaces")) return typed
  const run = manager === "yarn" ? "yarn workspaces foreach --all run test" : "npm test --workspaces --if-present"
  return [...typed, { run, from: path, kind: "tests" }]
}

const packageScripts = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const manager = managerOf(manifest)
  const scripts = scriptsIn(manifest, "scripts", (name) => name, isOwnScript)
    .filter(({ does = "" }) => !placeholder.test(does))
    .map(({ does = "", run: name }) => {
      /**
       * If a project uses another package manager, npm can still run a script, unless the script itself calls that
       * manager.
       */
      const callsManager = does.split(/\s+/).includes(manager)
      const managers = callsManager ? [manager] : [...new Set([manager, "npm"])]
      const tests = callsManager && manager !== "npm" ? testPart(does) : undefined
      const ways = managers.map((one) => packageWay(one, name, does))
      const direct =
        tests === undefined ? [] : [{ run: `npx ${tests}`, narrow: scriptNarrowing(tests, "", "npx"), isPart: true }]
      return inWays([...ways, ...direct], manifest.path, { does })
    })
  return [...scripts, ...impliedByPackage(manifest, scripts)]
}

/** The built-in commands of deno that no task covers. */
const impliedByDeno = (
  { files, path }: Manifest,
  tasks: ReadonlyArray<ProjectCommand>
): ReadonlyArray<ProjectCommand> => {
  const folder = folderOf(path)
  const isMember = folder !== "" && ["deno.json", "deno.jsonc"].some((name) => files.has(name))
  if (isMember) return []
  const hasTests = [...files].some((file) => file.startsWith(folder) && /[._]test\.[cm]?[jt]sx?$/.test(file))
  const kinds = kindsOf(tasks)
  return [
    ...(hasTests && !kinds.has("tests") ? ["deno test"] : []),
    ...(kinds.has("types") ? [] : ["deno check ."]),
    ...(kinds.has("lint") ? [] : ["deno lint"])
  ].map((run) => inWays([run], path))
}

const phpTools: ReadonlyArray<readonly [tool: string, settings: ReadonlyArray<string>, rest: string]> = [
  ["phpunit", ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"], ""],
  ["phpstan", ["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"], " analyse"]
]

/** The checks of a PHP project, recognised by their settings files. */
const impliedByComposer = ({ files, path }: Manifest): ReadonlyArray<ProjectCommand> =>
  phpTools
    .filter(([, settings]) => settings.some((name) => files.has(`${folderOf(path)}${name}`)))
    .map(([tool, , rest]) => inWays([`vendor/bin/${tool}${rest}`, `${tool}${rest}`], path))

export const jsonScripts = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  switch (fileName(manifest.path)) {
    case "package.json":
      return packageScripts(manifest)
    case "composer.json":
      return [
        ...scriptsIn(
          manifest,
          "scripts",
          (name) => `composer run ${name}`,
          (name) => !/^(?:pre|post)-/.test(name)
        ),
        ...impliedByComposer(manifest)
      ]
    case "deno.json":
    case "deno.jsonc": {
      const tasks = scriptsIn(manifest, "tasks", (name) => `deno task ${name}`)
      return [...tasks, ...impliedByDeno(manifest, tasks)]
    }
    default:
      return []
  }
}

/** The entry points that a package.json names, relative to its folder. */
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

/**
 * The first line of a recipe, without the prefixes `@`, `+` and `-`, which are for make. Empty if there is no recipe.
 */
const firstRecipeLine = (lines: ReadonlyArray<string>, after: number): string => {
  const line = lines[after + 1] ?? ""
  return /^[ \t]/.test(line) ? line.trim().replace(/^[@+-]+/, "") : ""
}

const command = (run: string, does: string, from: string): ProjectCommand => ({ run, from, does: does || undefined })

const makeTargets = ({ path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  const lines = text.split(/\r?\n/)
  const phony = new Set(lines.flatMap((line) => /^\.PHONY\s*:(.*)$/.exec(line)?.[1]?.trim().split(/\s+/) ?? []))
  const commands = new Map<string, ProjectCommand>()
  lines.forEach((line, index) => {
    const names = /^([A-Za-z0-9][^:=#$%"]*?)\s*::?(?![:=])/.exec(line.slice(0, 500))?.[1]?.split(/\s+/) ?? []
    for (const name of names.filter((one) => isCommandName(one) && (phony.has(one) || !/[./]/.test(one)))) {
      const does = firstRecipeLine(lines, index) || undefined
      if (commands.get(name)?.does === undefined)
        commands.set(name, inWays([`make ${name}`, `gmake ${name}`], path, { does }))
    }
  })
  return [...commands.values()]
}

/**
 * Reads recipes such as `build target='debug':`. A recipe cannot run without its required parameters, so the command
 * names them.
 */
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

const rakeTasks = ({ files, path, text }: Manifest): ReadonlyArray<ProjectCommand> => {
  const isBundled = files.has(`${folderOf(path)}Gemfile`)
  const rakeTasks = text.split(/\r?\n/).flatMap((line): ReadonlyArray<readonly [name: string, rest: string]> => {
    const task = /^(?:multi)?task[ (]+:?["']?([\w:-]+)["']?(.*)/.exec(line)
    if (task !== null) return [[task[1]?.replace(/:$/, "") ?? "", task[2] ?? ""]]
    const tests =
      /^(?:Rake::TestTask|Minitest::TestTask|RSpec::Core::RakeTask|RuboCop::RakeTask)\b(?:.*?[( ]:?["']?([a-z][\w:]*))?/.exec(
        line
      )
    if (tests === null) return []
    return [[tests[1] ?? (line.startsWith("RSpec") ? "spec" : line.startsWith("RuboCop") ? "rubocop" : "test"), ""]]
  })
  return [...new Map(rakeTasks)]
    .filter(([name]) => isCommandName(name))
    .map(([name, rest]) => {
      const runs = isBundled ? [`bundle exec rake ${name}`, `rake ${name}`] : [`rake ${name}`]
      const isTest = name === "default" && /test|spec|unit/.test(rest)
      return inWays(runs, path, isTest ? { kind: "tests" } : {})
    })
}

export const recipeTargets = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const name = fileName(manifest.path).toLowerCase()
  if (/^(?:gnu)?makefile$/.test(name)) return makeTargets(manifest)
  if (/^\.?justfile$/.test(name)) return justRecipes(manifest)
  if (/^taskfile\.ya?ml$/.test(name)) return taskfileTasks(manifest)
  return name === "rakefile" ? rakeTasks(manifest) : []
}
