/**
 * Asks an OpenAI-compatible server: which models it offers, what it says of their windows, and how many calls it works on
 * at a time.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import {
  authorization,
  counted,
  defaultLimits,
  type InstalledModel,
  type ModelError,
  type ModelAbilities,
  type ModelFacts,
  type ModelServer,
  openQuestions,
  type ServerConnection,
  unknownFacts
} from "../../plugin-kit.ts"
import { nameOnServer, spoken } from "./OpenAiAddress.ts"

/** A model on the server; `contextWindow` (tokens) is absent when the server does not say it, as most do not. */
interface OfferedModel {
  readonly id: string
  readonly contextWindow: number | undefined
}

const size = Schema.optionalKey(Schema.Unknown)

/** The window has another name on each server: llama.cpp, vLLM, and two that forward to others. */
const Models = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      meta: Schema.optionalKey(Schema.NullOr(Schema.Struct({ n_ctx: size }))),
      max_model_len: size,
      context_length: size,
      context_window: size
    })
  )
})
type Listed = (typeof Models.Type)["data"][number]

const windowOf = ({ context_length, context_window, max_model_len, meta }: Listed): number | undefined =>
  [meta?.n_ctx, max_model_len, context_length, context_window].find(
    (given) => typeof given === "number" && Number.isSafeInteger(given) && given > 0
  ) as number | undefined

/** What llama.cpp's server says of itself; others have no such page, or other words on it. */
const Properties = Schema.Struct({
  total_slots: Schema.Int.check(Schema.isGreaterThan(0)),
  /** What its model reads beside text: `{ "vision": true, "audio": false }`. */
  modalities: Schema.optionalKey(Schema.Unknown),
  default_generation_settings: Schema.optionalKey(
    Schema.Struct({ params: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) })
  )
})
type Properties = typeof Properties.Type

/** Such a server that starts one for each model when it is asked for. */
const Router = Schema.Struct({ role: Schema.Literal("router") })

/**
 * With so many slots, which it has when nobody says how many, llama.cpp's server lets them share its window, and gives the
 * whole as that of each. It does not say so; with another number, a call shows it that fails.
 */
const sharedSlots = 4

/** How llama.cpp's server samples when neither the file of the model nor who started it says anything. */
const stockSampling = { temperature: 0.8, top_k: 40, top_p: 0.95, min_p: 0.05 }

/** The temperature that somebody chose, for the server or in the file of the model. */
const chosenTemperature = ({ default_generation_settings }: Properties): number | undefined => {
  const { params = {} } = default_generation_settings ?? {}
  const isStock = Object.entries(stockSampling).every(
    ([name, value]) => Math.abs(Number(params[name]) - value) < 0.0001
  )
  return isStock ? undefined : Number(params["temperature"] ?? temperatureOfServer)
}

/** As for the facts of Ollama: the first call says that a server does not answer. */
const factsTimeout = "2 seconds"

/** A server that has answered is there; busy as it may be, what it says of itself decides how many calls it is sent. */
const propertiesTimeout = "10 seconds"

/** How long a router may take to load a model. */
const routerPatience = Duration.seconds(defaultLimits.serverWaitSeconds)

/** What such servers sample with when nobody says anything; who started the server may have said something. */
const temperatureOfServer = 0.8

/** The model of that name, or of its tag `latest`, as Ollama reads a name without one. */
const findNamed = (models: ReadonlyArray<OfferedModel>, name: string): OfferedModel | undefined =>
  models.find(({ id }) => id === name || id === `${name}:latest`)

/** The model of that name, or the only one there is: llama.cpp's server answers for its model under any name. */
const findOffered = (models: ReadonlyArray<OfferedModel>, name: string): OfferedModel | undefined =>
  findNamed(models, name) ?? (models.length === 1 ? models[0] : undefined)

/** One that lists a single model may answer for it under any name, and a proxy for names that it does not list. */
const isMissing = (models: ReadonlyArray<OfferedModel>, name: string): boolean =>
  models.length > 1 && findNamed(models, name) === undefined && !models.some(({ id }) => id.includes("*"))

/** What nobody says is taken to be so: such a server refuses what a model cannot do. */
const describe = ({ contextWindow, id }: OfferedModel): InstalledModel => ({
  name: `openai:${id}`,
  abilities: { completion: true, tools: true, thinking: false },
  capacity: { loadedWindow: contextWindow }
})

/** Whether the model sees, where the server says it. */
const visionOf = ({ modalities }: Partial<Properties> = {}): ModelAbilities =>
  Predicate.hasProperty(modalities, "vision") && typeof modalities.vision === "boolean"
    ? { vision: modalities.vision }
    : {}

/** The window cannot be changed by a request, so it is both what is loaded and all that is supported. */
const factsOf = (models: ReadonlyArray<OfferedModel>, name: string, properties: Properties | undefined): ModelFacts => {
  const offered = findOffered(models, name)
  return {
    ...(properties === undefined && isMissing(models, name) ? { isMissing: true } : {}),
    isKnown: true,
    abilities: visionOf(properties),
    temperature: properties === undefined ? temperatureOfServer : chosenTemperature(properties),
    takesGrammar: properties !== undefined,
    family: offered?.id,
    capacity: {
      slots: properties?.total_slots ?? Infinity,
      ...(properties?.total_slots === sharedSlots ? { pool: offered?.contextWindow } : {}),
      supportedWindow: offered?.contextWindow,
      loadedWindow: offered?.contextWindow
    }
  }
}

/** What such a server says, beside what every provider is asked for. */
export interface OpenAiServer extends ModelServer {
  /** What the server offers, in its order. */
  readonly models: Effect.Effect<ReadonlyArray<OfferedModel>, ModelError>
}

export const connectOpenAi = Effect.fnUntraced(function* (address: ServerConnection) {
  const { host } = address
  const question = yield* openQuestions(address, spoken)
  const read = <A>(answer: Schema.Codec<A, unknown>, url: string) =>
    question(answer, async (fetch) => (await fetch(url, { headers: authorization(address) })).json())

  const models = Effect.map(read(Models, `${host}/models`), ({ data }) =>
    data.map((listed): OfferedModel => ({ id: listed.id, contextWindow: windowOf(listed) }))
  )

  /* The page of the server itself is beside those of the API. */
  const page = <A>(answer: Schema.Codec<A, unknown>, query: string, patience: Duration.Input) =>
    Effect.map(
      Effect.option(Effect.timeout(read(answer, `${host.replace(/\/v1$/, "")}/props${query}`), patience)),
      Option.getOrUndefined
    )
  /* A server that loads its model says nothing of it yet. */
  const loaded = Effect.timeout(models, factsTimeout).pipe(
    Effect.retry({
      while: (error) =>
        error._tag === "ModelError" && error.reason._tag === "Busy" && error.reason.isOverloaded === true,
      schedule: Schedule.spaced("1 second"),
      times: defaultLimits.serverWaitSeconds
    }),
    Effect.option,
    Effect.map(Option.getOrUndefined)
  )

  const server: OpenAiServer = {
    greeting: Effect.map(models, ({ length }) => `the API of OpenAI at ${host}, with ${counted(length, "model")}`),
    facts: Effect.fn("readFacts")(function* (model: string) {
      const name = nameOnServer(model)
      const listed = yield* loaded
      if (listed === undefined) return unknownFacts
      const said = yield* page(Schema.Union([Properties, Router]), "", propertiesTimeout)
      if (said === undefined || "total_slots" in said) return factsOf(listed, name, said)
      /* It loads the model for this question, and says the window of none that is not loaded. */
      const ofModel = yield* page(Properties, `?model=${encodeURIComponent(name)}`, routerPatience)
      return factsOf((yield* loaded) ?? listed, name, ofModel)
    }),
    missing: (model) => ({
      _tag: "ModelMissing",
      model,
      detail: "it is not among those that the server offers",
      remedy: spoken.remedies(model).missing
    }),
    inventory: Effect.map(models, (all) => all.map(describe)),
    models
  }
  return server
})
