/**
 * The setup of a run: files, environment and flags merged into one value by which the layers are chosen.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type Configuration, mergeConfigurations, readConfiguration } from "../domain/configuration/Configuration.ts"
import { defaultLimits } from "../domain/configuration/Limits.ts"
import type { Generation } from "../domain/models/Generation.ts"
import { providerOf } from "../domain/models/ModelName.ts"
import { isCloudModel } from "../domain/skills/Skill.ts"
import type { PluginEntry, PluginScope } from "../domain/plugins/PluginEntry.ts"
import type { DeclaredTools } from "../services/plugins/CommandTools.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import {
  loadConfiguration,
  type LoadedConfiguration,
  projectFileName
} from "../services/configuration/ConfigurationFile.ts"
import { hostProblem, resolveHost } from "../services/providers/ollama/OllamaHost.ts"
import { baseUrlProblem, resolveBaseUrl } from "../services/providers/openai/OpenAiAddress.ts"
import { type SourcedRule, sourcedRules } from "../services/permissions/PolicyEvaluator.ts"
import type { Facts } from "../services/providers/ModelFacts.ts"
import { defaultSettings, type Settings } from "../services/runs/RunSettings.ts"
import { folderProblem } from "../services/configuration/FolderTrust.ts"
import { environmentVariable, userFolders, type UserFolders } from "../services/configuration/UserFolders.ts"

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
  readonly apiKey: Redacted.Redacted | undefined
}

/** Half of the window, at four characters a token, unless it is set. */
const referenceBudgetOf = ({ referenceBudget }: Configuration, contextWindow: number): number =>
  referenceBudget ?? contextWindow * 2

const generationOf = ({ sampling, stages, think }: Configuration): Generation => ({
  ...(think === undefined ? {} : { think }),
  ...(sampling === undefined ? {} : { sampling }),
  ...(stages === undefined ? {} : { stages })
})

/** The address of the server that has the model; that of Ollama when none is named yet. */
const hostOf = ({ host, model = "", openaiBaseUrl }: Configuration): string => {
  const provider = providerOf(model)
  return provider === "embedded" ? "" : provider === "openai" ? resolveBaseUrl(openaiBaseUrl) : resolveHost(host)
}

/** What is wrong with the address, and where it was set. */
const addressProblem = ({ host, model }: Settings) => {
  if (host === "") return undefined
  const isOpenAi = providerOf(model) === "openai"
  const what = isOpenAi ? baseUrlProblem(host) : hostProblem(host)
  const source = isOpenAi ? "OPENAI_BASE_URL or openaiBaseUrl" : "OLLAMA_HOST or host"
  return what === undefined ? undefined : new ConfigurationError({ source, problems: [{ what }] })
}

const settingsOf = (given: Configuration): Settings => {
  const model = given.model ?? defaultSettings.model
  const contextWindow = given.contextWindow ?? defaultSettings.contextWindow
  return {
    limits: { ...defaultLimits, ...given.limits },
    generation: generationOf(given),
    model,
    host: hostOf(given),
    contextWindow,
    slots: given.parallel ?? defaultSettings.slots,
    referenceBudget: referenceBudgetOf(given, contextWindow)
  }
}

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
  flags.model === undefined && own.model === undefined && model !== undefined && isCloudModel(model) ? model : undefined

const cloudNote = (model: string, file: string): string =>
  `${file} chooses the model ${model}, ${providerOf(model) === "openai" ? "which gets all prompts at the server that you have set for it" : "which your server forwards to another one with all prompts"}. It is not used unless you choose it: --model ${model}, TASK_CONDUCTOR_MODEL, or "model" in your own configuration.`

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
  const settings = settingsOf(configuration)
  const misplaced = addressProblem(settings)
  if (misplaced !== undefined) return yield* misplaced
  const apiKey = yield* environmentVariable(
    providerOf(settings.model) === "openai" ? "OPENAI_API_KEY" : "OLLAMA_API_KEY"
  )
  const setup: Setup = {
    project: folder,
    configuration,
    settings,
    rules: [
      ...sourcedRules(loaded.project, path.join(folder, projectFileName)),
      ...sourcedRules(loaded.user, userFile),
      ...sourcedRules(flags, "a flag or option of the run")
    ],
    plugins: [
      ...entriesOf("given", flags, path.resolve()),
      ...entriesOf("user", loaded.user, folders.own),
      ...entriesOf("project", loaded.project, folder)
    ],
    tools: { ofProject: loaded.project.tools ?? {}, ofUser: loaded.user.tools ?? {} },
    folders,
    userFile,
    ...(problem === undefined ? {} : { userFileProblem: problem }),
    isProjectModel: flags.model === undefined && loaded.own.model === undefined && configuration.model !== undefined,
    usesDefaultModel: configuration.model === undefined,
    apiKey: apiKey === undefined ? undefined : Redacted.make(apiKey)
  }
  return setup
})

/** The setup with the window that was chosen for it. */
export const withWindow = (setup: Setup, contextWindow: number): Setup => ({
  ...setup,
  settings: {
    ...setup.settings,
    contextWindow,
    referenceBudget: referenceBudgetOf(setup.configuration, contextWindow)
  }
})

/** The setup with the address of its server, also when the model of the run needs none. */
export const withServer = (setup: Setup): Setup => ({
  ...setup,
  settings: { ...setup.settings, host: resolveHost(setup.configuration.host) }
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
  return { ...setup, configuration, settings: settingsOf(configuration) }
}

/** The part of its setup that a run saves, so that it resumes in the same way; permissions are not saved. */
export const savedSettings = ({ configuration, plugins, settings }: Setup): Configuration => {
  const { contextWindow, host, limits, model, referenceBudget, slots: parallel } = settings
  const { deny = [], keepAlive } = configuration
  return {
    model,
    contextWindow,
    parallel,
    limits,
    referenceBudget,
    deny,
    plugins: plugins.flatMap(({ folder, scope, text }) =>
      scope === "given" ? [text.startsWith(".") ? `${folder}/${text}` : text] : []
    ),
    ...(host === "" ? {} : providerOf(model) === "openai" ? { openaiBaseUrl: host } : { host }),
    ...(keepAlive === undefined ? {} : { keepAlive }),
    ...generationOf(configuration)
  }
}
