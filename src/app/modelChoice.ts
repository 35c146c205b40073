/**
 * Chooses the models of a run, their context window, and the number of parallel calls. This happens before the run
 * begins, so that a wrong name creates no run. Part of the composition root.
 */
import { totalmem } from "node:os"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Option from "effect/Option"
import { fitCalls, type WindowNote } from "../domain/models/ContextWindow.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { projectFileName } from "../services/configuration/ConfigurationFile.ts"
import { providerOfRun, type Setup, withCalls, modelNames, withProviders, renameModels } from "./setup.ts"
import { ownPlugins, secretReaderOf } from "./ownPlugins.ts"
import { withSecrets } from "../services/plugins/PluginPackages.ts"
import { providersOf } from "../services/plugins/PluginProviders.ts"
import type { PickModel, RunContext } from "./RunContext.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import { defaultProvider, providerOf } from "./providers.ts"
import { fittingModels, isUnusualName, listedName, matchName, modelLines } from "../domain/models/InstalledModel.ts"
import { togetherText } from "../domain/models/ModelMemory.ts"
import { ModelError } from "../domain/models/ModelAnswer.ts"
import { belowHome } from "../domain/text/Format.ts"
import { isCloudModel } from "../domain/skills/Skill.ts"
import type { ModelServer } from "../services/providers/Provider.ts"
import { ModelUnchosen } from "./ModelUnchosen.ts"
import { askServer, listInstalled, patience } from "./serverModels.ts"

const pick = Effect.fnUntraced(function* (
  setup: Setup,
  pickModel: PickModel | undefined,
  { inventory = Effect.succeed([]) }: ModelServer
) {
  const { folders, settings, userFile } = setup
  const models = fittingModels(yield* inventory)
  const unchosen = new ModelUnchosen({
    host: settings.host,
    userFile: belowHome(userFile.path, folders.home),
    models: models.map(({ name }) => name),
    lines: modelLines(models)
  })
  const [first, ...others] = models
  if (pickModel === undefined || first === undefined) return yield* unchosen
  if (others.length === 0 && !first.isForwarded) {
    const why = `it is the only model of the server at ${settings.host} that can write text`
    return { model: first.name, notes: [`Using ${first.name}, because ${why}. Choose another one with --model NAME.`] }
  }
  const picked = yield* pickModel({ host: settings.host, userFile, home: folders.home, models })
  return picked === undefined ? yield* unchosen : { model: picked, notes: [] }
})

const writesNothing = (name: string) =>
  new ConfigurationError({
    source: "model",
    problems: [
      {
        what: `"${name}" cannot write text. It may be a model for embeddings. Choose another with --model; "task-conductor models" lists what the server has.`
      }
    ]
  })

/**
 * Finds the server's model with this name. If there is none, but exactly one model has this name with a tag, finds that
 * model.
 */
const resolveModel = Effect.fnUntraced(function* (requested: string, { facts, inventory, missing }: ModelServer) {
  const modelFacts = yield* facts(requested)
  if (modelFacts.isMissing !== true || missing === undefined) {
    if (modelFacts.abilities.completion === false) return yield* writesNothing(requested)
    if (!isUnusualName(requested) || inventory === undefined)
      return { given: requested, name: requested, facts: modelFacts }
    const known = yield* Effect.orElseSucceed(inventory, () => [])
    const listed = known.map(({ name }) => name)
    return { given: requested, name: listedName(requested, listed), facts: modelFacts }
  }
  const reason = missing(requested)
  const listed = yield* Effect.option(inventory ?? Effect.succeed([]))
  if (Option.isNone(listed)) return yield* new ModelError({ reason })
  const installed = listed.value.map(({ name }) => name)
  const { nearest, only } = matchName(requested, installed)
  /* A cloud model is used only if the user gives its full name. A shorter name never selects one. */
  if (only !== undefined && !isCloudModel(only)) {
    const other = yield* facts(only)
    if (other.abilities.completion === false) return yield* writesNothing(only)
    if (other.isForwarded !== true) return { given: requested, name: only, facts: other }
  }
  return yield* new ModelError({ reason: { ...reason, nearest, installed } })
})

const usingText = (requested: string, name: string): string =>
  listedName(requested, [name]) === name
    ? `Using ${name}, as the server writes ${requested}.`
    : `Using ${name}, the only installed tag of ${requested}.`

/** The memory of this machine, if the server runs on it; otherwise undefined. */
const memoryOf = (host: string): number | undefined =>
  ["127.0.0.1", "[::1]", "localhost"].includes(URL.parse(host)?.hostname ?? "") ? totalmem() : undefined

/** Notes for the user if all models together exceed the server's memory. */
const togetherNotes = Effect.fnUntraced(function* (setup: Setup, names: ReadonlyArray<string>) {
  if (new Set(names).size < 2) return []
  const installed = yield* Effect.orElseSucceed(askServer(setup, listInstalled), () => [])
  const used = (installed ?? []).filter(({ name }) =>
    names.some((one) => listedName(one, [name]) === name || `${one}:latest` === name)
  )
  const said = togetherText(used, memoryOf(setup.settings.host))
  return said === undefined ? [] : [said]
})

/**
 * Resolves the models of a setup at the run's server. If the server does not answer, the names stay as written. The
 * run's first call then waits for the server and reports the error.
 */
export const resolveModels = Effect.fn("resolveModels")(function* (
  unresolved: Setup,
  pickModel: PickModel | undefined
) {
  const picked =
    unresolved.models.chosenBy === "nobody"
      ? yield* askServer(unresolved, (server) => pick(unresolved, pickModel, server), { patience })
      : undefined
  const setup = renameModels(unresolved, new Map(), picked?.model)
  const provider = providerOfRun(setup)
  const ofProvider = modelNames(setup).filter((name) => providerOf(name, setup.models.providers) === provider)
  const resolved =
    (yield* askServer(setup, (server) =>
      Effect.forEach(ofProvider, (name) => resolveModel(name, server), { concurrency: "unbounded" })
    )) ?? []
  const names = new Map(resolved.map(({ given, name }) => [given, name]))
  return {
    setup: renameModels(setup, names),
    facts: new Map(resolved.flatMap(({ facts, name }) => (facts.isKnown ? [[name, facts] as const] : []))),
    /** Notes for the user about the chosen models, one sentence each. */
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

/**
 * The error for a hosted model that only the project chose. Prompts may leave the machine only if the user chose the
 * model.
 */
const unchosenByUser = ({ project, settings: { model } }: Pick<Setup, "project" | "settings">, why: string) => {
  const how = `To use it, choose it yourself: --model ${model}, TASK_CONDUCTOR_MODEL, or "model" in your own configuration.`
  const what = `the model ${model} is ${why} ${how}`
  return new ConfigurationError({ source: `${project}/${projectFileName}`, problems: [{ what }] })
}

/** True for a name that may belong to a provider of a plugin. */
const isForeign = (name: string) => /^[a-z][a-z\d-]*:/.test(name) && providerOf(name) === defaultProvider

/**
 * Adds the providers of plugins if a model may belong to one of these providers. `values` are plugin objects of a
 * script.
 */
export const withPluginProviders = Effect.fn("withPluginProviders")(function* (
  setup: Setup,
  values: ReadonlyArray<Plugin> = []
) {
  if (!modelNames(setup).some(isForeign)) return setup
  const plugins = (yield* ownPlugins(setup, values)).filter((plugin) => plugin.providers !== undefined)
  const secret = secretReaderOf(setup)
  const made = yield* Effect.forEach(plugins, (plugin) => Effect.map(withSecrets(plugin, secret), providersOf))
  const [lists, problems] = Arr.partition(made, (one) => one)
  const leftOut = problems.map(({ message }) => message)
  const base = { ...setup, models: { ...setup.models, leftOut } }
  const existing = new Set(setup.models.providers.map(({ id }) => id))
  const providers = lists.flat().filter(({ id }) => !existing.has(id))
  if (providers.length === 0) return base
  /* A plugin's provider serves only models whose names begin with its id. */
  const extended = yield* withProviders(
    base,
    providers.map(({ owns: _owns, ...provider }) => provider)
  )
  if (extended.models.chosenBy !== "project" || setup.models.providers.includes(providerOfRun(extended)))
    return extended
  return yield* unchosenByUser(extended, "one of a plugin, whose server gets all prompts.")
})

/** The name of a model object in events, reports and traces. In a journal, a model object has no name. */
export const inCodeModel = "in-code"

/** A setup whose models and window are chosen. */
export interface FittedSetup {
  readonly setup: Setup
  readonly windowNote?: WindowNote | undefined
  /** Notes for the user about the chosen models, one sentence each. */
  readonly modelNotes?: ReadonlyArray<string>
}

/**
 * Returns the setup with resolved models, context window and parallel calls. If the server does not answer, the models
 * keep their names, and the first call reports the error. A resumed run keeps its window. `flags` apply only to this
 * run.
 */
export const fitSetup = Effect.fn("fitSetup")(function* (
  unfitted: Setup,
  { model: value, plugins, terminal, warn }: Pick<RunContext, "model" | "plugins" | "terminal" | "warn">,
  flags: Configuration = {}
) {
  if (value !== undefined) {
    const setup: Setup = { ...unfitted, settings: { ...unfitted.settings, model: inCodeModel } }
    return { setup } satisfies FittedSetup as FittedSetup
  }
  const extended = yield* withPluginProviders(unfitted, plugins)
  if (providerOfRun(extended).connect === undefined) return { setup: extended }
  const { facts, notes, setup } = yield* resolveModels(extended, terminal?.pickModel).pipe(
    Effect.tapError(() => {
      const { folders, models } = extended
      return warn?.({ warnings: [...folders.notes, ...(models.leftOut ?? [])] }) ?? Effect.void
    })
  )
  const { configuration, settings } = setup
  const ofRun = facts.get(settings.model)
  const models = { ...setup.models, facts }
  if (ofRun === undefined) return { setup: { ...setup, models }, modelNotes: notes }
  if (models.chosenBy === "project" && ofRun.isForwarded === true) {
    return yield* unchosenByUser(setup, "forwarded to another server with all prompts.")
  }
  const fitted = fitCalls(settings.model, { ...configuration, runWindow: flags.contextWindow }, ofRun.capacity)
  if (Result.isFailure(fitted)) {
    const problems = [{ what: fitted.failure }]
    return yield* new ConfigurationError({ source: "contextWindow (--context-window)", problems })
  }
  const { note, ...calls } = fitted.success
  return { setup: { ...withCalls(setup, calls), models }, windowNote: note, modelNotes: notes }
})
