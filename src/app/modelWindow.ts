/**
 * Which models a run uses, with which context window, and how many calls are made at a time: by what the person set or picks,
 * and by what plugins and the server say. It is decided before a run begins, so that a wrong name leaves no run behind. Also
 * what can be asked of the server of a model. Part of the composition root.
 */
import { totalmem } from "node:os"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Option from "effect/Option"
import type * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { chooseWindow, windowNote } from "../domain/models/ContextWindow.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { projectFileName } from "../services/configuration/ConfigurationFile.ts"
import {
  serverToChooseFrom,
  providerOfRun,
  type Setup,
  withWindow,
  modelNames,
  withProviders,
  renameModels
} from "./setup.ts"
import type { PickModel, RunContext } from "./RunContext.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import { findPlugin } from "../services/plugins/PluginFinder.ts"
import { importPlugin } from "../services/plugins/PluginPackages.ts"
import { defaultProvider, providerOf } from "../services/providers/providers.ts"
import { fittingModels, isUnusualName, listedName, matchName, modelLines } from "../domain/models/InstalledModel.ts"
import { togetherText } from "../domain/models/ModelMemory.ts"
import { ModelError } from "../domain/models/ModelAnswer.ts"
import { belowHome } from "../domain/text/Format.ts"
import { isCloudModel } from "../domain/skills/Skill.ts"
import { type Facts, type ModelServer, layerCurrentServer, type Provider } from "../services/providers/Provider.ts"
import { ModelUnchosen } from "./ModelUnchosen.ts"
import { answerReserve } from "../domain/models/PromptSize.ts"
import { ToolSupport } from "../services/models/ToolSupport.ts"

/** A person is waiting, so that a server that hangs is reported soon. */
export const patience = "2 seconds"

/** The address of the server of a setup, with its key. */
const addressOf = ({ apiKey, settings: { host } }: Setup) => ({ host, apiKey })

/** Asks the server of a setup, or that of another provider at its address; nothing of a provider without a server. */
export const askServer = <A, E, R>(
  setup: Setup,
  ask: (server: ModelServer) => Effect.Effect<A, E, R>,
  {
    patience,
    provider = providerOfRun(setup)
  }: { readonly patience?: Duration.Input; readonly provider?: Provider } = {}
): Effect.Effect<A | undefined, E, R> =>
  Effect.scopedWith((scope) =>
    provider.connect === undefined
      ? Effect.undefined
      : provider
          .connect({ ...addressOf(setup), patience })
          .pipe(Effect.provideService(Scope.Scope, scope), Effect.flatMap(ask))
  )

/** What that server has installed. */
export const installedModels = (setup: Setup) =>
  Effect.map(
    askServer(setup, ({ inventory = Effect.succeed([]) }) => inventory, { provider: serverToChooseFrom(setup) }),
    (models = []) => models
  )

/** The model that the settings name, with what its server knows of it. */
export const layerModel = (setup: Setup) => {
  const { configuration, modelFacts, settings } = setup
  const provider = providerOfRun(setup)
  const model = provider.model({
    ...addressOf(setup),
    model: settings.model,
    contextWindow: settings.contextWindow,
    maxAnswerTokens: answerReserve(settings.contextWindow),
    keepAlive: configuration.keepAlive
  })
  if (provider.connect === undefined) return model
  return Layer.merge(
    model,
    layerCurrentServer(provider.connect(addressOf(setup)), {
      asked: modelFacts,
      serves: (name) => providerOf(name, setup.providers) === provider
    })
  )
}

/** Whether the server of a setup lets a model call tools. */
export const layerToolSupport = (setup: Setup, model: string, isNeeded: boolean): Layer.Layer<ToolSupport> => {
  const { connect } = providerOfRun(setup)
  return connect === undefined
    ? ToolSupport.layerBlind(model)
    : Layer.unwrap(Effect.map(connect(addressOf(setup)), (server) => ToolSupport.layerServer(server, model, isNeeded)))
}

/** Lets the person pick a model of the server. */
const pick = Effect.fnUntraced(function* (
  setup: Setup,
  pickModel: PickModel | undefined,
  { inventory = Effect.succeed([]) }: ModelServer
) {
  const { settings, userFile, userFileProblem } = setup
  const models = fittingModels(yield* inventory)
  const unchosen = new ModelUnchosen({
    host: settings.host,
    userFile: belowHome(userFile, setup.folders.home),
    models: models.map(({ name }) => name),
    lines: modelLines(models)
  })
  const [first, ...others] = models
  if (pickModel === undefined || first === undefined) return yield* unchosen
  if (others.length === 0 && !first.isForwarded) {
    const why = `it is the only model of the server at ${settings.host} that can write text`
    return { model: first.name, notes: [`Using ${first.name}, because ${why}. Choose another one with --model NAME.`] }
  }
  const picked = yield* pickModel({ host: settings.host, userFile, home: setup.folders.home, models, userFileProblem })
  return picked === undefined ? yield* unchosen : { model: picked, notes: [] }
})

/** The error of a model that only computes. */
const writesNothing = (name: string) =>
  new ConfigurationError({
    source: "model",
    problems: [
      {
        what: `"${name}" cannot write text: it only computes, as models for embeddings do. Choose another with --model; "task-conductor models" lists what the server has.`
      }
    ]
  })

/** What the server knows by a name, or the only tag that the name can mean. */
const resolveModel = Effect.fnUntraced(function* (given: string, { facts, inventory, missing }: ModelServer) {
  const found = yield* facts(given)
  if (found.isMissing !== true || missing === undefined) {
    if (found.completion === false) return yield* writesNothing(given)
    if (!isUnusualName(given) || inventory === undefined) return { given, name: given, facts: found }
    const known = yield* Effect.orElseSucceed(inventory, () => [])
    const listed = known.map(({ name }) => name)
    return { given, name: listedName(given, listed), facts: found }
  }
  const reason = missing(given)
  const listed = yield* Effect.option(inventory ?? Effect.succeed([]))
  if (Option.isNone(listed)) return yield* new ModelError({ reason })
  const installed = listed.value.map(({ name }) => name)
  const { nearest, only } = matchName(given, installed)
  /* A model that is forwarded is only used by its whole name. */
  if (only !== undefined && !isCloudModel(only)) {
    const other = yield* facts(only)
    if (other.completion === false) return yield* writesNothing(only)
    if (other.isForwarded !== true) return { given, name: only, facts: other }
  }
  return yield* new ModelError({ reason: { ...reason, nearest, installed } })
})

const usingText = (given: string, name: string): string =>
  listedName(given, [name]) === name
    ? `Using ${name}, as the server writes ${given}.`
    : `Using ${name}, the only installed tag of ${given}.`

/** The memory of the machine of a server, if it is this one. */
const memoryOf = (host: string): number | undefined =>
  ["127.0.0.1", "[::1]", "localhost"].includes(URL.parse(host)?.hostname ?? "") ? totalmem() : undefined

/** Says of several models when their server cannot hold them together. */
const togetherNotes = Effect.fnUntraced(function* (setup: Setup, names: ReadonlyArray<string>) {
  if (new Set(names).size < 2) return []
  const installed = yield* Effect.orElseSucceed(
    askServer(setup, ({ inventory = Effect.succeed([]) }) => inventory),
    () => []
  )
  const used = (installed ?? []).filter(({ name }) =>
    names.some((one) => listedName(one, [name]) === name || `${one}:latest` === name)
  )
  const said = togetherText(used, memoryOf(setup.settings.host))
  return said === undefined ? [] : [said]
})

/**
 * Resolves all models of a setup that the server of the run has. A server that does not answer changes nothing when they are named: the first call of the
 * run says so, after it was waited for.
 */
export const resolveModels = Effect.fn("resolveModels")(function* (given: Setup, pickModel: PickModel | undefined) {
  const picked = given.usesDefaultModel
    ? yield* askServer(given, (server) => pick(given, pickModel, server), { patience })
    : undefined
  const setup = renameModels({ ...given, usesDefaultModel: false }, new Map(), picked?.model)
  const provider = providerOfRun(setup)
  const named = modelNames(setup).filter((name) => providerOf(name, setup.providers) === provider)
  const resolved =
    (yield* askServer(setup, (server) =>
      Effect.forEach(named, (name) => resolveModel(name, server), { concurrency: "unbounded" })
    )) ?? []
  const names = new Map(resolved.map(({ given, name }) => [given, name]))
  return {
    setup: renameModels(setup, names),
    facts: new Map(resolved.flatMap(({ facts, name }) => (facts.isKnown ? [[name, facts] as const] : []))),
    /** What the person should know about the choice; a sentence each. */
    notes: [
      ...(picked?.notes ?? []),
      ...resolved.flatMap(({ given, name }) => (given === name ? [] : [usingText(given, name)])),
      ...(yield* togetherNotes(
        setup,
        resolved.map(({ name }) => name)
      ))
    ]
  }
})

/** True for a name that may be one of a provider that is not built in. */
const isForeign = (name: string) => /^[a-z][a-z\d-]*:/.test(name) && providerOf(name) === defaultProvider

/** The setup with the providers of plugins, when a name of a model may be one of theirs; `values` are plugins as values. */
export const withPluginProviders = Effect.fn("withPluginProviders")(function* (
  setup: Setup,
  values: ReadonlyArray<Plugin> = []
) {
  const entries = setup.plugins.filter(({ scope }) => scope !== "project")
  if (!modelNames(setup).some(isForeign) || (entries.length === 0 && values.length === 0)) return setup
  // What cannot be loaded is reported when the tools of the plugins are.
  const loaded = yield* Effect.forEach(entries, (entry) =>
    Effect.result(Effect.flatMap(findPlugin(entry), importPlugin))
  )
  const plugins = [...values, ...loaded.filter(Result.isSuccess).map(({ success }) => success)]
  const taken = new Set(setup.providers.map(({ id }) => id))
  const providers = plugins.flatMap((plugin) => plugin.providers ?? []).filter(({ id }) => !taken.has(id))
  if (providers.length === 0) return setup
  /* A plugin has the models that its name begins, and no others. */
  const found = yield* withProviders(
    setup,
    providers.map(({ owns: _owns, ...provider }) => provider)
  )
  if (found.isProjectModel !== true || setup.providers.includes(providerOfRun(found))) return found
  const what = `the model ${found.settings.model} is one of a plugin, whose server gets all prompts. Choose it yourself to use it: --model ${found.settings.model}, TASK_CONDUCTOR_MODEL, or "model" in your own configuration.`
  return yield* new ConfigurationError({ source: `${found.project}/${projectFileName}`, problems: [{ what }] })
})

export interface FittedSetup {
  readonly setup: Setup
  /** What the person should know about the window. */
  readonly note?: string | undefined
  /** What the person should know about the choice of the model. */
  readonly modelNotes?: ReadonlyArray<string>
  /** True when it is smaller than it was wanted. */
  readonly isLowered: boolean
}

/** As many calls as `--parallel` may name. */
const mostSlots = 64

/** The setup with as many calls at a time as the server works on, when nobody set it and the server says it. */
const withSlots = (setup: Setup, { pool, slots = Infinity }: Facts): Setup => {
  const { parallel, plans } = setup.configuration
  if (parallel !== undefined || slots === Infinity) return setup
  const isRoomy = slots > 1 && pool === undefined && plans === undefined
  const settings = { ...setup.settings, parallel: Math.min(slots, mostSlots) }
  return { ...setup, settings: isRoomy ? { ...settings, plans: 2 as const } : settings }
}

/**
 * The setup with its models and its window. A server that does not answer changes nothing about models that are named: the
 * first call of the run says so. A run that is resumed has its window set, so that it keeps it. `flags` are what was given for
 * this run alone: a window that its model does not support is a mistake there, and elsewhere lowered.
 */
export const fitWindow = Effect.fn("fitWindow")(function* (
  given: Setup,
  { model: value, pickModel, plugins, warn }: Pick<RunContext, "model" | "pickModel" | "plugins" | "warn">,
  flags: Configuration = {}
) {
  if (value !== undefined) return { setup: given, isLowered: false } satisfies FittedSetup as FittedSetup
  const found = yield* withPluginProviders(given, plugins)
  const unchanged: FittedSetup = { setup: found, isLowered: false }
  if (providerOfRun(found).connect === undefined) return unchanged
  const {
    facts: known,
    notes: modelNotes,
    setup
  } = yield* resolveModels(found, pickModel).pipe(
    Effect.tapError(() => warn?.({ setup: found, warnings: found.folders.notes, isTorn: false }) ?? Effect.void)
  )
  const { configuration, settings } = setup
  for (const [model, { isForwarded }] of known) {
    if (setup.isProjectModel !== true || isForwarded !== true || model !== settings.model) continue
    const what = `the model ${model} is forwarded to another server with all prompts. Choose it yourself to use it: --model ${model}, TASK_CONDUCTOR_MODEL, or "model" in your own configuration.`
    return yield* new ConfigurationError({ source: `${setup.project}/${projectFileName}`, problems: [{ what }] })
  }
  const facts = known.get(settings.model)
  if (facts === undefined) return { ...unchanged, setup: { ...setup, modelFacts: known }, modelNotes }
  const chosen = chooseWindow({
    given: configuration.contextWindow,
    modelfile: facts.window,
    loaded: facts.loadedWindow,
    supported: facts.supportedWindow
  })
  if (chosen.loweredFrom !== undefined && chosen.loweredFrom === flags.contextWindow) {
    const what = `the model "${settings.model}" supports ${chosen.window} tokens, and ${chosen.loweredFrom} were asked for. Ask for ${chosen.window} or fewer, or leave it out.`
    return yield* new ConfigurationError({ source: "contextWindow (--context-window)", problems: [{ what }] })
  }
  const fitted: FittedSetup = {
    setup: { ...withWindow(withSlots(setup, facts), chosen.window), modelFacts: known },
    isLowered: chosen.loweredFrom !== undefined,
    modelNotes,
    note: windowNote(settings.model, chosen)
  }
  return fitted
})
