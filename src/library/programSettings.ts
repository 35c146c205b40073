/**
 * The settings that programs give in code, and the machine that their work runs on.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Struct from "effect/Struct"
import type { NodeServices } from "../app/NodeServices.ts"
import { rulesOfChecks } from "../domain/configuration/CheckLine.ts"
import {
  type Configuration,
  pickSettings,
  type PluginConfig,
  type PluginSetting
} from "../domain/configuration/Configuration.ts"
import { savedKeys } from "../domain/history/SavedSettings.ts"
import { ProgramConfiguration } from "../services/configuration/ConfigurationFile.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { StateFolder } from "../services/configuration/UserFolders.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import { asProgramError } from "./ConductorError.ts"

/** The settings that programs give under the same names: those that a run saves, rules that allow, and MCP servers. */
export const settingNames = [...savedKeys, "allow", "mcpServers"] as const
const otherwise = ["model", "plugins"] as const

/** A plugin as a value, or the name or path of one, with its configuration or without. */
export type ProgramPlugin = Plugin | PluginSetting | readonly [plugin: Plugin, config: PluginConfig]

/**
 * What work of a program is set to. What is left out comes from the configuration files and the environment, as for the
 * command line. docs/reference/configuration.md says what the settings mean.
 */
export interface ProgramSettings extends Omit<
  Pick<Configuration, (typeof settingNames)[number]>,
  (typeof otherwise)[number]
> {
  /** The project folder; the current folder when absent. */
  readonly project?: string
  /**
   * The configuration in the place of the files of the user and of the project, which are not read then; false for none. The environment
   * counts all the same.
   */
  readonly configuration?: Configuration | false
}

/** Plugins by their names and paths, as a configuration file has them. */
const isNamed = (plugin: ProgramPlugin): plugin is PluginSetting =>
  typeof plugin === "string" || (Array.isArray(plugin) && typeof plugin[0] === "string")

/** The plugins that are passed as values. */
export const pluginValues = (plugins: ReadonlyArray<ProgramPlugin> = []): ReadonlyArray<Plugin> =>
  plugins.flatMap((plugin, index): ReadonlyArray<Plugin> => {
    if (isNamed(plugin)) return []
    if (!Array.isArray(plugin)) return [plugin as Plugin]
    const [value, config] = plugin as readonly [Plugin, PluginConfig]
    return [{ ...value, configuration: { value: config, source: "the options", path: ["plugins", index, 1] } }]
  })

/** What the settings set, in the form of a configuration. */
export const configurationOf = ({
  model,
  plugins = [],
  ...settings
}: ProgramSettings & { readonly model?: unknown; readonly plugins?: ReadonlyArray<ProgramPlugin> }): Configuration => ({
  ...Struct.omit(pickSettings(settings, settingNames), otherwise),
  ...(settings.checks ? { allow: [...(settings.allow ?? []), ...rulesOfChecks(settings.checks)] } : {}),
  ...(typeof model === "string" ? { model } : {}),
  plugins: plugins.filter(isNamed)
})

/** Settings that contradict each other or name what is not there. */
export const refuse = (what: string) => new ConfigurationError({ source: "options", problems: [{ what }] })

/** One for all that programs do at the same time: each of its own would listen to stdin. */
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

/** Where work of a program looks for its configuration, and where its runs are saved. */
export interface WorkPlaces extends Pick<ProgramSettings, "configuration"> {
  /** A folder; that of the user when absent or empty. */
  readonly stateFolder?: string
}

/** Gives work these places; its errors speak of options. */
export const inPlaces =
  ({ configuration, stateFolder = "" }: WorkPlaces) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(
      Effect.mapError(asProgramError),
      Effect.provideService(StateFolder, stateFolder),
      Effect.provideService(ProgramConfiguration, configuration === false ? {} : configuration)
    )

/** Gives work these places and this machine. */
export const onThisMachine =
  (places: WorkPlaces) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    onNode(inPlaces(places)(work))
