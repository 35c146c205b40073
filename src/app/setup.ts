/**
 * The setup of a run: files, environment and flags merged into one value by which the layers are chosen.
 */
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
  type PluginEntry,
  type PluginScope
} from "../domain/configuration/Configuration.ts"
import {
  providerOf,
  builtInProviders,
  defaultProvider,
  leavesMachine,
  providerWithoutModel
} from "../services/providers/providers.ts"
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
import { type SourcedRule, sourcedRules } from "../services/permissions/Policy.ts"
import type { Facts, Provider } from "../services/providers/Provider.ts"
import { type Settings, settingsOf, windowSettings } from "../services/runs/RunSettings.ts"
import {
  folderProblem,
  environmentVariable,
  userFolders,
  type UserFolders
} from "../services/configuration/UserFolders.ts"

/** The merged configuration of a run: project file, user file, environment, flags. */
export interface Setup {
  /** Absolute. */
  readonly project: string
  readonly configuration: Configuration
  readonly settings: Settings
  /** The rules of files and flags. */
  readonly rules: ReadonlyArray<SourcedRule>
  /** The plugin entries; those of the person come first. */
  readonly plugins: ReadonlyArray<PluginEntry>
  /** The declared tools, with their source. */
  readonly tools: DeclaredTools
  /** The declared hooks, with their source. */
  readonly hooks?: DeclaredHooks
  readonly folders: UserFolders
  /** Where the person's own configuration is, or would be. */
  readonly userFile: string
  /** Why that file is not used; absent when it is. */
  readonly userFileProblem?: string
  /** True when only the project chose the model. */
  readonly isProjectModel?: boolean
  /** True when nobody chose a model. */
  readonly usesDefaultModel: boolean
  /** What the server has said of models, by their names. */
  readonly modelFacts?: ReadonlyMap<string, Facts>
  /** Those that are built in, and those of plugins once they are needed. */
  readonly providers: ReadonlyArray<Provider>
  readonly apiKey: Redacted.Redacted | undefined
}

/** What has the model of a configuration; the default provider when none is named yet. */
const providerFor = ({ model = "" }: Configuration, providers: ReadonlyArray<Provider>): Provider =>
  providerOf(model, providers)

/** The provider of the model of a run. */
export const providerOfRun = ({ configuration, providers }: Setup): Provider => providerFor(configuration, providers)

/** The address of the server of a setup, with its key. */
export const addressOf = ({ apiKey, settings: { host } }: Setup) => ({ host, apiKey })

/** What is wrong with the address, and where it was set. */
const addressProblem = ({ host }: Settings, { server }: Provider) => {
  const what = server?.problem(host)
  return server === undefined || what === undefined
    ? undefined
    : new ConfigurationError({ source: server.source, problems: [{ what }] })
}

/** The address of the server that has the model of a configuration; empty when none is asked. */
const hostOf = (given: Configuration, providers: ReadonlyArray<Provider>): string =>
  providerFor(given, providers).server?.read(given) ?? ""

const keyOf = ({ server }: Provider) =>
  server === undefined
    ? Effect.undefined
    : Effect.map(environmentVariable(server.keyVariable), (key) => (key === undefined ? undefined : Redacted.make(key)))

const entriesOf = (scope: PluginScope, { plugins = [] }: Configuration, folder: string): ReadonlyArray<PluginEntry> =>
  plugins.map((text) => ({ text, scope, folder }))

/** What flags or options set is validated like a file, so that no rule is dropped silently. */
const requireValid = (given: Configuration) =>
  Result.match(readConfiguration(JSON.stringify(given), "user"), {
    onSuccess: Effect.succeed,
    onFailure: (problems) =>
      Effect.fail(new ConfigurationError({ source: "options", problems: problems.map(({ what }) => ({ what })) }))
  })

/** A model that only the project names, and that is reached elsewhere: prompts would leave the machine unasked. */
const projectsCloudModel = ({ own, project: { model } }: LoadedConfiguration, flags: Configuration) =>
  flags.model === undefined && own.model === undefined && model !== undefined && leavesMachine(model)
    ? model
    : undefined

const cloudNote = (model: string, file: string): string =>
  `${file} chooses the model ${model}, ${providerOf(model) === defaultProvider ? "which your server forwards to another one with all prompts" : "which gets all prompts at the server that you have set for it"}. It is not used unless you choose it: --model ${model}, TASK_CONDUCTOR_MODEL, or "model" in your own configuration.`

const namesChecks = (checks: Configuration["checks"] = false): boolean => checks !== false && checks.length > 0

/** Reads the configuration for a project; `given`, flags or options, overrides it. */
export const readSetup = Effect.fn("readSetup")(function* (project: string, given: Configuration) {
  const flags = yield* requireValid(given)
  const path = yield* Path.Path
  const folder = path.resolve(project)
  const found = yield* userFolders(folder)
  const userFile = path.join(found.own, "config.json")
  const problem = yield* folderProblem(userFile, folder)
  const loaded = yield* loadConfiguration(folder, problem === undefined ? userFile : undefined)
  const cloudModel = projectsCloudModel(loaded, flags)
  const notes = [
    ...(problem === undefined ? [] : [`${userFile} is not used as your configuration: ${problem}.`]),
    ...(cloudModel === undefined ? [] : [cloudNote(cloudModel, path.join(folder, projectFileName))])
  ]
  const folders = { ...found, notes: [...found.notes, ...notes] }
  const { model: _model, ...withoutModel } = loaded.merged
  const configuration = mergeConfigurations(cloudModel === undefined ? loaded.merged : withoutModel, flags)
  const provider = providerFor(configuration, builtInProviders)
  const settings = {
    ...settingsOf(configuration, hostOf(configuration, builtInProviders)),
    ...(namesChecks(flags.checks ?? loaded.own.checks) ? { namesChecks: true } : {})
  }
  const misplaced = addressProblem(settings, provider)
  if (misplaced !== undefined) return yield* misplaced
  const setup: Setup = {
    project: folder,
    configuration,
    settings,
    rules: [
      ...sourcedRules(loaded.project, path.join(folder, projectFileName)),
      ...sourcedRules(loaded.user, userFile),
      ...sourcedRules({ allow: rulesOfChecks(loaded.user.checks) }, userFile),
      ...sourcedRules(flags, "a flag or option of the run")
    ],
    plugins: [
      ...entriesOf("given", flags, path.resolve()),
      ...entriesOf("user", loaded.user, folders.own),
      ...entriesOf("project", loaded.project, folder)
    ],
    tools: { ofProject: loaded.project.tools ?? {}, ofUser: loaded.user.tools ?? {} },
    hooks: { ofProject: loaded.project.hooks ?? {}, ofUser: loaded.user.hooks ?? {} },
    folders,
    userFile,
    userFileProblem: problem,
    isProjectModel: flags.model === undefined && loaded.own.model === undefined && configuration.model !== undefined,
    usesDefaultModel: configuration.model === undefined,
    providers: builtInProviders,
    apiKey: yield* keyOf(provider)
  }
  return setup
})

/** The setup with the window and the calls at a time that were chosen for it. */
export const withCalls = (setup: Setup, { contextWindow, ...calls }: Omit<CallCapacity, "note">): Setup => ({
  ...setup,
  settings: { ...setup.settings, ...calls, ...windowSettings(setup.configuration, contextWindow) }
})

/** The setup with more providers, one of which may have its model: that says where its server is. */
export const withProviders = Effect.fnUntraced(function* (found: Setup, more: ReadonlyArray<Provider>) {
  const providers = [...more, ...found.providers]
  const provider = providerFor(found.configuration, providers)
  const setup: Setup = {
    ...found,
    providers,
    settings: { ...found.settings, host: provider.server?.read(found.configuration) ?? "" },
    apiKey: yield* keyOf(provider)
  }
  const misplaced = addressProblem(setup.settings, provider)
  return misplaced === undefined ? setup : yield* misplaced
})

/** The server whose models a person chooses from: that of the model that is named, if it has one. */
export const serverToChooseFrom = (setup: Setup): Provider => {
  const named = providerOfRun(setup)
  return setup.usesDefaultModel || named.connect === undefined ? providerWithoutModel(setup.configuration) : named
}

/** The setup with the address and the key of that server, whatever the model of the run needs. */
export const withServerToChooseFrom = Effect.fnUntraced(function* (setup: Setup) {
  const provider = serverToChooseFrom(setup)
  const host = provider.server?.read(setup.configuration) ?? ""
  return { ...setup, settings: { ...setup.settings, host }, apiKey: yield* keyOf(provider) } satisfies Setup
})

/** The names of all models of a setup, each once: that of the run first, then those of its stages. */
export const modelNames = ({ configuration: { stages = {} }, settings }: Setup): ReadonlyArray<string> => [
  ...new Set([settings.model, ...Object.values(stages).flatMap(({ model }) => model ?? [])])
]

/** The setup with `model` for the run, and every name in its place by `names`. */
export const renameModels = (
  setup: Setup,
  names: ReadonlyMap<string, string>,
  model: string = setup.settings.model
): Setup => {
  const renamed = (name: string): string => names.get(name) ?? name
  const { stages } = setup.configuration
  const own = Object.entries(stages ?? {}).map(([name, { model: ofStage, ...others }]) => [
    name,
    { ...others, ...(ofStage === undefined ? {} : { model: renamed(ofStage) }) }
  ])
  const configuration: Configuration = {
    ...setup.configuration,
    model: renamed(model),
    ...(stages === undefined ? {} : { stages: Object.fromEntries(own) })
  }
  const { namesChecks: named } = setup.settings
  const settings = {
    ...settingsOf(configuration, hostOf(configuration, setup.providers)),
    ...(named === undefined ? {} : { namesChecks: named })
  }
  return { ...setup, configuration, settings }
}

/** The part of its setup that a run saves, so that it resumes in the same way; permissions are not saved. */
export const savedSettings = (setup: Setup): Configuration => {
  const { configuration, plugins, settings } = setup
  const { checks, host, limits, namesChecks: named = false } = settings
  /* Checks of the project are read from its file again: saved, they would count as named by the person. */
  const unsaved = named || checks === false ? [] : (["checks"] as const)
  return {
    ...Struct.omit(pickSettings(settings, savedKeys), [...addressKeys, ...unsaved]),
    limits,
    deny: configuration.deny ?? [],
    plugins: plugins.flatMap(({ folder, scope, text }) =>
      scope === "given" ? [text.startsWith(".") ? `${folder}/${text}` : text] : []
    ),
    ...providerOfRun(setup).server?.save(host)
  }
}
