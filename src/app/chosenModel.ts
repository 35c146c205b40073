/**
 * Which models a run uses: those that are named, as the server knows them, or the one that the person picks when none is
 * named. Part of the composition root. It is decided before a run begins, so that a wrong name leaves no run behind.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { fittingModels, type InstalledModel, matchName, modelLines } from "../domain/models/InstalledModel.ts"
import { ModelError } from "../domain/models/ModelAnswer.ts"
import { belowHome } from "../domain/text/Format.ts"
import { isCloudModel } from "../domain/skills/Skill.ts"
import { type Facts, type ModelServer } from "../services/providers/Provider.ts"
import { providerOf } from "../services/providers/providers.ts"
import { ModelUnchosen } from "./ModelUnchosen.ts"
import { askServer, patience } from "./modelServer.ts"
import { modelNames, providerOfRun, renameModels, type Setup } from "./setup.ts"

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

/** Models that are resolved, with what the server says of them. */
export interface ResolvedModels {
  readonly setup: Setup
  readonly facts: ReadonlyMap<string, Facts>
  /** What the person should know about the choice; a sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** Lets the person pick a model of the server. */
const pick = Effect.fnUntraced(function* (
  setup: Setup,
  pickModel: PickModel | undefined,
  { inventory = Effect.succeed([]) }: ModelServer
) {
  const { settings, userFile } = setup
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
  const problem = setup.userFileProblem === undefined ? {} : { userFileProblem: setup.userFileProblem }
  const picked = yield* pickModel({ host: settings.host, userFile, home: setup.folders.home, models, ...problem })
  return picked === undefined ? yield* unchosen : { model: picked, notes: [] }
})

/** What the server knows by a name, or the only tag that the name can mean. */
const resolveModel = Effect.fnUntraced(function* (given: string, { facts, inventory, missing }: ModelServer) {
  const found = yield* facts(given)
  if (found.isMissing !== true || missing === undefined) return { given, name: given, facts: found }
  const reason = missing(given)
  const listed = yield* Effect.option(inventory ?? Effect.succeed([]))
  if (Option.isNone(listed)) return yield* new ModelError({ reason })
  const installed = listed.value.map(({ name }) => name)
  const { nearest, only } = matchName(given, installed)
  /* A model that is forwarded is only used by its whole name. */
  if (only !== undefined && !isCloudModel(only)) {
    const other = yield* facts(only)
    if (other.isForwarded !== true) return { given, name: only, facts: other }
  }
  return yield* new ModelError({ reason: { ...reason, nearest, installed } })
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
  const found: ResolvedModels = {
    setup: renameModels(setup, names),
    facts: new Map(resolved.flatMap(({ facts, name }) => (facts.isKnown ? [[name, facts] as const] : []))),
    notes: [
      ...(picked?.notes ?? []),
      ...resolved.flatMap(({ given, name }) =>
        given === name ? [] : [`Using ${name}, the only installed tag of ${given}.`]
      )
    ]
  }
  return found
})
