/**
 * Which models a run uses: those that are named, as the server knows them, or the one that the person picks when none is
 * named. Part of the composition root. It is decided before a run begins, so that a wrong name leaves no run behind.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { fittingModels, type InstalledModel, matchName, modelLines } from "../domain/models/InstalledModel.ts"
import { providerOf } from "../domain/models/ModelName.ts"
import { ModelError } from "../domain/models/ModelAnswer.ts"
import { belowHome } from "../domain/text/Format.ts"
import { isCloudModel } from "../domain/skills/Skill.ts"
import type { Facts } from "../services/providers/ModelFacts.ts"
import { readFacts } from "../services/providers/ollama/OllamaFacts.ts"
import { readInventory } from "../services/providers/ollama/OllamaInventory.ts"
import { OllamaServer } from "../services/providers/ollama/OllamaServer.ts"
import { readOpenAiFacts } from "../services/providers/openai/OpenAiFacts.ts"
import { OpenAiServer } from "../services/providers/openai/OpenAiServer.ts"
import { ModelUnchosen } from "./ModelUnchosen.ts"
import { modelNames, renameModels, type Setup } from "./setup.ts"

/** What a person picks a model from. */
export interface ModelOffer {
  readonly host: string
  /** The file in which the choice is saved. */
  readonly userFile: string
  /** The home folder of the person. */
  readonly home: string
  /** Why nothing can be saved there; absent when it can. */
  readonly userFileProblem?: string
  /** The models that can write text, the most suitable first. */
  readonly models: ReadonlyArray<InstalledModel>
}

/** Asks a person at a terminal for one of the models, and saves the answer; nothing when they pick none. */
export type PickModel = (offer: ModelOffer) => Effect.Effect<string | undefined>

/** Models that are settled, with what the server says of them. */
export interface SettledModels {
  readonly setup: Setup
  readonly facts: ReadonlyMap<string, Facts>
  /** What the person should know about the choice; a sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** The address of the server of a setup, with its key. */
export const serverOf = ({ apiKey, settings: { host } }: Setup) => ({
  host,
  ...(apiKey === undefined ? {} : { apiKey })
})

/** A person is waiting, so that a server that hangs is told of soon. */
export const patience = Duration.seconds(2)

/** Lets the person pick a model of the server. */
const pick = Effect.fnUntraced(function* (setup: Setup, pickModel: PickModel | undefined) {
  const { settings, userFile } = setup
  const models = fittingModels(yield* readInventory)
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
  const problem = setup.userFileProblem === undefined ? {} : { userFileProblem: setup.userFileProblem }
  const picked = yield* pickModel({ host: settings.host, userFile, home: setup.folders.home, models, ...problem })
  return picked === undefined ? yield* unchosen : { model: picked, notes: [] }
})

/** What the server knows by a name, or the only tag that the name can mean. */
const settle = Effect.fnUntraced(function* (given: string) {
  const facts = yield* readFacts(given)
  if (facts.isMissing !== true) return { given, name: given, facts }
  const server = yield* OllamaServer
  const listed = yield* Effect.option(server.models)
  const missing = { _tag: "ModelMissing" as const, model: given, detail: `model '${given}' not found` }
  if (Option.isNone(listed)) return yield* new ModelError({ reason: missing })
  const installed = listed.value.map(({ name }) => name)
  const { nearest, only } = matchName(given, installed)
  /* A model that is forwarded is only used by its whole name. */
  if (only !== undefined && !isCloudModel(only)) {
    const found = yield* readFacts(only)
    if (found.isForwarded !== true) return { given, name: only, facts: found }
  }
  return yield* new ModelError({ reason: { ...missing, nearest, installed } })
})

const settleOllama = (named: ReadonlyArray<string>, setup: Setup) =>
  Effect.forEach(named, settle, { concurrency: "unbounded" }).pipe(Effect.provide(OllamaServer.layer(serverOf(setup))))

/** Servers that speak the API of OpenAI know their models by whole names. */
const settleOpenAi = (named: ReadonlyArray<string>, setup: Setup) =>
  Effect.forEach(named, (given) => Effect.map(readOpenAiFacts(given), (facts) => ({ given, name: given, facts })), {
    concurrency: "unbounded"
  }).pipe(Effect.provide(OpenAiServer.layer(serverOf(setup))))

/**
 * Settles all models of a setup that the server of the run has. A server that does not answer changes nothing when they are named: the first call of the
 * run says so, after it was waited for.
 */
export const settleModels = Effect.fn("settleModels")(function* (given: Setup, pickModel: PickModel | undefined) {
  const picked = given.usesDefaultModel
    ? yield* Effect.provide(pick(given, pickModel), OllamaServer.layer({ ...serverOf(given), timeout: patience }))
    : { model: given.settings.model, notes: [] }
  const setup = renameModels({ ...given, usesDefaultModel: false }, new Map(), picked.model)
  const provider = providerOf(setup.settings.model)
  const named = modelNames(setup).filter((name) => providerOf(name) === provider)
  const settled = yield* provider === "openai" ? settleOpenAi(named, setup) : settleOllama(named, setup)
  const names = new Map(settled.map(({ given, name }) => [given, name]))
  const found: SettledModels = {
    setup: renameModels(setup, names),
    facts: new Map(settled.flatMap(({ facts, name }) => (facts.isKnown ? [[name, facts] as const] : []))),
    notes: [
      ...picked.notes,
      ...settled.flatMap(({ given, name }) =>
        given === name ? [] : [`Using ${name}, the only installed tag of ${given}.`]
      )
    ]
  }
  return found
})
