/**
 * The narrowest commands for what changed: of the package that is nearest to a changed file, for the tests that belong to it.
 */
import type { CommandLine } from "../commands/CommandText.ts"
import type { CommandKind } from "./CommandKind.ts"
import { byUse, folderOf, nameOf, type ProjectCommand } from "./ProjectCommands.ts"

/**
 * The commands of a kind in the package that is nearest to a file: the deepest folder around it with a command of this
 * kind, the most useful first. None when there is no such folder.
 */
export const commandsNear = (
  commands: ReadonlyArray<ProjectCommand>,
  kind: CommandKind,
  file: string
): ReadonlyArray<ProjectCommand> => {
  const around = commands.filter((command) => command.kind === kind && file.startsWith(folderOf(command.from)))
  const deepest = Math.max(...around.map(({ from }) => folderOf(from).length))
  return byUse(around.filter(({ from }) => folderOf(from).length === deepest))
}

const testName =
  /^(?:test[_-](?<after>.+)|(?<before>.+?)(?:[._-](?:test|tests|spec|specs)|(?<=[a-z\d])(?:Test|Tests|Spec|IT)))$/

const stemOf = (path: string): string => nameOf(path).replace(/\.[^.]+$/, "")

/** What a file tests, by its name; nothing when its name says that it is no test. */
const subjectOf = (path: string): string | undefined => {
  const stem = stemOf(path)
  const { after, before } = testName.exec(stem)?.groups ?? {}
  if (after !== undefined || before !== undefined) return after ?? before
  return /(?:^|\/)(?:__tests__|tests?|specs?)\//.test(path) ? stem : undefined
}

/** Endings of one language, which test each other. */
const families: ReadonlyArray<RegExp> = [
  /^[cm]?[jt]sx?$|^vue$|^svelte$/,
  /^pyi?$/,
  /^(?:java|kt|scala|groovy)$/,
  /^exs?$/
]

const familyOf = (path: string): string => {
  const ending = path.slice(path.lastIndexOf(".") + 1)
  const family = families.findIndex((pattern) => pattern.test(ending))
  return family === -1 ? ending : `${family}`
}

/** How many folders two files have in common, wherever they stand. */
const nearness = (one: string, other: string): number => {
  const folders = new Set(folderOf(one).split("/"))
  return folderOf(other)
    .split("/")
    .filter((folder) => folder !== "" && folders.has(folder)).length
}

/** The test files that belong to a file by their names: itself when it is one, else those in the folders most like its own. */
export const testsOf = (file: string, files: Iterable<string>): ReadonlyArray<string> => {
  if (subjectOf(file) !== undefined && familyOf(file) !== "") return [file]
  const family = familyOf(file)
  const subject = stemOf(file)
  const found = [...files].filter((path) => subjectOf(path) === subject && familyOf(path) === family)
  const best = Math.max(...found.map((path) => nearness(path, file)))
  return found.filter((path) => nearness(path, file) === best)
}

/** The nearest folder around a file, down to `from`, that holds a file of this name, with `/` at its end. */
const folderWith = (name: string, file: string, from: string, files: ReadonlySet<string>): string | undefined => {
  for (let folder = folderOf(file); folder.startsWith(from); folder = folderOf(folder.slice(0, -1))) {
    if (files.has(`${folder}${name}`)) return folder
    if (folder === "") break
  }
  return undefined
}

/**
 * A command for only what changed, as words, to be run in the folder of its manifest: nothing when it is not known how
 * to narrow it, or when some changed file has no part of its own, so that the whole command has to run.
 */
export const narrowedCommands = (
  { from, narrow }: ProjectCommand,
  changed: ReadonlyArray<string>,
  files: ReadonlySet<string>
): ReadonlyArray<CommandLine> => {
  if (narrow === undefined) return []
  const folder = folderOf(from)
  const targetsOf = (file: string): ReadonlyArray<string> => {
    if (!file.startsWith(folder)) return []
    switch (narrow.of) {
      case "files":
      case "file":
        return testsOf(file, files)
          .filter((path) => path.startsWith(folder))
          .map((path) => path.slice(folder.length))
      case "folders":
        return file.endsWith(".go") ? [`./${folderOf(file).slice(folder.length)}`.replace(/(?<=.)\/$/, "")] : []
      case "manifest": {
        const nearest = folderWith(nameOf(from), file, folder, files)
        return nearest === undefined ? [] : [`${nearest}${nameOf(from)}`.slice(folder.length)]
      }
      default:
        return narrow.of satisfies never
    }
  }
  const each = changed.map(targetsOf)
  if (each.length === 0 || each.some((targets) => targets.length === 0)) return []
  const targets = [...new Set(each.flat())]
  const together = narrow.of === "files" || narrow.of === "folders"
  const commandFor = (some: ReadonlyArray<string>): CommandLine => [...narrow.argv, ...some]
  return together ? [commandFor(targets)] : targets.map((target) => commandFor([target]))
}
