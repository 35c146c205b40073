/**
 * Chooses the project's commands that check a change: the type check, then the narrowest tests. Names and imports show
 * which tests belong to a file.
 */
import type { CommandLine } from "../commands/CommandText.ts"
import type { CheckCommand } from "../checks/CheckOutcome.ts"
import { splitCommand } from "../commands/CommandSplit.ts"
import { fileName } from "../files/PathList.ts"
import { folderOf, type ProjectCommand } from "./ProjectCommands.ts"
import { targetWords } from "./NarrowCommand.ts"
import { isTestFile } from "../files/TestFile.ts"
import { testsOfName } from "./TestFiles.ts"

export interface KnownProject {
  /** Paths relative to the project. */
  readonly files: ReadonlyArray<string>
  readonly commands: ReadonlyArray<ProjectCommand>
}

const endingOf = (path: string): string => /\.([A-Za-z0-9]+)$/.exec(fileName(path))?.[1]?.toLowerCase() ?? ""

const script = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro"]

/** Manifests whose commands check only files with these extensions. Commands of other manifests may check any file. */
const specific: ReadonlyArray<readonly [manifest: RegExp, endings: ReadonlyArray<string>]> = [
  [/^(?:package\.json|deno\.jsonc?)$/, script],
  [/^(?:pyproject\.toml|setup\.(?:cfg|py)|.*\.ini|noxfile\.py|manage\.py|requirements.*\.txt)$/, ["py", "pyi"]],
  [/^Cargo\.toml$/, ["rs"]],
  [/^go\.(?:mod|work)$/, ["go"]],
  [/^(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|build\.sbt)$/, ["java", "kt", "kts", "groovy", "scala"]],
  [/^mix\.exs$/, ["ex", "exs"]],
  [/^Package\.swift$/, ["swift"]],
  [/^(?:\.rspec|[Rr]akefile|Gemfile)$/, ["rb", "rake"]],
  [/^composer\.json$/, ["php"]],
  [/^pubspec\.yaml$/, ["dart"]]
]

/** Extensions of prose, which no command checks. */
const prose: ReadonlySet<string> = new Set(["md", "markdown", "txt", "rst", "adoc"])

const endingsOf = (manifest: string): ReadonlyArray<string> | undefined =>
  specific.find(([pattern]) => pattern.test(fileName(manifest)))?.[1]

/** Names of tests that need more than the project, or that measure something. They are chosen last. */
const wider = /e2e|integration|browser|cover|bench|perf|smoke|snapshot/i

/** True for a type check or a test that needs no other command before it. */
const isCheck = ({ kind, prepare = [] }: ProjectCommand): boolean =>
  prepare.length === 0 && (kind === "types" || kind === "tests")

/**
 * The commands that check a file: those for its language, or else those for any language, or else all commands. Of each
 * kind, only commands of the nearest manifest count.
 */
const commandsFor = (path: string, commands: ReadonlyArray<ProjectCommand>): ReadonlyArray<ProjectCommand> => {
  const around = commands.filter((command) => isCheck(command) && path.startsWith(folderOf(command.from)))
  const ending = endingOf(path)
  const isSource = specific.some(([, endings]) => endings.includes(ending))
  const groups = [
    around.filter(({ from }) => endingsOf(from)?.includes(ending) === true),
    around.filter(({ from }) => endingsOf(from) === undefined),
    isSource ? [] : around
  ]
  const group = groups.find((some) => some.length > 0) ?? []
  return (["types", "tests"] as const).flatMap((kind) => {
    const same = group.filter((command) => command.kind === kind)
    const depth = Math.max(...same.map(({ from }) => folderOf(from).length))
    return same.filter(({ from }) => folderOf(from).length === depth)
  })
}

/** The maximum number of targets of a narrowed command. With more, the whole command runs. */
const mostTargets = 30

/** True for a path that no program takes for an option. */
const isPlainArgument = (path: string): boolean => /^[\w.][\w./ +,()[\]@-]*$/.test(path)

const startsWith = (words: ReadonlyArray<string>, begin: ReadonlyArray<string>): boolean =>
  begin.every((word, index) => words[index] === word)

const checkOf = (
  argv: CommandLine,
  { kind, ...more }: Pick<CheckCommand, "kind" | "whole" | "isGuess">,
  folder: string
): CheckCommand => ({ argv, ...(folder === "" ? {} : { cwd: folder.slice(0, -1) }), kind, ...more })

interface Change {
  readonly project: KnownProject
  readonly changed: ReadonlyArray<string>
  readonly testsOf: (path: string) => ReadonlyArray<string>
}

/**
 * The tests of all changed files. Undefined if a changed file has no tests, because in this case all tests must run.
 */
const testFiles = ({ changed, project, testsOf }: Change): ReadonlyArray<string> | undefined => {
  const there = new Set(project.files)
  const perFile = changed.map((path) => (isTestFile(path) ? [path] : testsOf(path)).filter((test) => there.has(test)))
  return perFile.some((tests) => tests.length === 0) ? undefined : [...new Set(perFile.flat())]
}

/**
 * The nearest folder with a file of this name. The search begins at the folder of `file` and ends at `top`. Undefined
 * if no folder has such a file.
 */
const folderWith = (name: string, file: string, top: string, files: ReadonlyArray<string>): string | undefined => {
  for (let folder = folderOf(file); folder.length > top.length; folder = folderOf(folder.slice(0, -1))) {
    if (files.includes(`${folder}${name}`)) return folder
  }
  return files.includes(`${top}${name}`) ? top : undefined
}

/** The targets of each narrowed command, relative to the folder of the command. Empty if the whole command must run. */
const targetsOf = ({ from, narrow }: ProjectCommand, change: Change): ReadonlyArray<ReadonlyArray<string>> => {
  const { changed, project } = change
  const relative = (path: string) => path.slice(folderOf(from).length)
  switch (narrow?.of) {
    case "files":
      return [testFiles(change)?.map(relative) ?? []]
    case "file":
      return testFiles(change)?.map((path) => [relative(path)]) ?? []
    case "folders":
      return changed.every((path) => path.endsWith(".go"))
        ? [[...new Set(changed.map((path) => `./${folderOf(relative(path))}`.replace(/(?<=.)\/$/, "")))]]
        : []
    case "manifest": {
      const folders = changed.map((path) => folderWith(fileName(from), path, folderOf(from), project.files))
      return [...new Set(folders)].map((one) => (one === undefined ? [] : [relative(`${one}${fileName(from)}`)]))
    }
    case "classes":
      return [testFiles(change)?.map((path) => fileName(path).replace(/\.\w+$/, "")) ?? []]
    default:
      return []
  }
}

/** The commands that run only the tests of this change, or the whole command if it cannot be narrowed. */
const testChecks = (command: ProjectCommand, change: Change): ReadonlyArray<CheckCommand> => {
  const folder = folderOf(command.from)
  const words = splitCommand(command.run)
  if (typeof words === "string") return []
  const each = targetsOf(command, change)
  const count = each.flat().length
  const isPlain =
    count > 0 && count <= mostTargets && each.every((some) => some.length > 0 && some.every(isPlainArgument))
  const { narrow } = command
  if (narrow === undefined || !isPlain) return [checkOf(words, { kind: "tests" }, folder)]
  const { argv, names } = narrow
  /**
   * A permission for `npm test` also covers a narrowed command that begins with these words. A narrowed command that
   * begins in another way needs its own permission.
   */
  const whole = startsWith(words, argv) || startsWith(argv, words) ? words : argv
  const hasNewTests = change.changed.some(isTestFile)
  const naming = (targets: ReadonlyArray<string>): ReadonlyArray<string> =>
    names !== undefined && hasNewTests && (names.ofSeveral !== true || targets.length > 1) ? names.argv : []
  return each.map((targets) => {
    const part = [...naming(targets), ...targetWords(narrow, targets)]
    return checkOf([...argv, ...part], { kind: "tests", whole }, folder)
  })
}

const typeCheck = (commands: ReadonlyArray<ProjectCommand>, folder: string, { changed, project }: Change) => {
  const named = commands.find(({ kind }) => kind === "types")
  const words = named === undefined ? "" : splitCommand(named.run)
  if (typeof words !== "string") return [checkOf(words, { kind: "types" }, folder)]
  const hasTypes = changed.some((path) => /\.[cm]?tsx?$/.test(path)) && project.files.includes(`${folder}tsconfig.json`)
  const usual: CommandLine = ["node_modules/.bin/tsc", "--noEmit", "-p", "tsconfig.json"]
  return hasTypes ? [checkOf(usual, { kind: "types", isGuess: true }, folder)] : []
}

/** True for a make target without a recipe, which only builds its prerequisites. */
const onlyBuilds = ({ does, from }: ProjectCommand): boolean => does === undefined && /makefile$/i.test(from)

/** True for a wrapper script, which may have to download its program first. */
const isWrapper = ({ run }: ProjectCommand): boolean => /^\.\/(?:gradlew|mvnw) /.test(run)

const rankOf = (command: ProjectCommand): number =>
  (isWrapper(command) ? 0.5 : 0) +
  (wider.test(command.run) ? 4 : 0) +
  (command.narrow === undefined ? 2 : 0) +
  (/\btests?$/.test(command.run) && !onlyBuilds(command) ? 0 : 1)

/** The most useful test command. Commands that can be narrowed come first. */
const bestTests = (commands: ReadonlyArray<ProjectCommand>): ProjectCommand | undefined =>
  commands.filter(({ kind }) => kind === "tests").toSorted((a, b) => rankOf(a) - rankOf(b))[0]

/** The checks for changed files, type checks first. `importers` returns the tests that import a file. */
export const chooseChecks = (
  project: KnownProject,
  changed: ReadonlyArray<string>,
  importers: (path: string) => ReadonlyArray<string> = () => []
): ReadonlyArray<CheckCommand> => {
  const groups = Map.groupBy(
    changed.filter((one) => !prose.has(endingOf(one))),
    (path) =>
      commandsFor(path, project.commands)
        .map(({ from, run }) => `${from} ${run}`)
        .join("\n")
  )
  const tests = project.files.filter(isTestFile)
  const testsOf = (path: string) => [...new Set([...testsOfName(path, tests), ...importers(path)])]
  const all: Array<CheckCommand> = []
  for (const files of groups.values()) {
    const commands = commandsFor(files[0] ?? "", project.commands)
    const change = { project, changed: files, testsOf }
    const tested = bestTests(commands)
    if (commands[0] !== undefined) all.push(...typeCheck(commands, folderOf(commands[0].from), change))
    if (tested !== undefined) all.push(...testChecks(tested, change))
  }
  const once = new Map(all.map((check) => [JSON.stringify([check.argv, check.cwd]), check]))
  const order: ReadonlyArray<CheckCommand["kind"]> = ["types", "tests"]
  return order.flatMap((kind) => [...once.values()].filter((check) => check.kind === kind))
}
