/**
 * Defines task-conductor.json: its schema, its reader, and its JSON schema for editors. A project's file may set fewer
 * keys than the user's.
 */
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import { environmentNameProblem, SandboxSettings } from "../commands/CommandSettings.ts"
import { CheckLine } from "./CheckLine.ts"
import { CommandTool } from "../tools/CommandTool.ts"
import { GivenLimits, Limits, mergeLimits, stageLimitNames, toolLimitNames } from "./Limits.ts"
import {
  generatingStages,
  mergeGeneration,
  ModelToolCalls,
  Sampling,
  StageGeneration,
  StageGenerations,
  Think,
  ToolCalls
} from "../models/Generation.ts"
import { McpServerEntry, entryKeys, ownEntry } from "./McpServerEntry.ts"
import { SecretSource } from "./SecretSource.ts"
import { parseRule } from "../permissions/Permission.ts"
import { type JsonProblem, readJson } from "../text/JsonText.ts"
import { nearest } from "../text/Nearest.ts"
import { pathText, schemaProblems } from "../text/SchemaText.ts"

const count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

/** The runs that a worker keeps in the database of a cluster. */
export const RunsKept = Schema.Struct({
  days: Schema.optionalKey(count(1_000_000).annotate({ description: "Runs that began in the last days." })),
  newest: Schema.optionalKey(count(1_000_000).annotate({ description: "This many runs, the newest ones." }))
})
export type RunsKept = typeof RunsKept.Type

/** Where a plugin is named: in the user's configuration, in the project's, or in a flag or option of this run. */
export const PluginScope = Schema.Literals(["user", "project", "given"])
export type PluginScope = typeof PluginScope.Type

/** A plugin as a configuration names it: an npm package, or a path. */
export interface PluginEntry {
  readonly text: string
  readonly scope: PluginScope
  /**
   * The absolute folder to which relative paths belong. Packages are searched in this folder and in the folders above.
   */
  readonly folder: string
  /** The plugin's configuration; absent if there is none. */
  readonly configuration?: GivenConfiguration
}

/** The configuration of a plugin as a file or a script contains it. */
export interface GivenConfiguration {
  readonly value: PluginConfig
  /** The origin of the value, such as the path of a file. */
  readonly source: string
  /** The keys that lead to the value. */
  readonly path: ReadonlyArray<PropertyKey>
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/
const localPath = /^(?:\.{1,2}[\\/]|\/|[a-zA-Z]:[\\/])/
const maxNameLength = 214

/** True for a valid npm package name, with or without a scope. */
export const isPackageName = (text: string): boolean => packageName.test(text) && text.length <= maxNameLength

/** The name of a package, or a path. A relative path begins with "./" or "../". */
export const PluginText = Schema.String.check(
  Schema.makeFilter((text: string) =>
    isPackageName(text) || localPath.test(text)
      ? true
      : `"${text}" is not the name of a plugin. Write the name of an npm package, or a path that begins with "./".`
  )
)

const PluginConfig = Schema.Record(Schema.String, Schema.Json)
export type PluginConfig = typeof PluginConfig.Type

/** A plugin's name or path, alone or with its configuration, as in `["name", { ... }]`. */
const PluginSetting = Schema.Union([PluginText, Schema.Tuple([PluginText, PluginConfig])])
export type PluginSetting = typeof PluginSetting.Type

/** Splits a setting into the plugin's name or path and its configuration. */
export const partsOfPlugin = (setting: PluginSetting): { readonly text: string; readonly config?: PluginConfig } =>
  typeof setting === "string" ? { text: setting } : { text: setting[0], config: setting[1] }

const key = <A>(schema: Schema.Codec<A>, description: string) => Schema.optionalKey(schema.annotate({ description }))

/** A rule in a configuration: a tool, or a tool with a pattern for its targets (`TOOL[:PATTERN]`). */
const RuleLine = Schema.String.check(
  Schema.makeFilter((text: string) =>
    Result.match(parseRule("ask", text), { onSuccess: () => true, onFailure: (what) => what })
  )
)

const EnvironmentName = Schema.String.check(Schema.makeFilter((name: string) => environmentNameProblem(name) ?? true))

const HostPort = Schema.String.check(
  Schema.isPattern(/^[^\s/:]+:\d{1,5}$/, { expected: 'a host with its port, such as "localhost:8080"' })
)

/** Commands that run at certain moments. The key names the moment. */
const Hooks = Schema.Struct({
  "before-change": key(
    Schema.Array(CheckLine),
    "Before a file is changed. A command that fails stops the change; its output is the reason."
  ),
  "after-change": key(Schema.Array(CheckLine), "After a file was changed."),
  "run-end": key(Schema.Array(CheckLine), "After a run or a conversation has ended.")
})

/** A duration as Ollama writes it, such as "30m". A negative duration means for ever. */
export const keepAlivePattern = /^-?\d+(ms|s|m|h)$/

const KeepAlive = Schema.String.check(Schema.isPattern(keepAlivePattern, { expected: 'a time such as "30m" or "2h"' }))

/**
 * The addresses of model servers, which environment variables can also set. `note` is added to the variable's
 * description.
 */
export const serverAddresses = {
  host: {
    what: "The address of the Ollama server.",
    variable: "OLLAMA_HOST",
    note: ", in every form that Ollama accepts"
  },
  openaiBaseUrl: {
    what: "The base address of the server for models `openai:NAME`, which speaks the API of OpenAI. Default: `http://127.0.0.1:8080/v1`.",
    variable: "OPENAI_BASE_URL",
    note: ""
  }
} as const
export const addressKeys = Struct.keys(serverAddresses)

/** All settings of a configuration file. */
export const Configuration = Schema.Struct({
  $schema: key(Schema.String, "The location of the schema of this file, for editors."),
  model: key(
    Schema.NonEmptyString,
    'The name of a model on the Ollama server, `openai:NAME` for a model of another server, or "embedded", the built-in demo, which only searches and quotes. Flag: --model.'
  ),
  ...Record.map(serverAddresses, ({ variable, what }) =>
    key(Schema.NonEmptyString, `${what} Environment: ${variable}.`)
  ),
  contextWindow: key(
    count(10_000_000),
    "The size of the context window in tokens. It applies to all models of a run, and is lowered to what the model supports. Default: `num_ctx` of the Modelfile, else the size with which the server has loaded the model if that is more than 8192, else 8192. Flag: --context-window."
  ),
  parallel: key(
    count(64),
    "How many model calls the server processes in parallel. Default: what a server of llama.cpp says, else 2. Environment: OLLAMA_NUM_PARALLEL. Flag: --parallel."
  ),
  plans: key(
    Schema.Literals([1, 2]),
    "How many plans the model writes in parallel; task-conductor takes the best one. Default: 2 where a server of llama.cpp says that it has several slots, each with a window of its own, else 1."
  ),
  limits: key(GivenLimits, "Limits of runs and conversations."),
  referenceBudget: key(
    count(1_000_000_000),
    "The maximum number of characters that the references of one task may resolve to."
  ),
  allow: key(Schema.Array(RuleLine), "Tool calls that run without a question. Flag: --allow."),
  deny: key(Schema.Array(RuleLine), "Tool calls that are always denied. Flag: --deny."),
  bell: key(Schema.Boolean, "Whether the terminal rings when a question appears. Default: true."),
  notice: key(
    Schema.Literals(["off", "bell", "osc9", "osc777"]),
    "How the terminal tells you that a run or an answer has ended: `bell` rings; `osc9` (iTerm2, WezTerm, kitty, Windows Terminal) and `osc777` (foot, Ghostty, rxvt) show a notice on the desktop, also when a question appears. Default: off."
  ),
  hooks: key(
    Hooks,
    "Commands that run in the sandbox at certain events, and read the event on stdin as JSON. Commands of a project run once you have trusted them and the files that they run."
  ),
  keepAlive: key(
    KeepAlive,
    'How long an Ollama server keeps the model loaded after a call, such as "2h"; "-1s" is for ever. Default: "30m". Flag: --keep-alive.'
  ),
  think: key(
    Think,
    "Whether, or how much, the model thinks before it answers. Default: the model decides. Flag: --think."
  ),
  toolCalls: key(
    ToolCalls,
    "How the model calls tools: `text` in its answers, which every model can, or `native` through the interface of its server. Default: text. Flag: --tool-calls."
  ),
  modelToolCalls: key(
    ModelToolCalls,
    'The same for single models, by their names: `{ "qwen3:8b": "native" }`. `toolCalls` and `stages` come before it. `models bench --keep` writes it.'
  ),
  sampling: key(
    Sampling,
    "Sampling parameters. The Modelfile sets absent ones. Without a temperature there it is 0.2, except for calls in which the model thinks. Flags: --temperature, --seed."
  ),
  stages: key(
    StageGenerations,
    "`model`, `think`, `sampling` and `toolCalls` of single stages: `plan`, `task`, `iterate`, `conclude`, `ask`. Flag for models: --stage-model."
  ),
  fetchAllow: key(Schema.Array(HostPort), "Private addresses that may be fetched, each as host:port."),
  plugins: key(
    Schema.Array(PluginSetting),
    'Packages of tools by name, or paths that begin with `./`. Settings of a plugin follow its name: `["NAME", { ... }]`. Plugins that a project names are loaded once you have trusted them. Flag: --plugin.'
  ),
  tools: key(
    Schema.Record(Schema.String, CommandTool),
    "Commands that a task can call as tools, by name. Tools of a project take effect once you have trusted them."
  ),
  secrets: key(
    Schema.Record(Schema.String, SecretSource),
    "Where secrets of plugins are, by their names. A secret that is not named here is read from the environment variable of its name."
  ),
  checks: key(
    Schema.Union([Schema.Literal(false), Schema.Array(CheckLine)]),
    "Commands that task-conductor runs after changes, each as one line or as a list of words; `false` for none. Default: the type check and the tests that the project names. task-conductor asks once before it runs those of a project. Flags: --check, --no-check."
  ),
  lookBack: key(
    Schema.Boolean,
    "Whether the program asks once for a missing test, if a task changed source code and its checks pass. It costs one call of the model. Default: true."
  ),
  askFirst: key(
    Schema.Boolean,
    "Whether task-conductor asks about each change and makes it before the checks run. Otherwise it asks about all changes of a step after the checks have passed. Default: false. Flag: --ask-first."
  ),
  sandbox: key(SandboxSettings, "The sandbox in which commands run."),
  commandEnvironment: key(
    Schema.Array(EnvironmentName),
    "Additional environment variables for commands. Names that look like secrets, or that make programs run other code, are rejected."
  ),
  mcpServers: key(Schema.Record(Schema.String, McpServerEntry), "MCP servers, by name."),
  saveConversations: key(
    Schema.Boolean,
    "Whether `ask` saves conversations in your state folder, so that --continue can continue them. Default: true. Flag: --no-save."
  ),
  keepClusterRuns: key(
    RunsKept,
    "Which ended runs this worker keeps in the database: once an hour it removes those that began more than `days` days ago, and all but the `newest`. Default: all are kept."
  )
})
export type Configuration = typeof Configuration.Type

/** The keys that only the user configuration and the command line may set. */
export const personalKeys = [
  ...addressKeys,
  "allow",
  "fetchAllow",
  "bell",
  "notice",
  "keepAlive",
  "think",
  "toolCalls",
  "modelToolCalls",
  "sampling",
  "stages",
  "mcpServers",
  "sandbox",
  "commandEnvironment",
  "secrets",
  "keepClusterRuns"
] as const

/** The settings that a project may set: none sends prompts to another server or extends permissions. */
const ProjectConfiguration = Configuration.mapFields(Struct.omit(personalKeys))
type ProjectConfiguration = typeof ProjectConfiguration.Type

/** The JSON schema of the file for editors, published as schema/task-conductor.schema.json. */
export const configurationJsonSchema = (): Schema.Json => {
  const document = Schema.toJsonSchemaDocument(Configuration, { onExcessProperty: "error" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "task-conductor.json",
    description: `Settings of task-conductor. A project's file must not contain ${personalKeys.join(", ")}.`,
    ...(document.schema as Record<string, Schema.Json>)
  }
}

/** Merges two configurations; `overrides` takes precedence. Limits are merged key by key, and lists are joined. */
export const mergeConfigurations = (base: Configuration, overrides: Configuration): Configuration => ({
  ...base,
  ...overrides,
  ...mergeGeneration(base, overrides),
  limits: mergeLimits(base.limits, overrides.limits),
  allow: [...(base.allow ?? []), ...(overrides.allow ?? [])],
  deny: [...(base.deny ?? []), ...(overrides.deny ?? [])],
  fetchAllow: [...(base.fetchAllow ?? []), ...(overrides.fetchAllow ?? [])],
  plugins: [...(base.plugins ?? []), ...(overrides.plugins ?? [])]
})

export type ConfigurationScope = "user" | "project"

const elsewhere: Readonly<Record<string, string>> = {
  allow: " or use --allow",
  ...Record.map(serverAddresses, ({ variable }) => ` or set ${variable}`),
  mcpServers: " or, for servers of the project, into .mcp.json"
}

const knownKeys = (path: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  if (path.length === 1) return Object.keys(Configuration.fields)
  if (path[0] === "hooks") return Object.keys(Hooks.fields)
  if (path[0] === "sandbox") return Object.keys(SandboxSettings.fields)
  if (path[0] === "keepClusterRuns") return Object.keys(RunsKept.fields)
  if (path[0] === "sampling") return Object.keys(Sampling.fields)
  if (path[0] === "stages")
    return Object.keys([StageGenerations, StageGeneration, Sampling][path.length - 2]?.fields ?? {})
  if (path[0] === "tools") return Object.keys(CommandTool.fields)
  if (path[0] === "limits") return knownLimits(path)
  return path.length === 3 ? entryKeys("user") : ["risk", "effect"]
}

/** The keys that are allowed at this path: directly below `limits`, below its stages, or below its tools. */
const knownLimits = ([, group, ...rest]: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  if (rest.length === 0) return Object.keys(Limits.fields)
  if (group === "tools") return toolLimitNames
  return rest.length === 1 ? generatingStages : stageLimitNames
}

const unknownKey = (path: ReadonlyArray<PropertyKey>, scope: ConfigurationScope): string => {
  const name = String(path.at(-1))
  if (scope === "project" && path.length === 1 && personalKeys.some((key) => key === name)) {
    return `"${name}" has no effect in a project's file, because only you decide it. Put it into your user configuration${elsewhere[name] ?? ""}.`
  }
  if (path[0] === "plugins")
    return `"${pathText(path)}" is too much. Write a plugin as "NAME", or as ["NAME", { ... }].`
  const known = knownKeys(path)
  return `unknown key "${pathText(path)}". Nearest: ${nearest(name, known)[0] ?? known.join(", ")}.`
}

/** Converts the MCP servers of the settings to this program's form. Users often copy entries from other programs. */
const withOwnEntries = (value: Schema.Json): unknown => {
  if (!Predicate.isObject(value) || !Predicate.hasProperty(value, "mcpServers")) return value
  if (!Predicate.isObject(value.mcpServers)) return value
  return {
    ...(value as object),
    mcpServers: Record.map({ ...value.mcpServers } as Readonly<Record<string, unknown>>, ownEntry)
  }
}

/** Reads a configuration file, and reports all problems in the order of the text. */
export const readConfiguration = (
  text: string,
  scope: ConfigurationScope
): Result.Result<Configuration, ReadonlyArray<JsonProblem>> => {
  const json = readJson(text)
  if (Result.isFailure(json)) return Result.fail([json.failure])
  const schema: Schema.Codec<Configuration, unknown> = scope === "user" ? Configuration : ProjectConfiguration
  const decoded = Schema.decodeResult(schema)(withOwnEntries(json.success.value), {
    onExcessProperty: "error",
    errors: "all"
  })
  return Result.mapError(decoded, (error) => schemaProblems(error, json.success, (path) => unknownKey(path, scope)))
}

/** The settings with these names that are present. */
export const pickSettings = <K extends keyof Configuration>(
  settings: Configuration,
  keys: ReadonlyArray<K>
): Pick<Configuration, K> =>
  Struct.pick(
    settings,
    keys.filter((key) => settings[key] !== undefined)
  )
