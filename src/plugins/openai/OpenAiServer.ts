/** Asks a server with OpenAI's API for its models, their windows, and its number of parallel calls. */
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

/** A model on the server. `contextWindow` is in tokens; most servers do not report it. */
interface OfferedModel {
  readonly id: string
  readonly contextWindow: number | undefined
}

const size = Schema.optionalKey(Schema.Unknown)

/** The list of models. The field for the window has a different name in llama.cpp, in vLLM, and in two proxies. */
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

/** The page `/props` of llama.cpp's server. Other servers have no such page, or its content differs. */
const Properties = Schema.Struct({
  total_slots: Schema.Int.check(Schema.isGreaterThan(0)),
  /** The inputs besides text: `{ "vision": true, "audio": false }`. */
  modalities: Schema.optionalKey(Schema.Unknown),
  default_generation_settings: Schema.optionalKey(
    Schema.Struct({ params: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) })
  )
})
type Properties = typeof Properties.Type

/** The page of a llama.cpp router, which starts a server for a model when it is needed. */
const Router = Schema.Struct({ role: Schema.Literal("router") })

/**
 * The default number of slots in llama.cpp. With this number, all slots share one window, but the server reports the
 * whole window for each slot. With any other number, only a failed call shows the real size of the window.
 */
const sharedSlots = 4

/** The sampling defaults of llama.cpp. */
const stockSampling = { temperature: 0.8, top_k: 40, top_p: 0.95, min_p: 0.05 }

/**
 * The temperature that was set for the server or the model. Undefined if all sampling settings are the defaults of
 * llama.cpp.
 */
const chosenTemperature = ({ default_generation_settings }: Properties): number | undefined => {
  const { params = {} } = default_generation_settings ?? {}
  const isStock = Object.entries(stockSampling).every(
    ([name, value]) => Math.abs(Number(params[name]) - value) < 0.0001
  )
  return isStock ? undefined : Number(params["temperature"] ?? temperatureOfServer)
}

/** The time limit for the list of models. If the server does not answer, the first model call reports it. */
const factsTimeout = "2 seconds"

/**
 * The time limit for reading the properties of a server that has answered. It is long, because the server may be busy
 * and the properties determine how many calls the server gets.
 */
const propertiesTimeout = "10 seconds"

/** How long a router may take to load a model. */
const routerPatience = Duration.seconds(defaultLimits.serverWaitSeconds)

/** The default temperature to assume. The server's real default may differ. */
const temperatureOfServer = 0.8

/** Finds the model with this name, or with this name and the tag `latest`, as in Ollama. */
const findNamed = (models: ReadonlyArray<OfferedModel>, name: string): OfferedModel | undefined =>
  models.find(({ id }) => id === name || id === `${name}:latest`)

/**
 * Finds the model with this name. If the server has only one model, finds it under any name, because llama.cpp accepts
 * any name.
 */
const findOffered = (models: ReadonlyArray<OfferedModel>, name: string): OfferedModel | undefined =>
  findNamed(models, name) ?? (models.length === 1 ? models[0] : undefined)

/**
 * True if the server certainly lacks the model. A server's only model may have any name, and a proxy may accept
 * unlisted names.
 */
const isMissing = (models: ReadonlyArray<OfferedModel>, name: string): boolean =>
  models.length > 1 && findNamed(models, name) === undefined && !models.some(({ id }) => id.includes("*"))

/** The description of a model. Unknown abilities count as present, and the server refuses what the model cannot do. */
const describe = ({ contextWindow, id }: OfferedModel): InstalledModel => ({
  name: `openai:${id}`,
  abilities: { completion: true, tools: true, thinking: false },
  capacity: { loadedWindow: contextWindow }
})

/** Whether the model accepts images; absent if not reported. */
const visionOf = ({ modalities }: Partial<Properties> = {}): ModelAbilities =>
  Predicate.hasProperty(modalities, "vision") && typeof modalities.vision === "boolean"
    ? { vision: modalities.vision }
    : {}

/** The facts about a model. No request can change the window, so the loaded window is also the largest. */
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

export interface OpenAiServer extends ModelServer {
  /** The models in the server's order. */
  readonly models: Effect.Effect<ReadonlyArray<OfferedModel>, ModelError>
}

export const connectOpenAi = Effect.fnUntraced(function* (address: ServerConnection) {
  const { host } = address
  const question = yield* openQuestions(address, spoken)
  const getJson = <A>(answer: Schema.Codec<A, unknown>, url: string) =>
    question(answer, async (fetch) => (await fetch(url, { headers: authorization(address) })).json())

  const models = Effect.map(getJson(Models, `${host}/models`), ({ data }) =>
    data.map((listed): OfferedModel => ({ id: listed.id, contextWindow: windowOf(listed) }))
  )

  /* Reads the page `/props`, which is outside the API's base path. */
  const page = <A>(answer: Schema.Codec<A, unknown>, query: string, patience: Duration.Input) =>
    Effect.map(
      Effect.option(Effect.timeout(getJson(answer, `${host.replace(/\/v1$/, "")}/props${query}`), patience)),
      Option.getOrUndefined
    )
  /* Repeats the request while the server still loads its model. */
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
      /* Makes a router load the model, because it reports only windows of loaded models. */
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
