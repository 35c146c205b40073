/**
 * Implements `task-conductor plugins`, which lists and creates packages of tools, and `task-conductor tools`, which
 * lists and describes the tools of tasks.
 */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { PlatformError } from "effect/PlatformError"
import { switchFlag, withHelp } from "../terminal/Flags.ts"
import { type ToolInfo, builtInOrigin } from "../../domain/tools/ToolCall.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printable, printableLines } from "../../domain/text/Printable.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { toolPage } from "../../domain/plugins/ToolPage.ts"
import { toolInstructions } from "../../domain/models/ToolText.ts"
import { runFlags } from "../run/runFlags.ts"
import { Output } from "../terminal/Output.ts"
import { requireStays } from "../terminal/OutputPlace.ts"
import { CommandFailure, exitCodes, usageFailure } from "../terminal/Failure.ts"
import { readCatalogue } from "../../app/layers.ts"
import { isPackageName, type PluginScope } from "../../domain/configuration/Configuration.ts"
import { definedFields } from "../../domain/text/DefinedFields.ts"
import { newPlugin, pluginFolder } from "../../app/templates.ts"
import { version } from "../../app/version.ts"
import { explanationOf } from "../../services/files/FileFailure.ts"
import { makeFolders } from "../../services/files/PrivateFile.ts"
import type { Risk } from "../../domain/tools/Access.ts"
import { type JsonSchema, propertiesOf } from "../../domain/tools/ToolSchema.ts"
import { readSchemaSource } from "../../domain/tools/SchemaSource.ts"
import type { Plugin } from "../../services/tools/Plugin.ts"
import { originOf } from "../../services/tools/PluginLoader.ts"
import { PluginProblem } from "../../services/tools/PluginProblem.ts"
import { isOptional, useOf } from "../../services/tools/PluginSettings.ts"

/** The first line of a tool's description, with the plugin's name. */
const summaryOf = ({ description, origin }: ToolInfo): string => {
  const [first = ""] = description.split("\n", 1)
  return printable(origin === builtInOrigin ? first : `${first} (plugin ${origin})`)
}

const place = { project: runFlags.project, plugin: runFlags.plugin }

/** The tools of a project. An unusable plugin causes a note, or a failure if a flag names it. */
const readTools = Effect.fnUntraced(function* (project: string, plugins: ReadonlyArray<string>) {
  const { problems, tools } = yield* readCatalogue(project, plugins)
  const unusable = problems.find((problem) => "plugin" in problem && plugins.includes(problem.plugin))
  if (unusable !== undefined) return yield* unusable
  const { emit } = yield* Output
  for (const { message } of problems) yield* emit(`note: ${printable(message)}`)
  return tools
})

const listTools = Command.make(
  "list",
  {
    ...place,
    json: switchFlag("json", "Print a JSON array with parameters and examples: task-conductor tools list --json")
  },
  Effect.fn("tools list")(function* ({ json, plugin, project }) {
    const { print, result, resultPaint } = yield* Output
    const tools = yield* readTools(project, plugin)
    if (json) return yield* result(outputJson(tools, 2))
    const width = Math.max(...tools.map((tool) => tool.name.length))
    yield* print(
      tools
        .map((tool) => [resultPaint.bold(tool.name.padEnd(width)), tool.risk.padEnd(6), summaryOf(tool)].join("  "))
        .join("\n")
    )
  })
).pipe(
  withHelp("List the tools with their risk: safe runs, medium asks, high asks with a warning", {
    "task-conductor tools list": "Names, risks, descriptions"
  })
)

const describe = Command.make(
  "describe",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription('The name of a tool, as shown by "tools list": read_file')
    ),
    ...place,
    json: switchFlag("json", "Print one JSON object: task-conductor tools describe read_file --json")
  },
  Effect.fn("tools describe")(function* ({ json, name, plugin, project }) {
    const { print, result } = yield* Output
    const tools = yield* readTools(project, plugin)
    const selected = tools.find((tool) => tool.name === name)
    if (selected === undefined) {
      const near = nearestOrAll(
        name,
        tools.map((tool) => tool.name)
      )
      return yield* usageFailure(`There is no tool ${JSON.stringify(name)}. Use one of: ${near.join(", ")}.`)
    }
    const instructions = toolInstructions([selected])
    if (json) return yield* result(outputJson({ ...selected, instructions }, 2))
    yield* print(printableLines(`${toolPage(selected)}\n\nA model sees:\n\n${instructions}`))
  })
).pipe(
  withHelp("Show all details of a tool: parameters, risk, errors, and the text that a model sees", {
    "task-conductor tools describe read_file": "Show one tool"
  })
)

export const tools = Command.make("tools").pipe(
  withHelp("List and describe the tools that a task can call", {
    "task-conductor tools list --json": "List all details of every tool"
  }),
  Command.withSubcommands([listTools, describe])
)

interface ListedSecret {
  readonly name: string
  readonly purpose: string
  readonly isGiven: boolean
  readonly isOptional?: boolean
}

/** A plugin as `plugins list --json` prints it. */
export interface ListedPlugin {
  /** The plugin's own name, or its name in the configuration if it could not be imported. */
  readonly name: string
  /** The entry in the configuration that names the plugin. Absent for built-in plugins and plugin objects. */
  readonly named?: string
  readonly version?: string
  readonly origin: PluginScope | typeof builtInOrigin
  /** The path of the plugin's module. Absent for a plugin without its own file, such as a built-in one. */
  readonly path?: string
  readonly tools: ReadonlyArray<{ readonly name: string; readonly risk: Risk }>
  /** The secrets that the plugin needs, with their purpose and whether they are set. */
  readonly secrets?: ReadonlyArray<ListedSecret>
  /**
   * The JSON schema of the plugin's configuration, and whether the user has set a configuration. Absent if the plugin
   * needs none.
   */
  readonly configuration?: { readonly schema: JsonSchema; readonly isSet: boolean }
  /** Why the plugin is not used. Absent if it is used. */
  readonly problem?: { readonly code: string; readonly message: string }
}

const problemOf = (code: string, message: string) => ({ problem: { code, message } })

const configurationOf = ({ config, configuration }: Plugin): Pick<ListedPlugin, "configuration"> => {
  const schema = config === undefined ? undefined : Result.getOrUndefined(readSchemaSource(config))
  return schema === undefined ? {} : { configuration: { schema: schema.json, isSet: configuration !== undefined } }
}

/** The secrets of a plugin. The list of problems says how to set a missing secret. */
const secretsOf = ({ secretValues, secrets }: Plugin): Pick<ListedPlugin, "secrets"> => {
  if (typeof secrets !== "object") return {}
  const listed = Object.entries(secrets).map(([name, need]) => {
    const value = secretValues?.get(name)
    const isGiven = value !== undefined && Result.isSuccess(value)
    return definedFields({ name, purpose: useOf(need), isGiven, isOptional: isOptional(need) ? true : undefined })
  })
  return { secrets: listed }
}

const secretLine = ({ isGiven, isOptional: mayLack = false, name, purpose }: ListedSecret): string => {
  const state = isGiven ? "" : mayLack ? " (not given)" : " (missing)"
  return `  secret ${printable(`${name}: ${purpose}`)}${state}`
}

/** The line of a plugin's configuration: `  configuration: limit, table (not set)`. */
const configurationLine = ({ isSet, schema }: NonNullable<ListedPlugin["configuration"]>): string =>
  `  configuration: ${printable([...propertiesOf(schema).keys()].join(", "))}${isSet ? "" : " (not set)"}`

type PluginCatalogue = Pick<Effect.Success<ReturnType<typeof readCatalogue>>, "known" | "found" | "tools" | "problems">

/** All plugins in loading order. The built-in plugins together are one entry. */
export const listPlugins = ({
  found: discovered,
  known: packages,
  problems,
  tools
}: PluginCatalogue): ReadonlyArray<ListedPlugin> => {
  const toolsOf = (origin: string) =>
    tools.filter((tool) => tool.origin === origin).map(({ name, risk }) => ({ name, risk }))
  const ofPackages = packages.map(({ entry, file, outcome, version }): ListedPlugin => {
    const plugin = Result.getOrUndefined(outcome)
    const problem = Result.isFailure(outcome)
      ? outcome.failure
      : problems.find((one) => one instanceof PluginProblem && one.plugin === outcome.success.name)
    return {
      name: plugin?.name ?? entry?.text ?? "",
      ...(entry === undefined ? {} : { named: entry.text }),
      ...(version === undefined ? {} : { version }),
      origin: entry?.scope ?? "given",
      ...(file === undefined ? {} : { path: file }),
      tools: plugin === undefined ? [] : toolsOf(originOf(plugin)),
      ...(plugin === undefined ? {} : { ...configurationOf(plugin), ...secretsOf(plugin) }),
      ...(problem instanceof PluginProblem ? problemOf(problem.code, problem.message) : {})
    }
  })
  const started = discovered.map(({ origin, outcome, scope }): ListedPlugin => ({
    name: origin,
    origin: scope,
    tools: toolsOf(origin),
    ...(Result.isFailure(outcome) ? problemOf(outcome.failure._tag, outcome.failure.message) : {})
  }))
  return [
    { name: builtInOrigin, version, origin: builtInOrigin, tools: toolsOf(builtInOrigin) },
    ...ofPackages,
    ...started
  ]
}

/** Problems that belong to no listed plugin, such as a faulty tool of a server. */
export const unlistedProblems = (catalogue: PluginCatalogue): ReadonlyArray<string> => {
  const listed = new Set(listPlugins(catalogue).map(({ problem }) => problem?.message))
  return catalogue.problems.map(({ message }) => message).filter((message) => !listed.has(message))
}

const lines = (bold: (text: string) => string, width: number) => (plugin: ListedPlugin) => [
  [
    bold(printable(plugin.name)),
    ...(plugin.version === undefined ? [] : [printable(plugin.version)]),
    plugin.origin,
    ...(plugin.named === undefined || plugin.named === plugin.name ? [] : [printable(plugin.named)])
  ].join("  "),
  ...(plugin.problem === undefined ? [] : [`  ${printable(plugin.problem.message)}`]),
  ...(plugin.secrets ?? []).map(secretLine),
  ...(plugin.configuration === undefined ? [] : [configurationLine(plugin.configuration)]),
  ...plugin.tools.map(({ name, risk }) => `  ${name.padEnd(width)}  ${risk}`)
]

const list = Command.make(
  "list",
  {
    ...place,
    json: switchFlag("json", "Print a JSON array: task-conductor plugins list --json")
  },
  Effect.fn("plugins list")(function* ({ json, plugin, project }) {
    const { emit, print, result, resultPaint } = yield* Output
    const catalogue = yield* readCatalogue(project, plugin)
    const plugins = listPlugins(catalogue)
    const notes = [...unlistedProblems(catalogue), ...catalogue.notesOfFound]
    for (const note of notes) yield* emit(`note: ${printable(note)}`)
    if (json) return yield* result(outputJson(plugins, 2))
    const width = Math.max(...plugins.flatMap(({ tools }) => tools.map(({ name }) => name.length)))
    yield* print(plugins.flatMap(lines(resultPaint.bold, width)).join("\n"))
  })
).pipe(
  withHelp("List plugins with their version, source and tools, or the reason why a plugin is not used", {
    "task-conductor plugins list": "List which plugins are loaded and which are not"
  })
)

const unwritable = (folder: string) => (error: PlatformError) =>
  new CommandFailure({
    exitCode: exitCodes.failed,
    text: `${folder} cannot be written. ${explanationOf(error)} Fix that, or go to another folder.`
  })

/** Writes files into a new or empty folder. */
export const writeNewFolder = Effect.fnUntraced(function* (
  below: string,
  folder: string,
  files: Readonly<Record<string, string>>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* requireStays(below, folder)
  const present = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
  if (present.length > 0) {
    return yield* usageFailure(`${folder} exists and is not empty. Nothing was written. Choose another name.`)
  }
  for (const [name, text] of Object.entries(files)) {
    yield* Effect.mapError(makeFolders(path.join(folder, path.dirname(name)), 0o777), unwritable(folder))
    yield* Effect.mapError(fs.writeFileString(path.join(folder, name), text, { flag: "wx" }), unwritable(folder))
  }
})

const create = Command.make(
  "new",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription("The name of the package, with or without a scope: task-conductor-plugin-word-count")
    ),
    typescript: switchFlag("typescript", "Write it in TypeScript: task-conductor plugins new NAME --typescript"),
    json: switchFlag("json", "Print the folder and its files as one JSON object")
  },
  Effect.fn("plugins new")(function* ({ json, name, typescript }) {
    const { emit, result } = yield* Output
    if (!isPackageName(name)) {
      return yield* usageFailure(
        `"${printable(name)}" cannot be the name of an npm package: lower-case letters, digits and hyphens, such as task-conductor-plugin-word-count.`
      )
    }
    const folder = (yield* Path.Path).resolve(pluginFolder(name))
    const files = yield* newPlugin(name, version, typescript ? "typescript" : "javascript")
    yield* writeNewFolder(process.cwd(), folder, files)
    yield* result(json ? outputJson({ folder, files: Object.keys(files) }, 2) : folder)
    yield* emit(
      `made ${Object.keys(files).join(", ")}. Next: cd ${pluginFolder(name)} && npm install && npm test\nIf npm ends with E404, README.md says what to do.`
    )
  })
).pipe(
  withHelp("Create a folder with a new plugin: a tool, its test, and a package.json", {
    "task-conductor plugins new task-conductor-plugin-word-count": "Create a package"
  })
)

export const plugins = Command.make("plugins").pipe(
  withHelp("List plugins, or create one", {
    "task-conductor plugins list": "List which plugins are loaded and which are not"
  }),
  Command.withSubcommands([list, create])
)
