/** The setup of a run: files, environment and flags merged into the value that chooses the layers. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { rulesOfChecks } from "../domain/configuration/CheckLine.ts"
import {
  addressKeys,
  type Configuration,
  mergeConfigurations,
  readConfiguration,
  pickSettings,
  partsOfPlugin,
  type PluginSetting,
  type PluginEntry
} from "../domain/configuration/Configuration.ts"
import { providerOf, builtInProviders, defaultProvider, leavesMachine, providerWithoutModel } from "./providers.ts"
import type { DeclaredHooks } from "../services/plugins/Hooks.ts"
import type { DeclaredTools } from "../services/tools/CommandTools.ts"
import type { CallCapacity } from "../domain/models/ContextWindow.ts"
import { savedKeys } from "../domain/history/SavedSettings.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import {
  loadConfiguration,
  type LoadedConfiguration,
  projectFileName
} from "../services/configuration/ConfigurationFile.ts"
import { parseRule } from "../domain/permissions/Permission.ts"
import type { SourcedRule } from "../services/permissions/Policy.ts"
import type { UserFile } from "./RunContext.ts"
import type { ModelFacts, Provider } from "../services/providers/Provider.ts"
import { type Settings, settingsOf, windowSettings } from "../services/runs/RunSettings.ts"
import {
  folderProblem,
  environmentVariable,
  userFolders,
  type UserFolders
} from "../services/configuration/UserFolders.ts"

/** Plugins, servers and other extensions from files and flags, with their sources. */
export interface Extensions {
  /** Plugin entries; the user's own come first. */
  readonly plugins: ReadonlyArray<PluginEntry>
  readonly tools: DeclaredTools
  readonly hooks?: DeclaredHooks
}

export const noExtensions: Extensions = { plugins: [], tools: { ofProject: {}, ofUser: {} } }

export interface ModelSources {
  /** Who chose the model: "project" if only the project names it. */
  readonly chosenBy: "user" | "project" | "nobody"
  /** The built-in providers, and those of plugins if a model needs them. */
  readonly providers: ReadonlyArray<Provider>
  /** Why providers of plugins cannot be used, one sentence each. */
  readonly leftOut?: ReadonlyArray<string>
  readonly apiKey: Redacted.Redacted | undefined
  /** Facts about models from the server, by model name. */
  readonly facts?: ReadonlyMap<string, ModelFacts>
}

/** The merged configuration of a run: project file, user file, environment, flags. */
export interface Setup {
  /** The absolute path of the project. */
  readonly project: string
  readonly folders: UserFolders
  readonly userFile: UserFile
  readonly configuration: Configuration
  readonly settings: Settings
  readonly rules: ReadonlyArray<SourcedRule>
  readonly extensions: Extensions
  readonly models: ModelSources
}

/** The provider of the configured model, or the default provider. */
const providerFor = ({ model = "" }: Configuration, providers: ReadonlyArray<Provider>): Provider =>
  providerOf(model, providers)

export const providerOfRun = ({ configuration, models }: Pick<Setup, "configuration" | "models">): Provider =>
  providerFor(configuration, models.providers)

export const addressOf = ({ models: { apiKey }, settings: { host } }: Pick<Setup, "models" | "settings">) => ({
  host,
  apiKey
})

/** Fails for an invalid server address, naming the file, variable or flag that set it. */
const requireAddress = ({ host }: Settings, { server }: Provider) => {
  const what = server?.problem(host)
  return server === undefined || what === undefined
    ? Effect.void
    : new ConfigurationError({ source: server.source, problems: [{ what }] })
}

/** The server address for the configured model; empty if it needs no server. */
const hostOf = (given: Configuration, providers: ReadonlyArray<Provider>): string =>
  providerFor(given, providers).server?.read(given) ?? ""

const keyOf = ({ key: ofPlugin, server }: Provider) =>
  server === undefined || ofPlugin !== undefined
    ? Effect.succeed(ofPlugin)
    : Effect.map(environmentVariable(server.keyVariable), (key) => (key === undefined ? undefined : Redacted.make(key)))

const entriesOf = (
  { source, ...from }: Pick<PluginEntry, "scope" | "folder"> & { readonly source: string },
  { plugins = [] }: Configuration
): ReadonlyArray<PluginEntry> =>
  plugins.map((setting, index) => {
    const { config, text } = partsOfPlugin(setting)
    return {
      text,
      ...from,
      ...(config === undefined ? {} : { configuration: { value: config, source, path: ["plugins", index, 1] } })
    }
  })

/**
 * Checks flags and options as strictly as a configuration file. Otherwise, an invalid permission rule could get lost
 * silently.
 */
const requireValid = (given: Configuration) =>
  Result.match(readConfiguration(JSON.stringify(given), "user"), {
    onSuccess: Effect.succeed,
    onFailure: (problems) =>
      Effect.fail(new ConfigurationError({ source: "options", problems: problems.map(({ what }) => ({ what })) }))
  })

/** The rules of a checked configuration; `source` is its file or flag. */
export const sourcedRules = (
  { allow = [], deny = [] }: Pick<Configuration, "allow" | "deny">,
  source: string
): ReadonlyArray<SourcedRule> => {
  const read = [...allow.map((text) => parseRule("allow", text)), ...deny.map((text) => parseRule("deny", text))]
  return read.flatMap((one): ReadonlyArray<SourcedRule> => (Result.isSuccess(one) ? [{ ...one.success, source }] : []))
}

/**
 * The hosted model that only the project names; otherwise undefined. Prompts to it would leave the machine without the
 * user's choice.
 */
const projectsCloudModel = ({ userSettings, project: { model } }: LoadedConfiguration, flags: Configuration) =>
  flags.model === undefined && userSettings.model === undefined && model !== undefined && leavesMachine(model)
    ? model
    : undefined

const cloudNote = (model: string, file: string): string =>
  `${file} chooses the model ${model}, ${providerOf(model) === defaultProvider ? "with which your server sends all prompts to another server" : "whose server, which you have set, gets all prompts"}. It is not used unless you choose it: --model ${model}, TASK_CONDUCTOR_MODEL, or "model" in your own configuration.`

/** Who chose the model: "project" if neither the flags nor the user's configuration name a model. */
const chooserOf = ({ model }: Configuration, flags: Configuration, own: Configuration): ModelSources["chosenBy"] => {
  if (model === undefined) return "nobody"
  return flags.model === undefined && own.model === undefined ? "project" : "user"
}

const namesChecks = (checks: Configuration["checks"] = false): boolean => checks !== false && checks.length > 0

/** Reads the configuration for a project. The flags or options in `given` override it. */
export const readSetup = Effect.fn("readSetup")(function* (project: string, given: Configuration) {
  const flags = yield* requireValid(given)
  const path = yield* Path.Path
  const folder = path.resolve(project)
  const base = yield* userFolders(folder)
  const userFile = path.join(base.settings, "config.json")
  const problem = yield* folderProblem(userFile, folder)
  const loaded = yield* loadConfiguration(folder, problem === undefined ? userFile : undefined)
  const cloudModel = projectsCloudModel(loaded, flags)
  const notes = [
    ...(problem === undefined ? [] : [`${userFile} is not used as your configuration: ${problem}.`]),
    ...(cloudModel === undefined ? [] : [cloudNote(cloudModel, path.join(folder, projectFileName))])
  ]
  const folders = { ...base, notes: [...base.notes, ...notes] }
  const { model: _model, ...withoutModel } = loaded.merged
  const configuration = mergeConfigurations(cloudModel === undefined ? loaded.merged : withoutModel, flags)
  const provider = providerFor(configuration, builtInProviders)
  const settings = {
    ...settingsOf(configuration, hostOf(configuration, builtInProviders)),
    ...(namesChecks(flags.checks ?? loaded.userSettings.checks) ? { namesChecks: true } : {})
  }
  yield* requireAddress(settings, provider)
  const setup: Setup = {
    project: folder,
    folders,
    userFile: { path: userFile, problem },
    configuration,
    settings,
    rules: [
      ...sourcedRules(loaded.project, path.join(folder, projectFileName)),
      ...sourcedRules(loaded.user, userFile),
      ...sourcedRules({ allow: rulesOfChecks(loaded.user.checks) }, userFile),
      ...sourcedRules(flags, "a flag or option of the run")
    ],
    extensions: {
      plugins: [
        ...entriesOf({ scope: "given", folder: path.resolve(), source: "the options" }, flags),
        ...entriesOf({ scope: "user", folder: folders.settings, source: userFile }, loaded.user),
        ...entriesOf({ scope: "project", folder, source: path.join(folder, projectFileName) }, loaded.project)
      ],
      tools: { ofProject: loaded.project.tools ?? {}, ofUser: loaded.user.tools ?? {} },
      hooks: { ofProject: loaded.project.hooks ?? {}, ofUser: loaded.user.hooks ?? {} }
    },
    models: {
      chosenBy: chooserOf(configuration, flags, loaded.userSettings),
      providers: builtInProviders,
      apiKey: yield* keyOf(provider)
    }
  }
  return setup
})

export const withCalls = (setup: Setup, { contextWindow, ...calls }: Omit<CallCapacity, "note">): Setup => ({
  ...setup,
  settings: { ...setup.settings, ...calls, ...windowSettings(setup.configuration, contextWindow) }
})

/** Adds the address and the key of a provider's server. */
const withServer = Effect.fnUntraced(function* (setup: Setup, provider: Provider) {
  const host = provider.server?.read(setup.configuration) ?? ""
  const models = { ...setup.models, apiKey: yield* keyOf(provider) }
  return { ...setup, settings: { ...setup.settings, host }, models } satisfies Setup
})

/** Adds providers to a setup. The server of the run's model becomes the server of the setup. */
export const withProviders = Effect.fnUntraced(function* (base: Setup, more: ReadonlyArray<Provider>) {
  const providers = [...more, ...base.models.providers]
  const provider = providerFor(base.configuration, providers)
  const setup = yield* withServer({ ...base, models: { ...base.models, providers } }, provider)
  yield* requireAddress(setup.settings, provider)
  return setup
})

/**
 * The provider that lists the models for the user's choice. This is the provider of the run's model if a model was
 * chosen and the provider has a server. Otherwise, it is the provider for a configuration without a model.
 */
export const serverToChooseFrom = ({ configuration, models }: Pick<Setup, "configuration" | "models">): Provider => {
  const named = providerOfRun({ configuration, models })
  return models.chosenBy === "nobody" || named.connect === undefined ? providerWithoutModel(configuration) : named
}

/** The setup with the address and key of the server from which the user chooses a model. */
export const withServerToChooseFrom = (setup: Setup) => withServer(setup, serverToChooseFrom(setup))

/** The names of all models, each once: first the run's model, then those of its stages. */
export const modelNames = ({
  configuration: { stages = {} },
  settings
}: Pick<Setup, "configuration" | "settings">): ReadonlyArray<string> => [
  ...new Set([settings.model, ...Object.values(stages).flatMap(({ model }) => model ?? [])])
]

/** Sets the run's model, and replaces the names of models by those in `names`. */
export const renameModels = (
  setup: Setup,
  names: ReadonlyMap<string, string>,
  model: string = setup.settings.model
): Setup => {
  const renamed = (name: string): string => names.get(name) ?? name
  const { stages } = setup.configuration
  const stageSettings = Object.entries(stages ?? {}).map(([name, { model: ofStage, ...others }]) => [
    name,
    { ...others, ...(ofStage === undefined ? {} : { model: renamed(ofStage) }) }
  ])
  const configuration: Configuration = {
    ...setup.configuration,
    model: renamed(model),
    ...(stages === undefined ? {} : { stages: Object.fromEntries(stageSettings) })
  }
  const { namesChecks } = setup.settings
  const settings = {
    ...settingsOf(configuration, hostOf(configuration, setup.models.providers)),
    ...(namesChecks === undefined ? {} : { namesChecks })
  }
  const { chosenBy } = setup.models
  const models = { ...setup.models, chosenBy: chosenBy === "nobody" ? ("user" as const) : chosenBy }
  return { ...setup, configuration, settings, models }
}

/** The settings that a run saves for its resumption. Permissions are not saved. */
export const savedSettings = (setup: Setup): Configuration => {
  const { configuration, extensions, settings } = setup
  const { checks, host, limits, namesChecks: named = false } = settings
  /* Checks from the project's file are not saved but read again, because saved checks would count as the user's own. */
  const unsaved = named || checks === false ? [] : (["checks"] as const)
  return {
    ...Struct.omit(pickSettings(settings, savedKeys), [...addressKeys, ...unsaved]),
    limits,
    deny: configuration.deny ?? [],
    plugins: extensions.plugins.flatMap(
      ({ folder, configuration: value, scope, text }): ReadonlyArray<PluginSetting> => {
        if (scope !== "given") return []
        const name = text.startsWith(".") ? `${folder}/${text}` : text
        return [value === undefined ? name : [name, value.value]]
      }
    ),
    ...providerOfRun(setup).server?.save(host)
  }
}
