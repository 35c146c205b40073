/**
 * A client of the ollama package for one exchange. Each request has its own client, since the package can only stop all
 * requests of a client together.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Ollama } from "ollama/browser"
import { OllamaError } from "./OllamaErrors.ts"
import type { Exchange } from "./OllamaTransport.ts"

/** How the server is reached. */
export interface ServerAddress {
  /** Base address, from `resolveHost`. */
  readonly host: string
  /** Sent as bearer token, for servers behind a proxy that wants one. */
  readonly apiKey?: Redacted.Redacted
}

/** Makes a client that speaks through one exchange. @internal */
export const makeClient = (address: ServerAddress, exchange: Exchange): Effect.Effect<Ollama, OllamaError> =>
  Effect.try({
    try: () =>
      new Ollama({
        host: address.host,
        /* The package asks for whole documents only, for which it uses no more of a `fetch`. */
        fetch: exchange as unknown as typeof globalThis.fetch,
        headers: address.apiKey === undefined ? {} : { Authorization: `Bearer ${Redacted.value(address.apiKey)}` }
      }),
    catch: () => new OllamaError({ reason: { _tag: "BadAddress", host: address.host } })
  })

/** An error of the package that does not come from the transport means an answer that it could not read. */
export const asOllamaError = (cause: unknown): OllamaError =>
  cause instanceof OllamaError
    ? cause
    : new OllamaError({ reason: { _tag: "BadLine", excerpt: cause instanceof Error ? cause.message : String(cause) } })
