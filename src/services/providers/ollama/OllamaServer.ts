/**
 * Asks an Ollama server: its version, the installed and loaded models, what each model can do, and which facts of a model
 * a run needs.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ollama } from "ollama/browser"
import type { InstalledModel } from "../../../domain/models/InstalledModel.ts"
import type { ModelError } from "../../../domain/models/ModelAnswer.ts"
import { fromFailure } from "../ModelErrors.ts"
import { type Facts, type ModelServer, type ServerAddress, unknownFacts } from "../Provider.ts"
import { asServerError, badShape, ServerError } from "../ServerFailure.ts"
import { authorization, makeFetch, openAgent } from "../ServerTransport.ts"
import { spoken } from "./OllamaHost.ts"

/** A model on the server; `size` in bytes. */
interface ListedModel {
  readonly name: string
  readonly size: number
}

/** A model in memory. Sizes are in bytes; `contextWindow` (tokens) is absent when the server is too old to tell. */
export interface LoadedModel extends ListedModel {
  /** The part of `size` that is in the memory of the graphics card. */
  readonly sizeVram: number
  readonly contextWindow: number | undefined
}

/** What a model can do. A server that is too old to tell (before 0.6.4) is taken to offer completion only. */
export interface Capabilities {
  readonly completion: boolean
  readonly tools: boolean
  readonly thinking: boolean
  /** The server forwards prompts to another server. */
  readonly isForwarded: boolean
  /** The largest context window the model was trained for, in tokens. */
  readonly contextLength: number | undefined
  /** `num_ctx` and `temperature` as the Modelfile sets them. */
  readonly window: number | undefined
  readonly temperature: number | undefined
}

export interface OllamaServerOptions extends ServerAddress {
  /** How long one question may take; 10 seconds when absent. */
  readonly patience?: Duration.Input
}

const Version = Schema.Struct({ version: Schema.String })
const Tags = Schema.Struct({
  models: Schema.Array(Schema.Struct({ name: Schema.String, size: Schema.Finite }))
})
const Running = Schema.Struct({
  models: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      size: Schema.Finite,
      size_vram: Schema.Finite,
      context_length: Schema.optionalKey(Schema.Finite)
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

/** The key of the length begins with the name of the model's architecture. */
const contextLength = (info: Readonly<Record<string, unknown>>): number | undefined => {
  const length = info[`${String(info["general.architecture"])}.context_length`]
  return typeof length === "number" && Number.isSafeInteger(length) ? length : undefined
}

/** A number in the parameters of a Modelfile, which are lines of a name and a value. */
const parameter = (text: string, name: string): number | undefined => {
  const value = new RegExp(String.raw`^\s*${name}\s+"?(-?\d+(?:\.\d+)?)"?\s*$`, "m").exec(text)?.[1]
  return value === undefined ? undefined : Number(value)
}

const readCapabilities = (shown: typeof Show.Type): Capabilities => {
  const names = shown.capabilities ?? ["completion"]
  const length = contextLength(shown.model_info ?? {})
  const window = parameter(shown.parameters ?? "", "num_ctx")
  const temperature = parameter(shown.parameters ?? "", "temperature")
  return {
    completion: names.includes("completion"),
    tools: names.includes("tools"),
    thinking: names.includes("thinking"),
    isForwarded: [shown.remote_host, shown.remote_model].some((remote) => (remote ?? "") !== ""),
    contextLength: length,
    window: window === undefined || !Number.isSafeInteger(window) || window < 1 ? undefined : window,
    temperature
  }
}

const readLoaded = (model: (typeof Running.Type)["models"][number]): LoadedModel => ({
  name: model.name,
  size: model.size,
  sizeVram: model.size_vram,
  contextWindow: model.context_length
})

const tooSlow = (timeout: Duration.Duration): ServerError =>
  new ServerError({ failure: { _tag: "NoResponse", detail: `no answer within ${Duration.format(timeout)}` } })

/** What can be asked of an Ollama server in particular. */
interface Queries {
  readonly version: Effect.Effect<string, ModelError>
  /** What is installed, in the server's order: newest first. */
  readonly models: Effect.Effect<ReadonlyArray<ListedModel>, ModelError>
  /** What is in memory now. */
  readonly loaded: Effect.Effect<ReadonlyArray<LoadedModel>, ModelError>
  /** Fails with `ModelMissing` when the server does not have the model. */
  readonly capabilities: (model: string) => Effect.Effect<Capabilities, ModelError>
}

export type OllamaServer = ModelServer & Queries

const make = Effect.fnUntraced(function* (address: OllamaServerOptions) {
  const { host } = address
  const agent = yield* openAgent(host)
  const timeout = Duration.fromInputUnsafe(address.patience ?? "10 seconds")

  /** Sends one query; every failure becomes an error of the domain. */
  const ask = <A>(
    answer: Schema.Codec<A, unknown>,
    question: (client: Ollama) => Promise<unknown>,
    model = ""
  ): Effect.Effect<A, ModelError> =>
    Effect.gen(function* () {
      const said = yield* Effect.tryPromise({
        try: (signal) => {
          if (!URL.canParse(host)) throw new ServerError({ failure: { _tag: "BadAddress", host } })
          return question(new Ollama({ host, fetch: makeFetch({ agent, signal }), headers: authorization(address) }))
        },
        catch: asServerError
      })
      return yield* Schema.decodeUnknownEffect(answer)(said).pipe(Effect.mapError(() => badShape(said)))
    }).pipe(
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooSlow(timeout)) }),
      Effect.mapError(({ failure }) => fromFailure(failure, spoken, host, model))
    )

  const queries: Queries = {
    version: Effect.map(
      ask(Version, (client) => client.version()),
      ({ version }) => version
    ),
    models: Effect.map(
      ask(Tags, (client) => client.list()),
      ({ models }) => models.map(({ name, size }) => ({ name, size }))
    ),
    loaded: Effect.map(
      ask(Running, (client) => client.ps()),
      ({ models }) => models.map(readLoaded)
    ),
    capabilities: (model) =>
      Effect.map(
        ask(Show, (client) => client.show({ model }), model),
        readCapabilities
      )
  }
  return queries
})

/** How long a run waits for facts before it does without them: a server that hangs is reported by the first call. */
const patience = "2 seconds"

/** How long an answer about the loaded models holds. */
const valid = "1 second"

const isNamed = (model: string) => (one: ListedModel) => one.name === model || one.name === `${model}:latest`

const readFacts = Effect.fn("readFacts")(function* (server: Queries, model: string) {
  const answers = Effect.all([server.capabilities(model), Effect.orElseSucceed(server.loaded, () => [])])
  const answered = yield* Effect.result(Effect.timeout(answers, patience))
  if (answered._tag === "Failure") {
    const isMissing = answered.failure._tag === "ModelError" && answered.failure.reason._tag === "ModelMissing"
    return isMissing ? { ...unknownFacts, isMissing } : unknownFacts
  }
  const [{ contextLength, isForwarded, temperature, thinking, tools, window }, loaded] = answered.success
  const facts: Facts = {
    isKnown: true,
    thinks: thinking,
    canCallTools: tools,
    isForwarded,
    supportedWindow: contextLength,
    window,
    temperature,
    loadedWindow: loaded.find(isNamed(model))?.contextWindow
  }
  return facts
})

/** How many models are asked about at the same time. */
const askedAtOnce = 4

const describe = (
  { name, size }: ListedModel,
  loaded: ReadonlyArray<LoadedModel>,
  shown: Capabilities | undefined
): InstalledModel => ({
  name,
  size,
  /* A model that the server says nothing of is taken for one that writes text. */
  completion: shown?.completion ?? true,
  tools: shown?.tools ?? false,
  thinking: shown?.thinking ?? false,
  isForwarded: shown?.isForwarded ?? false,
  supportedWindow: shown?.contextLength,
  modelfileWindow: shown?.window,
  loadedWindow: loaded.find((model) => model.name === name)?.contextWindow
})

/** Everything that is installed, in the server's order: newest first. */
const readInventory = Effect.fn("readInventory")(function* (server: Queries) {
  const models = yield* server.models
  const loaded = yield* Effect.orElseSucceed(server.loaded, () => [])
  return yield* Effect.forEach(
    models,
    (model) =>
      server.capabilities(model.name).pipe(
        Effect.orElseSucceed(() => undefined),
        Effect.map((shown) => describe(model, loaded, shown))
      ),
    { concurrency: askedAtOnce }
  )
})

export const connectOllama = Effect.fnUntraced(function* (address: OllamaServerOptions) {
  const server = yield* make(address)
  const asked = server.loaded.pipe(
    Effect.timeout(patience),
    Effect.orElseSucceed(() => undefined)
  )
  /* Calls that wait at the same time share one answer. */
  const loaded = yield* Effect.cachedWithTTL(asked, valid)
  const connected: OllamaServer = {
    ...server,
    greeting: Effect.map(server.version, (version) => `Ollama ${version} at ${address.host}`),
    facts: (model) => readFacts(server, model),
    missing: (model) => {
      const { command, missing: remedy } = spoken.remedies(model)
      return { _tag: "ModelMissing", model, detail: `model '${model}' not found`, remedy, command }
    },
    isLoaded: (model) => Effect.map(loaded, (all) => all?.some(isNamed(model))),
    inventory: readInventory(server)
  }
  return connected
})
