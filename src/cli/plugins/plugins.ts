/**
 * `task-conductor plugins list` and `plugins new NAME`: lists packages of tools, and creates one.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { isPackageName } from "../../domain/configuration/PluginEntry.ts"
import { folderOf, pluginScaffold } from "./pluginScaffold.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printable } from "../../domain/text/Printable.ts"
import { version } from "../../app/version.ts"
import { makeFolders } from "../../services/files/PrivateFile.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import type { ListedPlugin } from "./pluginList.ts"
import { runFlags } from "../run/runFlags.ts"

const lines = (bold: (text: string) => string, width: number) => (plugin: ListedPlugin) => [
  [
    bold(printable(plugin.name)),
    ...(plugin.version === undefined ? [] : [printable(plugin.version)]),
    plugin.origin,
    ...(plugin.named === undefined || plugin.named === plugin.name ? [] : [printable(plugin.named)])
  ].join("  "),
  ...(plugin.problem === undefined ? [] : [`  ${printable(plugin.problem.message)}`]),
  ...plugin.tools.map(({ name, risk }) => `  ${name.padEnd(width)}  ${risk}`)
]

const list = Command.make(
  "list",
  {
    project: runFlags.project,
    plugin: runFlags.plugin,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print a JSON array: task-conductor plugins list --json"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("plugins list")(function* ({ json, plugin, project }) {
    const { print, result, resultPaint, tell } = yield* Output
    const { listPlugins, readCatalogue, unlistedProblems } = yield* Effect.promise(
      () => import("./catalogueHandler.ts")
    )
    const catalogue = yield* readCatalogue(project, plugin)
    const plugins = listPlugins(catalogue)
    const notes = [...unlistedProblems(catalogue), ...catalogue.serverNotes]
    for (const note of notes) yield* tell(`note: ${printable(note)}`)
    if (json) return yield* result(outputJson(plugins, 2))
    const width = Math.max(...plugins.flatMap(({ tools }) => tools.map(({ name }) => name.length)))
    yield* print(plugins.flatMap(lines(resultPaint.bold, width)).join("\n"))
  })
).pipe(
  Command.withDescription("List plugins with their version, source and tools, or the reason why a plugin is not used"),
  Command.withExamples([
    { command: "task-conductor plugins list", description: "List which plugins are loaded and which are not" }
  ])
)

const unwritable = (folder: string) => (error: PlatformError) =>
  usageFailure(
    `The folder ${folder} cannot be made: ${printable(error.message)}. Go to a folder that you may write to.`
  )

/** Writes files into a folder that does not exist yet, or is empty. */
const writeNew = Effect.fnUntraced(function* (folder: string, files: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const present = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
  if (present.length > 0) {
    return yield* usageFailure(`${folder} exists and is not empty, and nothing is overwritten. Choose another name.`)
  }
  yield* Effect.mapError(makeFolders(folder, 0o777), unwritable(folder))
  for (const [name, text] of Object.entries(files)) {
    yield* Effect.mapError(fs.writeFileString(path.join(folder, name), text, { flag: "wx" }), unwritable(folder))
  }
})

const create = Command.make(
  "new",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription("The name of the package, with or without a scope: task-conductor-plugin-word-count")
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print the folder and its files as one JSON object"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("plugins new")(function* ({ json, name }) {
    const { result, tell } = yield* Output
    if (!isPackageName(name)) {
      return yield* usageFailure(
        `"${printable(name)}" cannot be the name of an npm package: lower-case letters, digits and hyphens, such as task-conductor-plugin-word-count.`
      )
    }
    const folder = (yield* Path.Path).resolve(folderOf(name))
    const files = pluginScaffold(name, version)
    yield* writeNew(folder, files)
    yield* result(json ? outputJson({ folder, files: Object.keys(files) }, 2) : folder)
    yield* tell(
      `made ${Object.keys(files).join(", ")}. Next: cd ${folderOf(name)} && npm install && npm test\nIf npm ends with E404, README.md says what to do.`
    )
  })
).pipe(
  Command.withDescription("Create a folder with a new plugin: a tool, its test, and a package.json"),
  Command.withExamples([
    { command: "task-conductor plugins new task-conductor-plugin-word-count", description: "Create a package" }
  ])
)

/** The command. */
export const plugins = Command.make("plugins").pipe(
  Command.withDescription("List plugins, or create one"),
  Command.withExamples([
    { command: "task-conductor plugins list", description: "List which plugins are loaded and which are not" }
  ]),
  Command.withSubcommands([list, create])
)
