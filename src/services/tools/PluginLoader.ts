/**
 * Builds plugins, checks them, and collects their tools. A plugin that fails is skipped as a whole, its resources are
 * released, and the problem is reported.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { canonicalJson } from "../../domain/text/Json.ts"
import { schemaErrorText } from "../../domain/text/SchemaText.ts"
import type { Parameters } from "../../domain/tools/ArgumentCheck.ts"
import { type ToolInfo, Arguments } from "../../domain/tools/ToolCall.ts"
import { EffectClass, Risk } from "../../domain/tools/Access.ts"
import { isToolName } from "../../domain/permissions/Permission.ts"
import { readSchemaSource } from "../../domain/tools/SchemaSource.ts"
import { exampleArguments } from "../../domain/tools/ToolSchema.ts"
import { isSecretName } from "../../domain/configuration/SecretSource.ts"
import { textHash } from "../files/Hash.ts"
import type { Provider } from "../providers/Provider.ts"
import { causeText, closeForeignScope, openForeignScope, runIsolated } from "./ForeignCode.ts"
import { type Plugin, pluginApiVersion, PluginTools, type Tool } from "./Plugin.ts"
import {
  CurrentSettings,
  missingSecrets,
  type PluginSettings,
  readPluginConfiguration,
  secretOf
} from "./PluginSettings.ts"
import { notAPlugin, PluginProblem, problemOfNamed, problemOfValue } from "./PluginProblem.ts"

/** A tool that passed all checks, and what is needed to run it. */
export interface LoadedTool {
  readonly info: ToolInfo
  readonly parameters: Parameters
  // oxlint-disable-next-line typescript/no-explicit-any -- each tool has parameters of its own
  readonly tool: Tool<any>
  /** The settings of the plugin that the tool belongs to. */
  readonly settings: PluginSettings
}

export const loadTime = "30 seconds"

/** The shape of a tool, for packages that no compiler checked. */
const ToolShape = Schema.Struct({
  description: Schema.NonEmptyString,
  risk: Risk,
  effect: EffectClass,
  example: Schema.optionalKey(Arguments),
  aliases: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  errors: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})

export const ProviderShape = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^[a-z][a-z\d-]*$/)),
  model: Schema.declare((value): value is Provider["model"] => typeof value === "function")
})
const Secrets = Schema.Record(
  Schema.String,
  Schema.Union([Schema.NonEmptyString, Schema.Struct({ use: Schema.NonEmptyString, optional: Schema.Literal(true) })])
)
const PluginShape = Schema.Struct({
  name: Schema.NonEmptyString,
  apiVersion: Schema.Int,
  providers: Schema.optional(
    Schema.Union([Schema.Array(ProviderShape), Schema.declare((value) => typeof value === "function")])
  )
})

interface SetPlugin {
  readonly plugin: Plugin
  readonly settings: PluginSettings
}

const shapeProblem = (tool: Tool<unknown>): string | undefined => {
  const shape = Schema.decodeResult(ToolShape)(tool)
  if (Result.isFailure(shape)) return schemaErrorText(shape.failure)
  return typeof tool.execute === "function" ? undefined : '"execute" is not a function.'
}

const loadTool = (
  { plugin, settings }: SetPlugin,
  name: string,
  tool: Tool<unknown>
): Result.Result<LoadedTool, PluginProblem> => {
  const fail = (code: PluginProblem["code"], detail: string) =>
    Result.fail(new PluginProblem({ plugin: plugin.name, code, detail }))
  const broken = (detail: string) => fail("ToolShape", `its tool "${name}" is not well formed: ${detail}`)
  if (!isToolName(name)) {
    return fail(
      "ToolName",
      `the name of its tool ${JSON.stringify(name)} is not lower-case ASCII words joined by underscores.`
    )
  }
  const problem = shapeProblem(tool)
  if (problem !== undefined) return broken(problem)
  const { aliases, description, effect, errors, risk } = tool
  const parameters = readSchemaSource(tool.parameters)
  if (Result.isFailure(parameters)) return broken(`"parameters" is ${parameters.failure}`)
  const { codec, json: schema } = parameters.success
  if (schema["type"] !== "object") return broken("its parameters are not a struct.")
  const example = tool.example ?? exampleArguments(schema)
  const decoded = Schema.decodeResult(codec)(example, { onExcessProperty: "error" })
  if (Result.isFailure(decoded) && tool.example !== undefined) return broken("its example does not fit its parameters.")
  const seen = {
    name,
    origin: originOf(plugin),
    description,
    risk,
    effect,
    parameters: schema,
    example,
    ...(errors === undefined ? {} : { errors })
  }
  const named = aliases === undefined ? {} : { aliases }
  const written = canonicalJson(tool.revision === undefined ? seen : { ...seen, revision: tool.revision })
  const info: ToolInfo = { ...seen, ...named, definition: textHash(written) }
  return Result.succeed({ info, parameters: { codec, schema, aliases }, tool, settings })
}

/** The origin of a tool for the user, such as `word-count@1.2.0`. */
export const originOf = ({ name, version }: Plugin): string => (version === undefined ? name : `${name}@${version}`)

const loadTools = (set: SetPlugin, tools: object, loadedTools: ReadonlyMap<string, LoadedTool>) => {
  const { plugin } = set
  const loaded: Array<LoadedTool> = []
  for (const [name, tool] of Object.entries(tools)) {
    const owner = loadedTools.get(name)?.info.origin
    if (owner !== undefined) {
      const detail = `its tool "${name}" exists already (${owner}). Rename it, or remove one of them.`
      return Result.fail(new PluginProblem({ plugin: plugin.name, code: "DuplicateTool", detail }))
    }
    const result = loadTool(set, name, tool)
    if (Result.isFailure(result)) return Result.fail(result.failure)
    loaded.push(result.success)
  }
  return Result.succeed(loaded)
}

/** Why an exported value is no plugin; undefined if it has the shape of one. */
export const pluginShapeProblem = (plugin: unknown): PluginProblem | undefined => {
  const shape = Schema.decodeUnknownResult(PluginShape)(plugin)
  if (Result.isSuccess(shape) && Layer.isLayer((plugin as Plugin).tools)) return undefined
  const named = Schema.decodeUnknownOption(Schema.Struct({ name: Schema.NonEmptyString }))(plugin)
  const name = Option.match(named, { onNone: () => "without a name", onSome: (one) => one.name })
  return notAPlugin(name)
}

/** Why the declared secrets are invalid; undefined if they are valid. */
const secretsProblem = (secrets: unknown = {}): string | undefined => {
  const read = Schema.decodeUnknownResult(Secrets)(secrets)
  if (Result.isFailure(read)) return 'its "secrets" do not say for each name what it is for.'
  const wrong = Object.keys(read.success).find((name) => !isSecretName(name))
  return wrong === undefined
    ? undefined
    : `its secret ${JSON.stringify(wrong)} has not the name of an environment variable.`
}

/** Builds the plugin in a scope of its own, which closes if the plugin cannot be used. */
const loadPlugin = Effect.fnUntraced(function* (plugin: Plugin, loadedTools: ReadonlyMap<string, LoadedTool>) {
  const malformed = pluginShapeProblem(plugin)
  if (malformed !== undefined) return yield* malformed
  if (plugin.apiVersion !== pluginApiVersion) {
    const detail = `it needs version ${plugin.apiVersion} of the plugin interface, and this program has version ${pluginApiVersion}. Install a compatible version of it.`
    return yield* new PluginProblem({ plugin: plugin.name, code: "ApiVersion", detail })
  }
  const config = readPluginConfiguration(plugin)
  if (Result.isFailure(config)) {
    return yield* new PluginProblem({ plugin: plugin.name, code: "Configuration", detail: config.failure })
  }
  const wrongSecrets = secretsProblem(plugin.secrets)
  if (wrongSecrets !== undefined) return yield* notAPlugin(plugin.name, wrongSecrets)
  const settings: PluginSettings = { config: config.success, secret: secretOf(plugin) }
  const failed = (why: string) =>
    new PluginProblem({ plugin: plugin.name, code: "LoadFailed", detail: `it failed while loading: ${why}` })
  const pluginScope = yield* openForeignScope
  const load = Effect.flatMap(Layer.buildWithScope(plugin.tools, pluginScope), (built) =>
    Effect.fromResult(loadTools({ plugin, settings }, Context.get(built, PluginTools), loadedTools))
  ).pipe(Effect.provideService(CurrentSettings, settings))
  const late = Effect.suspend(() => Effect.fail(failed(`it took longer than ${loadTime}.`)))
  const exit = yield* Effect.exit(
    runIsolated(load, (ended) => Effect.timeoutOrElse(ended, { duration: loadTime, orElse: () => late }), {
      endless: (problem: PluginProblem) => problem
    }).pipe(Effect.flatMap((loaded) => loaded))
  )
  if (Exit.isSuccess(exit)) return exit.value
  yield* closeForeignScope(pluginScope, exit)
  const failure = Option.getOrUndefined(Cause.findErrorOption<unknown>(exit.cause))
  return yield* failure instanceof PluginProblem ? failure : failed(causeText(exit.cause))
})

/** Adds the origin of the plugin to a problem. */
export const withOrigin = ({ isValue, named }: Plugin, problem: PluginProblem): PluginProblem => {
  if (isValue === true) return problemOfValue(problem)
  return named === undefined ? problem : problemOfNamed(problem, named)
}

/** The problems of a plugin that do not prevent its use. */
const limitsOf = (plugin: Plugin): ReadonlyArray<PluginProblem> => {
  const lack = (code: PluginProblem["code"], detail: string) =>
    new PluginProblem({ plugin: plugin.name, code, detail, isUsed: true })
  const { skillsFolder } = plugin
  return [
    ...missingSecrets(plugin).map((detail) => lack("MissingSecret", detail)),
    ...(skillsFolder !== undefined && Result.isFailure(skillsFolder)
      ? [withOrigin(plugin, lack("Skills", `${skillsFolder.failure}.`))]
      : [])
  ]
}

/**
 * Loads plugins in order. If two plugins have a tool with the same name, only the first plugin keeps the name. The
 * tools live until the scope closes.
 */
export const loadPlugins = Effect.fn("loadPlugins")(function* (plugins: ReadonlyArray<Plugin>) {
  const tools = new Map<string, LoadedTool>()
  const problems: Array<PluginProblem> = []
  for (const plugin of plugins) {
    const loaded = yield* Effect.result(loadPlugin(plugin, tools))
    if (Result.isFailure(loaded)) problems.push(withOrigin(plugin, loaded.failure))
    else {
      for (const one of loaded.success) tools.set(one.info.name, one)
      problems.push(...limitsOf(plugin))
    }
  }
  return { tools, problems }
})
