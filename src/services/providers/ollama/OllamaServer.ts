/**
 * Reads the state of an Ollama server: its version, the installed and loaded models, and the capabilities of a model.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Ollama } from "ollama/browser"
import type { ModelError } from "../../../domain/models/ModelAnswer.ts"
import { fromAiError } from "../ModelErrors.ts"
import { asOllamaError, makeClient, type ServerAddress } from "./OllamaClient.ts"
import { beginningOf } from "./OllamaParts.ts"
import { OllamaError, toAiError } from "./OllamaErrors.ts"
import { openAgent, openExchange } from "./OllamaTransport.ts"

/** A model on the server; `size` in bytes. */
export interface InstalledModel {
  readonly name: string
  readonly size: number
}

/** A model in memory. Sizes are in bytes; `contextWindow` (tokens) is absent when the server is too old to tell. */
export interface LoadedModel extends InstalledModel {
  /** The part of `size` that is in the memory of the graphics card. */
  readonly sizeVram: number
  readonly contextWindow?: number
}

/** What a model can do. A server that is too old to tell (before 0.6.4) is taken to offer completion only. */
export interface Capabilities {
  readonly completion: boolean
  readonly tools: boolean
  readonly thinking: boolean
  /** The server forwards prompts to another server. */
  readonly isForwarded?: boolean
  /** The largest context window the model was trained for, in tokens. */
  readonly contextLength?: number
  /** `num_ctx` and `temperature` as the Modelfile sets them. */
  readonly window?: number
  readonly temperature?: number
}

export interface OllamaServerOptions extends ServerAddress {
  /** How long one question may take; 10 seconds when absent. */
  readonly timeout?: Duration.Duration
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
    ...([shown.remote_host, shown.remote_model].some((remote) => (remote ?? "") !== "") ? { isForwarded: true } : {}),
    ...(length === undefined ? {} : { contextLength: length }),
    ...(window === undefined || !Number.isSafeInteger(window) || window < 1 ? {} : { window }),
    ...(temperature === undefined ? {} : { temperature })
  }
}

const readLoaded = (model: (typeof Running.Type)["models"][number]): LoadedModel => ({
  name: model.name,
  size: model.size,
  sizeVram: model.size_vram,
  ...(model.context_length === undefined ? {} : { contextWindow: model.context_length })
})

const unreadable = (said: unknown): OllamaError =>
  new OllamaError({ reason: { _tag: "BadLine", excerpt: beginningOf(said) } })

const tooSlow = (timeout: Duration.Duration): OllamaError =>
  new OllamaError({ reason: { _tag: "NoResponse", detail: `no answer within ${Duration.format(timeout)}` } })

const defaultTimeout = Duration.seconds(10)

const make = Effect.fnUntraced(function* (options: OllamaServerOptions) {
  const agent = yield* openAgent(options.host)
  const timeout = options.timeout ?? defaultTimeout

  /** Sends one query; every failure becomes an error of the domain. */
  const ask = <A>(
    path: string,
    answer: Schema.Codec<A, unknown>,
    question: (client: Ollama) => Promise<unknown>,
    model = ""
  ): Effect.Effect<A, ModelError> =>
    Effect.gen(function* () {
      const client = yield* makeClient(options, yield* openExchange(agent))
      const said = yield* Effect.tryPromise({ try: () => question(client), catch: asOllamaError })
      return yield* Schema.decodeUnknownEffect(answer)(said).pipe(Effect.mapError(() => unreadable(said)))
    }).pipe(
      Effect.scoped,
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooSlow(timeout)) }),
      Effect.mapError((error) =>
        fromAiError(toAiError(error, { method: path, url: `${options.host}/api/${path}` }), {
          host: options.host,
          model,
          partial: ""
        })
      )
    )

  return OllamaServer.of({
    host: options.host,
    version: ask("version", Version, (client) => client.version()).pipe(
      Effect.map(({ version }) => version),
      Effect.withSpan("OllamaServer.version")
    ),
    models: ask("tags", Tags, (client) => client.list()).pipe(
      Effect.map(({ models }) => models.map(({ name, size }) => ({ name, size }))),
      Effect.withSpan("OllamaServer.models")
    ),
    loaded: ask("ps", Running, (client) => client.ps()).pipe(
      Effect.map(({ models }) => models.map(readLoaded)),
      Effect.withSpan("OllamaServer.loaded")
    ),
    capabilities: Effect.fn("OllamaServer.capabilities")((model: string) =>
      ask("show", Show, (client) => client.show({ model }), model).pipe(Effect.map(readCapabilities))
    )
  })
})

export class OllamaServer extends Context.Service<
  OllamaServer,
  {
    /** The address that is asked. */
    readonly host: string
    readonly version: Effect.Effect<string, ModelError>
    /** What is installed, in the server's order: newest first. */
    readonly models: Effect.Effect<ReadonlyArray<InstalledModel>, ModelError>
    /** What is in memory now. */
    readonly loaded: Effect.Effect<ReadonlyArray<LoadedModel>, ModelError>
    /** Fails with `ModelMissing` when the server does not have the model. */
    capabilities(model: string): Effect.Effect<Capabilities, ModelError>
  }
>()("task-conductor/services/providers/ollama/OllamaServer") {
  static readonly layer = (options: OllamaServerOptions): Layer.Layer<OllamaServer> =>
    Layer.effect(OllamaServer, make(options))
}
