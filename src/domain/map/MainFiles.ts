/**
 * Finds the most informative files of a project by name: introductions, the changelog, manifests, and entry points. A package.json
 * also names its entry points.
 */
import { isChangelog } from "../excerpts/SearchRank.ts"
import { languageOf } from "../files/Language.ts"
import { compareCodePoints } from "../text/CodePointOrder.ts"
import { fileName } from "../files/PathList.ts"
import { commandKind } from "./CommandKind.ts"
import { isAuxiliary } from "./FolderOutline.ts"
import {
  folderOf,
  jsonScripts,
  type Manifest,
  packageEntries,
  type ProjectCommand,
  recipeTargets
} from "./ProjectCommands.ts"
import { isRequirements, pythonCommands } from "./PythonCommands.ts"
import { isSolution, usualCommands, usualManifests } from "./UsualCommands.ts"

const mostManifests = 30
/** A deeper manifest usually belongs to an example or a fixture, and does not count. */
const deepestManifest = 3

const otherManifests = `
  package.json composer.json deno.json deno.jsonc makefile gnumakefile justfile .justfile taskfile.yml taskfile.yaml
  rakefile pyproject.toml setup.cfg tox.ini pytest.ini mypy.ini .mypy.ini ruff.toml .ruff.toml .flake8 noxfile.py
  manage.py setup.py pipfile pyrightconfig.json
`
/** The map names at most this many entry points, and at most `mostPartManifests` manifests of parts of the project. */
const mostEntryPoints = 12
const mostPartManifests = 6

const manifestNames: ReadonlySet<string> = new Set(
  [...otherManifests.trim().split(/\s+/), ...usualManifests].map((name) => name.toLowerCase())
)

const depthOf = (path: string): number => path.split("/").length - 1

const byDepth = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.toSorted((a, b) => depthOf(a) - depthOf(b) || compareCodePoints(a, b))

const isManifest = (path: string): boolean =>
  manifestNames.has(fileName(path).toLowerCase()) || isSolution(path) || isRequirements(path)

/**
 * The manifests to read. Manifests in folders around the `near` files come first, the nearest first. Manifests near the
 * top follow.
 */
export const manifestsOf = (files: ReadonlyArray<string>, near: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const manifests = files.filter(isManifest)
  const around = manifests.filter((path) => near.some((one) => one.startsWith(folderOf(path))))
  const usual = manifests.filter((path) => depthOf(path) <= deepestManifest && !isAuxiliary(path))
  return [...new Set([...byDepth(around).toReversed(), ...byDepth(usual)])].slice(0, mostManifests)
}

/** The commands that a manifest names or implies, in order, with their kind if known. */
const commandsOf = (manifest: Manifest): ReadonlyArray<ProjectCommand> =>
  [...jsonScripts(manifest), ...recipeTargets(manifest), ...pythonCommands(manifest), ...usualCommands(manifest)].map(
    (command) => Object.assign({}, command, { kind: command.kind ?? commandKind(command.run, command.does) })
  )

/** The commands of all manifests. Of equal commands in a folder, the first counts. */
export const projectCommands = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<ProjectCommand> => {
  const commands = new Map<string, ProjectCommand>()
  for (const command of manifests.flatMap(commandsOf)) {
    const key = `${folderOf(command.from)}\0${command.run}`
    if (!commands.has(key)) commands.set(key, command)
  }
  const all = [...commands.values()]
  const withPytest = new Set(all.filter(({ run }) => run.endsWith("-m pytest")).map(({ from }) => folderOf(from)))
  return all.filter(({ from, run }) => !/ -m unittest\b/.test(run) || !withPytest.has(folderOf(from)))
}

const introductions = /^(?:readme|agents|contributing|architecture)(?:\.(?:md|rst|txt|adoc))?$/i
const entryNames = /^(?:main|index|mod|lib|app|cli|server|manage|__main__|__init__|program)\.[a-z]+$/i
const entryFolders = /^(?:(?:packages|crates|apps|libs|modules)\/[^/]+\/)?(?:(?:src|lib|app|source)\/|cmd\/[^/]+\/)?$/
const data: ReadonlySet<string> = new Set(["", "markdown", "json", "yaml", "toml", "text", "html", "css", "ini"])

const isCode = (path: string): boolean => !data.has(languageOf(path))

/** True for an entry point by name and folder. `parts` are the folders with a manifest. */
const isUsualEntry = (path: string, parts: ReadonlySet<string>): boolean => {
  const folder = folderOf(path)
  const isUsualFolder =
    entryFolders.test(folder) || parts.has(folder) || parts.has(folder.replace(/(?:src|lib|app)\/$/, ""))
  return isUsualFolder && entryNames.test(fileName(path)) && isCode(path)
}

/**
 * True for the first file of a Python package, `__init__.py` or `__main__.py`, one level below the top or below src.
 */
const isPythonPackage = (path: string): boolean =>
  /^(?:src\/)?[^/]+\/__(?:init|main)__\.py$/.test(path) && !isAuxiliary(path)

/** The entry points of the project: first those that a package.json names, then files with conventional names. */
export const entryPointsOf = (
  files: ReadonlyArray<string>,
  manifests: ReadonlyArray<Manifest>
): ReadonlyArray<string> => {
  const all = new Set(files)
  const named = manifests
    .filter(({ path }) => fileName(path) === "package.json")
    .flatMap(({ path, text }) => packageEntries(text).map((entry) => `${folderOf(path)}${entry}`))
    .filter((path) => all.has(path) && isCode(path))
  const parts = new Set(manifests.map(({ path }) => folderOf(path)))
  const usual = files.filter((path) => isUsualEntry(path, parts) || isPythonPackage(path))
  return [...new Set([...named, ...byDepth(usual)])]
}

/** The main files in order: introductions and the changelog, manifests of the project, entry points, and manifests of its parts. */
export const mainFilesOf = (
  files: ReadonlyArray<string>,
  manifests: ReadonlyArray<string>,
  entryPoints: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const atTop = files.filter((path) => depthOf(path) === 0)
  const introducing = [...atTop.filter((path) => introductions.test(path)), ...atTop.filter(isChangelog)]
  const own = manifests.filter((path) => depthOf(path) === 0)
  const ofParts = manifests.filter((path) => depthOf(path) > 0).slice(0, mostPartManifests)
  return [...new Set([...introducing, ...own, ...entryPoints.slice(0, mostEntryPoints), ...ofParts])]
}
