/**
 * The options that all functions of the library share, and what they become for the application.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { NodeServices } from "../app/NodeServices.ts"
import { type RunContext, tornNote } from "../app/RunContext.ts"
import { rulesOfChecks } from "../domain/configuration/CheckLine.ts"
import { savedKeys } from "../domain/history/SavedSettings.ts"
import {
  type Configuration,
  pickSettings,
  type PluginConfig,
  type PluginSetting
} from "../domain/configuration/Configuration.ts"
import { answerSchema } from "../domain/documents/AnswerFormat.ts"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import { type AnswerQuestion, type Approve, type Arbitrate, layerCallback } from "../app/callbackApprover.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { StateFolder } from "../services/configuration/UserFolders.ts"
import { RuleWithoutTool } from "../domain/permissions/RuleWithoutTool.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import { PluginProblem } from "../services/tools/PluginProblem.ts"

/** The settings that scripts give as options of the same names: those that a run saves, and rules that allow. */
export const settingNames = [...savedKeys, "allow"] as const
const otherwise = ["model", "plugins"] as const
type Settings = Omit<Pick<Configuration, (typeof settingNames)[number]>, (typeof otherwise)[number]>

/** A plugin of a script, or the name or path of one, with its configuration or without. */
export type ScriptPlugin = Plugin | PluginSetting | readonly [plugin: Plugin, config: PluginConfig]

const isNamed = (plugin: ScriptPlugin): plugin is PluginSetting =>
  typeof plugin === "string" || (Array.isArray(plugin) && typeof plugin[0] === "string")

/** The plugins that are passed as values. */
export const pluginValues = (plugins: ReadonlyArray<ScriptPlugin> = []): ReadonlyArray<Plugin> =>
  plugins.flatMap((plugin, index): ReadonlyArray<Plugin> => {
    if (isNamed(plugin)) return []
    if (!Array.isArray(plugin)) return [plugin as Plugin]
    const [value, config] = plugin as readonly [Plugin, PluginConfig]
    return [{ ...value, given: { value: config, source: "the options", path: ["plugins", index, 1] } }]
  })

/**
 * What runs and conversations share. What is left out comes from the configuration files and the environment, as for
 * the CLI. docs/reference/configuration.md says what the settings mean.
 */
export interface ScriptOptions extends Settings {
  /** The project folder; the current folder when absent. */
  readonly project?: string
  /**
   * A name as for `--model`, or any language model of effect/ai. When none is named anywhere, the promise rejects with
   * `ModelUnchosen`, which has the models of the server.
   */
  readonly model?: string | Layer.Layer<LanguageModel.LanguageModel>
  /** Answers approvals; without it whatever needs one is denied. */
  readonly approve?: Approve
  /** Answers questions that the model asks instead of a plan, a report or an answer; without it nobody does. */
  readonly answer?: AnswerQuestion
  /** Path of the file the person is looking at, relative to the project. */
  readonly file?: string
  /** Paths of the files that are open in the person's editor; the model sees the paths. */
  readonly open?: ReadonlyArray<string>
  /** What belongs to the prompt, such as the output of a command: material for the model, never an instruction. */
  readonly attachment?: string
  /** The answer is JSON that fits this schema: a schema of effect, or a JSON schema. */
  readonly outputSchema?: Schema.Constraint | { readonly [key: string]: Schema.Json }
  /**
   * Plugins as values, or as in a configuration file: packages by name and paths, looked for from the current folder. What a plugin
   * can be set to stands behind it: `[plugin, { ... }]`.
   */
  readonly plugins?: ReadonlyArray<ScriptPlugin>
  /**
   * Where runs are saved; `task-conductor` in `$XDG_STATE_HOME` or `~/.local/state`, as for the CLI, when absent. No
   * tool writes there.
   */
  readonly stateFolder?: string
  /** Interrupts the run when it aborts; a saved run can be resumed. */
  readonly signal?: AbortSignal
}

/** What the options set, in the form of a configuration. */
export const configurationOf = ({ model, plugins = [], ...given }: ScriptOptions): Configuration => ({
  ...Struct.omit(pickSettings(given, settingNames), otherwise),
  ...(given.checks ? { allow: [...(given.allow ?? []), ...rulesOfChecks(given.checks)] } : {}),
  ...(typeof model === "string" ? { model } : {}),
  plugins: plugins.filter(isNamed)
})

/** The files of the person that an order names. */
export const orderFiles = ({ file, open }: ScriptOptions): Pick<RunOrder, "currentFile" | "openFiles"> => ({
  ...(file === undefined ? {} : { currentFile: file }),
  ...(open === undefined ? {} : { openFiles: open })
})

/** The JSON schema of an option. */
const jsonSchemaOf = (given: NonNullable<ScriptOptions["outputSchema"]>): unknown => {
  if (!Schema.isSchema(given)) return given
  const { definitions, schema } = Schema.toJsonSchemaDocument(given, { onExcessProperty: "error" })
  return Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions }
}

/** What is attached to an order, and the form of its answer; fails for a schema that cannot be used. */
export const orderMaterial = Effect.fnUntraced(function* ({ attachment, outputSchema }: ScriptOptions) {
  const schema = outputSchema === undefined ? undefined : jsonSchemaOf(outputSchema)
  const read = schema === undefined ? undefined : answerSchema(schema)
  if (read !== undefined && Result.isFailure(read)) return yield* refuse(`"outputSchema": ${read.failure}.`)
  const order: Pick<RunOrder, "attachment" | "outputSchema"> = {
    ...(attachment === undefined ? {} : { attachment: { name: "the script", text: attachment } }),
    ...(schema === undefined ? {} : { outputSchema: schema as Schema.Json })
  }
  return order
})

/** Options that contradict each other or name no tool. */
export const refuse = (what: string) => new ConfigurationError({ source: "options", problems: [{ what }] })

/** A rule of the options that names no tool is a wrong option, and so is a plugin that cannot be used. */
const asWrongOption = <E>(error: E): E | ConfigurationError =>
  error instanceof PluginProblem && error.isValue === true
    ? new ConfigurationError({ source: "options", problems: [{ what: error.message }] })
    : error instanceof RuleWithoutTool
      ? new ConfigurationError({
          source: "options",
          problems: [error, ...(error.others ?? [])].map(({ rule, source, verdict, what }) => ({
            what: `${source === undefined ? "" : `${source}: `}"${verdict}": "${rule}": ${what}`
          }))
        })
      : error

/** What a script passes to its run; `listen` gets every event, and warnings right after the first one. */
export const runContextOf = (
  options: ScriptOptions & { readonly arbitrate?: Arbitrate },
  listen: (recorded: RecordedEvent) => void
): RunContext => {
  let warnings: ReadonlyArray<string> = []
  let notes: ReadonlyArray<string> = []
  const forward = (recorded: RecordedEvent): void => {
    listen(recorded)
    if (recorded.event.type !== "run.started") return
    for (const text of warnings) listen({ at: recorded.at, event: { type: "message", level: "warning", text } })
    for (const text of notes) listen({ at: recorded.at, event: { type: "message", level: "info", text } })
  }
  return {
    listen: (recorded) => Effect.sync(() => forward(recorded)),
    warn: (startup) =>
      Effect.sync(() => {
        warnings = startup.isTorn === true ? [tornNote, ...startup.warnings] : startup.warnings
        notes = startup.notes ?? []
      }),
    approveSteps: false,
    approver: layerCallback(options),
    ...(typeof options.model === "object" ? { model: options.model } : {}),
    plugins: pluginValues(options.plugins)
  }
}

/** One for all that scripts do at the same time: each of its own would listen to stdin. */
const nodeServices = ManagedRuntime.make(
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@effect/platform-node/NodeServices")),
      ({ layer }): Layer.Layer<NodeServices> => layer
    )
  )
)

/** Gives work what this machine has. @internal */
export const onNode = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(nodeServices.contextEffect, (services) => Effect.provide(work, services))

/** The services of a script's run: on this machine, with its runs where the options say. */
export const onThisMachine =
  ({ stateFolder = "" }: Pick<ScriptOptions, "stateFolder">) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(Effect.mapError(asWrongOption), Effect.provideService(StateFolder, stateFolder), onNode)
