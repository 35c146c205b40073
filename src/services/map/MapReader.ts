/**
 * Reads the files for the project map and for the choice of checks. Skips links, files outside the project, and files
 * that a rule denies or asks about. All limits are small, because every run begins with this work.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { chooseChecks } from "../../domain/map/ChooseChecks.ts"
import { entryPointsOf, mainFilesOf, manifestsOf, projectCommands } from "../../domain/map/MainFiles.ts"
import {
  folderOf,
  type Manifest,
  type ProjectCommand,
  programOf,
  runnableCommands
} from "../../domain/map/ProjectCommands.ts"
import { mapBudget, mappedFiles, projectMap } from "../../domain/map/ProjectMap.ts"
import { isTestFile } from "../../domain/files/TestFile.ts"
import { importsPytest, isPythonTest, mayNamePytest } from "../../domain/map/PythonCommands.ts"
import { hasImports, importsOf } from "../../domain/files/ImportedFiles.ts"
import { type ChooseChecks, ProjectChecks } from "../checks/Checks.ts"
import { findProgram, isExecutable } from "../commands/ChildRun.ts"
import { type DrawMap, type MayRead, ProjectMap } from "../files/ProjectMap.ts"
import { Workspace } from "../files/Workspace.ts"

/** The maximum number of files and folders that are listed. The map of a larger project is incomplete. */
export const mostMapped = 20_000
const listingTime = Duration.seconds(3)
const manifestBytes = 262_144
const sourceBytes = 131_072
const filesAtOnce = 8

/**
 * The text of a regular project file. Empty for a link, a path through a link, and a file that is denied, binary or too
 * large.
 */
const readOwn = Effect.fnUntraced(function* (file: string, maxBytes: number, mayRead: MayRead) {
  const workspace = yield* Workspace
  const written = path.join(workspace.root, file)
  const found = yield* Effect.orElseSucceed(workspace.canonical(written), () => undefined)
  if (found?.inside !== true || found.path !== written || !(yield* mayRead(written))) return []
  return yield* Effect.match(workspace.readText(written, maxBytes), {
    onFailure: () => [],
    onSuccess: (text) => [{ path: file, text }]
  })
})

const readAll = Effect.fnUntraced(function* (files: ReadonlyArray<string>, maxBytes: number, mayRead: MayRead) {
  const read = yield* Effect.forEach(files, (file) => readOwn(file, maxBytes, mayRead), { concurrency: filesAtOnce })
  return read.flat()
})

/** The maximum number of Python tests that are read to see whether they use pytest. */
const mostPythonTests = 10

/** Lists the project and reads its manifests. Manifests near `near` come first. */
const readManifests = Effect.fnUntraced(function* (mayRead: MayRead, near: ReadonlyArray<string> = []) {
  const workspace = yield* Workspace
  const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(listingTime)
  const listing = yield* workspace.treeWithin({ entries: mostMapped, until })
  const files = mappedFiles(listing.files)
  const all = new Set(files)
  const texts = yield* readAll(manifestsOf(files, near), manifestBytes, mayRead)
  const named = texts.some(({ path, text }) => mayNamePytest(path) && /\bpytest\b/.test(text))
  const tests = named ? [] : files.filter(isPythonTest).slice(0, mostPythonTests)
  const read = yield* readAll(tests, sourceBytes, mayRead)
  const namesPytest = named || read.some(({ text }) => importsPytest(text))
  return { listing, files, manifests: texts.map(({ path, text }) => ({ path, text, files: all, namesPytest })) }
})

/** Says which programs of these commands exist, on the search path or at their path in the project. */
const programsHere = Effect.fnUntraced(function* (commands: ReadonlyArray<ProjectCommand>, searchPath: string) {
  const { root } = yield* Workspace
  const folders = searchPath.split(":")
  const keyOf = (program: string, folder: string) =>
    program.includes("/") ? path.join(root, folder, program) : program
  const programs = new Set(
    commands.flatMap(({ from, prepare = [], run, ways = [{ run }] }) =>
      [...ways, ...prepare.map((before) => ({ run: before }))].map((way) => keyOf(programOf(way), folderOf(from)))
    )
  )
  const installedPrograms = yield* Effect.filter(
    programs,
    (program) =>
      program.includes("/")
        ? isExecutable(program)
        : Effect.map(findProgram(program, folders), (found) => found !== undefined),
    { concurrency: filesAtOnce }
  )
  const here = new Set(installedPrograms)
  return (program: string, folder: string): boolean => here.has(keyOf(program, folder))
})

const commandsHere = Effect.fnUntraced(function* (manifests: ReadonlyArray<Manifest>, searchPath: string) {
  const commands = projectCommands(manifests)
  return runnableCommands(commands, yield* programsHere(commands, searchPath))
})

/**
 * Reads all commands of the project. Each command has a form that can run on this machine if there is one, otherwise
 * its usual form.
 */
export const readCommands = Effect.fn("readCommands")(function* (searchPath: string) {
  const { manifests } = yield* readManifests(() => Effect.succeed(true))
  const commands = projectCommands(manifests)
  const has = yield* programsHere(commands, searchPath)
  return commands.map((command) => runnableCommands([command], has)[0] ?? command)
})

/** Draws the map of the project. Empty if the window is too small or the project cannot be listed. */
export const readProjectMap = Effect.fn("readProjectMap")(
  function* (window: number, mayRead: MayRead, searchPath: string) {
    const budget = mapBudget(window)
    if (budget === 0) return ""
    const { files, listing, manifests } = yield* readManifests(mayRead)
    return projectMap(
      {
        ...listing,
        commands: yield* commandsHere(manifests, searchPath),
        mainFiles: mainFilesOf(
          files,
          manifests.map(({ path }) => path),
          entryPointsOf(files, manifests)
        )
      },
      budget,
      files
    )
  },
  Effect.orElseSucceed(() => "")
)

/** Provides the project map. It shows only commands whose programs are found in `searchPath`. */
export const layerProjectMap = (searchPath: string) =>
  Layer.effect(
    ProjectMap,
    Effect.map(
      Effect.context<FileSystem.FileSystem>(),
      (context): DrawMap =>
        (window, mayRead) =>
          Effect.provideContext(readProjectMap(window, mayRead, searchPath), context)
    )
  )

/** The maximum number of tests that are searched for imports. */
const mostSearched = 400
/** Chooses checks whose programs are found in `searchPath`. Empty if the project cannot be listed. */
export const chooseProjectChecks = Effect.fn("chooseProjectChecks")(
  function* (changed: ReadonlyArray<string>, mayRead: MayRead, searchPath: string) {
    const { files, manifests } = yield* readManifests(mayRead, changed)
    const commands = yield* commandsHere(manifests, searchPath)
    const searched = files.filter((file) => isTestFile(file) && hasImports(file)).slice(0, mostSearched)
    const tests = yield* readAll(searched, sourceBytes, mayRead)
    const imports = tests.map(({ path, text }) => ({ path, imports: importsOf(path, text) }))
    return chooseChecks({ files, commands }, changed, (file) =>
      imports.flatMap((test) => (test.imports(file) ? [test.path] : []))
    )
  },
  Effect.orElseSucceed(() => [])
)

export const layerProjectChecks = (searchPath: string) =>
  Layer.effect(
    ProjectChecks,
    Effect.map(
      Effect.context<FileSystem.FileSystem>(),
      (context): ChooseChecks =>
        (changed, mayRead) =>
          Effect.provideContext(chooseProjectChecks(changed, mayRead, searchPath), context)
    )
  )
