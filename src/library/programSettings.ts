/** The settings that programs pass in code, and the machine on which their work runs. */
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

/**
 * The settings that a program gives in the same form as a configuration file: the saved settings, rules that allow
 * calls, and MCP servers.
 */
export const settingNames = [...savedKeys, "allow", "mcpServers"] as const
const otherwise = ["model", "plugins"] as const

/** A plugin as an object, or its name or path. Each of these may have a configuration. */
export type ProgramPlugin = Plugin | PluginSetting | readonly [plugin: Plugin, config: PluginConfig]

/**
 * The settings for a program's work. An absent setting comes from the configuration files and the environment, as for
 * the command line. docs/reference/configuration.md explains the settings.
 */
export interface ProgramSettings extends Omit<
  Pick<Configuration, (typeof settingNames)[number]>,
  (typeof otherwise)[number]
> {
  /** The project folder. Default: the current folder. */
  readonly project?: string
  /**
   * Replaces the configuration files of the user and of the project. `false` means no configuration files. The
   * environment still applies.
   */
  readonly configuration?: Configuration | false
}

/** True for a plugin by name or path. */
const isNamed = (plugin: ProgramPlugin): plugin is PluginSetting =>
  typeof plugin === "string" || (Array.isArray(plugin) && typeof plugin[0] === "string")

export const pluginValues = (plugins: ReadonlyArray<ProgramPlugin> = []): ReadonlyArray<Plugin> =>
  plugins.flatMap((plugin, index): ReadonlyArray<Plugin> => {
    if (isNamed(plugin)) return []
    if (!Array.isArray(plugin)) return [plugin as Plugin]
    const [value, config] = plugin as readonly [Plugin, PluginConfig]
    return [{ ...value, configuration: { value: config, source: "the options", path: ["plugins", index, 1] } }]
  })

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

/** The error for settings that contradict each other, or that name something missing. */
export const refuse = (what: string) => new ConfigurationError({ source: "options", problems: [{ what }] })

/**
 * The services of Node. All work of the process shares them, because each further instance would also listen to stdin.
 */
const nodeServices = ManagedRuntime.make(
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@effect/platform-node/NodeServices")),
      ({ layer }): Layer.Layer<NodeServices> => layer
    )
  )
)

/** Provides the services of this machine. @internal */
export const onNode = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(nodeServices.contextEffect, (services) => Effect.provide(work, services))

/** Where the work of a program finds its configuration and saves its runs. */
export interface WorkPlaces extends Pick<ProgramSettings, "configuration"> {
  /** The folder for saved runs. Absent or empty means the user's folder. */
  readonly stateFolder?: string
}

/**
 * Runs work with this configuration, and with this folder for saved runs. Its errors name the options of a program
 * instead of flags.
 */
export const inPlaces =
  ({ configuration, stateFolder = "" }: WorkPlaces) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(
      Effect.mapError(asProgramError),
      Effect.provideService(StateFolder, stateFolder),
      Effect.provideService(ProgramConfiguration, configuration === false ? {} : configuration)
    )

/** Carries out work as `inPlaces` does, with the services of this machine. */
export const onThisMachine =
  (places: WorkPlaces) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    onNode(inPlaces(places)(work))
