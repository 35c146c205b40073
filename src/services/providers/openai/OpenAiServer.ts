/**
 * Reads which models a server offers that speaks the API of OpenAI, what it says of their windows, and how many calls it
 * works on at a time.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ModelError } from "../../../domain/models/ModelAnswer.ts"
import { fromAiError } from "../ModelErrors.ts"
import { asOllamaError, type ServerAddress } from "../ollama/OllamaClient.ts"
import { OllamaError, toAiError } from "../ollama/OllamaErrors.ts"
import { beginningOf } from "../ollama/OllamaParts.ts"
import { openAgent, openExchange } from "../ollama/OllamaTransport.ts"

/** A model on the server; `contextWindow` (tokens) is absent when the server does not say it, as most do not. */
export interface OfferedModel {
  readonly id: string
  readonly contextWindow?: number
}

export interface OpenAiServerOptions extends ServerAddress {
  /** How long the question may take; 10 seconds when absent. */
  readonly timeout?: Duration.Duration
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

const readModel = (listed: Listed): OfferedModel => {
  const contextWindow = windowOf(listed)
  return { id: listed.id, ...(contextWindow === undefined ? {} : { contextWindow }) }
}

const unreadable = (said: unknown): OllamaError =>
  new OllamaError({ reason: { _tag: "BadLine", excerpt: beginningOf(said) } })

const tooSlow = (timeout: Duration.Duration): OllamaError =>
  new OllamaError({ reason: { _tag: "NoResponse", detail: `no answer within ${Duration.format(timeout)}` } })

/** What llama.cpp's server says of itself; others have no such page, or other words on it. */
const Properties = Schema.Struct({ total_slots: Schema.Int.check(Schema.isGreaterThan(0)) })

const make = Effect.fnUntraced(function* (options: OpenAiServerOptions) {
  const agent = yield* openAgent(options.host)
  const timeout = options.timeout ?? Duration.seconds(10)
  const url = `${options.host}/models`
  const headers: Record<string, string> =
    options.apiKey === undefined ? {} : { Authorization: `Bearer ${Redacted.value(options.apiKey)}` }

  const read = Effect.fnUntraced(function* (address: string) {
    const exchange = yield* openExchange(agent)
    const said: unknown = yield* Effect.tryPromise({
      try: async () => (await exchange(address, { headers })).json(),
      catch: asOllamaError
    })
    return said
  }, Effect.scoped)

  /** The page of the server itself is beside those of the API. */
  const slots = read(`${options.host.replace(/\/v1$/, "")}/props`).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Properties)),
    Effect.map(({ total_slots }): number | undefined => total_slots),
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.undefined }),
    Effect.orElseSucceed((): number | undefined => undefined),
    Effect.withSpan("OpenAiServer.slots")
  )

  const models: Effect.Effect<ReadonlyArray<OfferedModel>, ModelError> = Effect.gen(function* () {
    const said = yield* read(url)
    const { data } = yield* Schema.decodeUnknownEffect(Models)(said).pipe(Effect.mapError(() => unreadable(said)))
    return data.map(readModel)
  }).pipe(
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooSlow(timeout)) }),
    Effect.mapError((error) =>
      fromAiError(toAiError(error, { method: "models", url, api: "OpenAI" }), {
        host: options.host,
        model: "",
        partial: ""
      })
    ),
    Effect.withSpan("OpenAiServer.models")
  )
  return OpenAiServer.of({ host: options.host, models, slots })
})

export class OpenAiServer extends Context.Service<
  OpenAiServer,
  {
    /** The base address. */
    readonly host: string
    /** What the server offers, in its order. */
    readonly models: Effect.Effect<ReadonlyArray<OfferedModel>, ModelError>
    /** How many calls it works on at a time, if it says so. */
    readonly slots: Effect.Effect<number | undefined>
  }
>()("task-conductor/services/providers/openai/OpenAiServer") {
  static readonly layer = (options: OpenAiServerOptions): Layer.Layer<OpenAiServer> =>
    Layer.effect(OpenAiServer, make(options))
}
