/** Queries an Ollama server for its version, its models and their facts. Can also make it download a model. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ollama } from "ollama/browser"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type InstalledModel, listedName } from "../../../domain/models/InstalledModel.ts"
import type { LoadedMemory } from "../../../domain/models/ModelMemory.ts"
import type { ModelError } from "../../../domain/models/ModelAnswer.ts"
import {
  type ModelFacts,
  type ModelServer,
  type Provider,
  type ServerConnection,
  unknownFacts,
  type ServerAddress
} from "../Provider.ts"
import { openQuestions } from "../ServerQuestions.ts"
import { authorization, type Exchange, linesOf, openAgent, openAnswer } from "../ServerTransport.ts"
import { hostProblem, resolveHost, spoken } from "./OllamaHost.ts"
import { layerOllama } from "./OllamaModel.ts"
import { PullStep } from "../../../domain/models/ModelPull.ts"
import { fromFailure } from "../ModelErrors.ts"
import { asServerError, badShape, brokenOff, readObject, ServerError } from "../ServerFailure.ts"

const Version = Schema.Struct({ version: Schema.String })
const Tags = Schema.Struct({
  models: Schema.Array(Schema.Struct({ name: Schema.String, size: Schema.Finite }))
})
/** The models in memory. Sizes are in bytes, the window in tokens; older servers do not report the window. */
const Running = Schema.Struct({
  models: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      context_length: Schema.optionalKey(Schema.Finite),
      size: Schema.optionalKey(Schema.Finite),
      size_vram: Schema.optionalKey(Schema.Finite)
    })
  )
})
const Show = Schema.Struct({
  capabilities: Schema.optionalKey(Schema.Array(Schema.String)),
  model_info: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  parameters: Schema.optionalKey(Schema.NullOr(Schema.String)),
  remote_host: Schema.optionalKey(Schema.NullOr(Schema.String)),
  remote_model: Schema.optionalKey(Schema.NullOr(Schema.String))
})

type ListedModels = (typeof Tags.Type)["models"]
type LoadedModels = (typeof Running.Type)["models"]

/**
 * The maximum length of a prompt, in tokens. The key of this number begins with the architecture of the model, such as
 * `llama.context_length`. Undefined if the server does not report it.
 */
const contextLength = (info: Readonly<Record<string, unknown>>): number | undefined => {
  const length = info[`${String(info["general.architecture"])}.context_length`]
  return typeof length === "number" && Number.isSafeInteger(length) ? length : undefined
}

/** Reads a number from the parameters of a Modelfile, which have one line for each name and value. */
const parameter = (text: string, name: string): number | undefined => {
  const value = new RegExp(String.raw`^\s*${name}\s+"?(-?\d+(?:\.\d+)?)"?\s*$`, "m").exec(text)?.[1]
  return value === undefined ? undefined : Number(value)
}

/**
 * Reads what a model can do. Servers before 0.6.4 do not report it, so their models count as able only to complete
 * text.
 */
const readCapabilities = (modelInfo: typeof Show.Type): ModelFacts => {
  const names = modelInfo.capabilities ?? ["completion"]
  const window = parameter(modelInfo.parameters ?? "", "num_ctx")
  return {
    isKnown: true,
    abilities: {
      completion: names.includes("completion"),
      tools: names.includes("tools"),
      thinking: names.includes("thinking"),
      vision: names.includes("vision")
    },
    isForwarded: [modelInfo.remote_host, modelInfo.remote_model].some((remote) => (remote ?? "") !== ""),
    family: ["architecture", "basename", "name"]
      .flatMap((key) => modelInfo.model_info?.[`general.${key}`] ?? [])
      .join(" "),
    capacity: {
      supportedWindow: contextLength(modelInfo.model_info ?? {}),
      modelfileWindow: window === undefined || !Number.isSafeInteger(window) || window < 1 ? undefined : window
    },
    temperature: parameter(modelInfo.parameters ?? "", "temperature")
  }
}

/** Queries that only an Ollama server supports. */
interface Queries {
  readonly version: Effect.Effect<string, ModelError>
  /** Installed models, newest first. */
  readonly models: Effect.Effect<ListedModels, ModelError>
  /** Models in memory now. */
  readonly loaded: Effect.Effect<LoadedModels, ModelError>
  /** Fails with `ModelMissing` if the server lacks the model. */
  readonly capabilities: (model: string) => Effect.Effect<ModelFacts, ModelError>
  readonly unload: (model: string) => Effect.Effect<void, ModelError>
}

export type OllamaServer = ModelServer & Queries & Required<Pick<ModelServer, "pull" | "unload">>

const openQueries = Effect.fnUntraced(function* (address: ServerConnection) {
  const question = yield* openQuestions(address, spoken)
  const ask = <A>(answer: Schema.Codec<A, unknown>, of: (client: Ollama) => Promise<unknown>, model?: string) =>
    question(answer, (fetch) => of(new Ollama({ host: address.host, fetch, headers: authorization(address) })), model)
  const queries: Queries = {
    version: Effect.map(
      ask(Version, (client) => client.version()),
      ({ version }) => version
    ),
    models: Effect.map(
      ask(Tags, (client) => client.list()),
      ({ models }) => models
    ),
    loaded: Effect.map(
      ask(Running, (client) => client.ps()),
      ({ models }) => models
    ),
    capabilities: (model) =>
      Effect.map(
        ask(Show, (client) => client.show({ model }), model),
        readCapabilities
      ),
    /** An empty request makes the server unload the model at once. */
    unload: (model) => ask(Schema.Unknown, (client) => client.generate({ model, prompt: "", keep_alive: 0 }), model)
  }
  return queries
})

/**
 * How long a run waits for facts about a model. After that, it starts without them, and its first call reports a
 * problem of the server.
 */
const patience = "2 seconds"

/** How long the list of loaded models is valid. */
const valid = "1 second"

/**
 * True for server versions that run every model in llama-server, which refuses prompts that are too long. A server that
 * its user built from source has the version 0.0.0.
 */
const refusesLong = (version: string): boolean => {
  const [major = NaN, minor = NaN] = version.split(".").map(Number)
  return major > 0 || minor >= 30 || version === "0.0.0"
}

const isNamed = (model: string) => (one: LoadedModels[number]) =>
  one.name === listedName(model, [one.name]) || one.name === `${model}:latest`

/** The memory of a loaded model. Older servers do not report it. */
const memoryOf = (loaded: LoadedModels[number] | undefined): LoadedMemory | undefined =>
  loaded?.size === undefined || loaded.size_vram === undefined
    ? undefined
    : { bytes: loaded.size, gpuBytes: loaded.size_vram, window: loaded.context_length }

const readFacts = Effect.fn("readFacts")(function* (server: Queries, model: string): Effect.fn.Return<ModelFacts> {
  const answers = Effect.all([
    server.capabilities(model),
    Effect.orElseSucceed(server.loaded, () => []),
    Effect.orElseSucceed(server.version, () => "")
  ])
  const answered = yield* Effect.result(Effect.timeout(answers, patience))
  if (answered._tag === "Failure") {
    const isMissing = answered.failure._tag === "ModelError" && answered.failure.reason._tag === "ModelMissing"
    return isMissing ? { ...unknownFacts, isMissing } : unknownFacts
  }
  const [known, loaded, version] = answered.success
  const loadedWindow = loaded.find(isNamed(model))?.context_length
  return { ...known, capacity: { ...known.capacity, loadedWindow }, refusesLong: refusesLong(version) }
})

/** How many models are queried at the same time. */
const askedAtOnce = 4

const describe = (
  { name, size }: ListedModels[number],
  loadedModels: LoadedModels,
  { abilities, capacity, isForwarded }: ModelFacts
): InstalledModel => {
  const loaded = loadedModels.find((model) => model.name === name)
  const memory = memoryOf(loaded)
  return { name, size, abilities, isForwarded, capacity: { ...capacity, loadedWindow: loaded?.context_length }, memory }
}

/** All installed models, newest first. */
const readInventory = Effect.fn("readInventory")(function* (server: Queries) {
  const models = yield* server.models
  const loaded = yield* Effect.orElseSucceed(server.loaded, () => [])
  return yield* Effect.forEach(
    models,
    (model) =>
      server.capabilities(model.name).pipe(
        Effect.orElseSucceed(() => unknownFacts),
        Effect.map((shown) => describe(model, loaded, shown))
      ),
    { concurrency: askedAtOnce }
  )
})

const decodeStep = Schema.decodeUnknownResult(PullStep)

/** The status in the last line of a download. */
const ended = "success"

async function* stepsOf(exchange: Exchange, address: ServerAddress, model: string): AsyncGenerator<PullStep, void> {
  const request = { model, stream: true }
  const pieces = await openAnswer(exchange, `${address.host}/api/pull`, request, authorization(address))
  for await (const lines of linesOf(pieces)) {
    for (const { isWhole, text } of lines) {
      if (text === "") continue
      const said = readObject(text, isWhole)
      const step = decodeStep(said)
      if (Result.isFailure(step)) throw badShape(said)
      yield step.success
      if (step.success.status === ended) return
    }
  }
  throw brokenOff("the connection ended before the model was there")
}

/** The most retries after a broken connection, and the delay before each. */
const [mostRetries, retryAfter] = [5, "1 second"] as const

/**
 * Makes the server download a model. The last step says "success". Repeats the request if the connection breaks: the
 * server keeps downloaded parts, so the download continues.
 */
const pullModel = (address: ServerAddress, model: string): Stream.Stream<PullStep, ModelError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const agent = yield* openAgent(address.host)
      const { signal } = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (call) => Effect.sync(() => call.abort(brokenOff("it is not wanted any more")))
      )
      const attempt = (retriesLeft: number): Stream.Stream<PullStep, ServerError> =>
        Stream.suspend(() => Stream.fromAsyncIterable(stepsOf({ agent, signal }, address, model), asServerError)).pipe(
          Stream.catch((error) => {
            const { _tag } = error.failure
            /** A server that never answered counts as missing. A server that answered before may be restarting. */
            const isBroken = _tag === "BrokenOff" || (_tag === "NoResponse" && retriesLeft < mostRetries)
            if (!isBroken || retriesLeft === 0) return Stream.fail(error)
            return Stream.concat(Stream.fromEffectDrain(Effect.sleep(retryAfter)), attempt(retriesLeft - 1))
          })
        )
      return URL.canParse(address.host)
        ? attempt(mostRetries)
        : Stream.fail(new ServerError({ failure: { _tag: "BadAddress", host: address.host } }))
    })
  ).pipe(Stream.mapError(({ failure }) => fromFailure(failure, spoken, address.host, model)))

export const connectOllama = Effect.fnUntraced(function* (address: ServerConnection) {
  const server = yield* openQueries(address)
  const loadedInTime = server.loaded.pipe(
    Effect.timeout(patience),
    Effect.orElseSucceed(() => undefined)
  )
  /** Concurrent queries for the loaded models share one answer. */
  const loaded = yield* Effect.cachedWithTTL(loadedInTime, valid)
  const connected: OllamaServer = {
    ...server,
    greeting: Effect.map(server.version, (version) => `Ollama ${version} at ${address.host}`),
    facts: (model) => readFacts(server, model),
    missing: (model) => {
      const { command, missing: remedy } = spoken.remedies(model)
      return { _tag: "ModelMissing", model, detail: `model '${model}' not found`, remedy, command }
    },
    memory: (model) => Effect.map(loaded, (all) => memoryOf(all?.find(isNamed(model)))),
    pull: (model) => pullModel(address, model),
    unload: server.unload,
    isLoaded: (model) => Effect.map(loaded, (all) => all?.some(isNamed(model))),
    inventory: readInventory(server)
  }
  return connected
})

/** The provider of models on an Ollama server. */
export const ollama: Provider = {
  id: "ollama",
  owns: () => true,
  server: {
    read: ({ host }) => resolveHost(host),
    save: (host) => ({ host }),
    problem: hostProblem,
    source: "OLLAMA_HOST or host",
    remedy:
      'Start it with "ollama serve", or get it from https://ollama.com/download. For a server elsewhere, set OLLAMA_HOST.',
    keyVariable: "OLLAMA_API_KEY"
  },
  connect: connectOllama,
  model: layerOllama
}
