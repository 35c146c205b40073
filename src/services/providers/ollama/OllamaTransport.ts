/**
 * The transport for what a server says of itself and its models: the part of `fetch` that the ollama package uses, over
 * node:http with one keep-alive agent. It never passes a failure to the package, which would print it. Each request has an
 * exchange of its own; the end of its scope ends the request in any state. The classes of `fetch` itself are not used: with
 * the first of them Node loads its whole client, for which a run would wait.
 */
import * as http from "node:http"
import { Agent as SecureAgent, request as secureRequest } from "node:https"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { readBadStatus } from "./OllamaErrorBody.ts"
import { OllamaError } from "./OllamaErrors.ts"
import { maxBytes, readLine } from "./OllamaLines.ts"

/** How much of an error page is read, in bytes. */
const errorBytes = 64 * 1024

/** Opens the agent that keeps connections to `host` for the next request; they close with the scope. */
export const openAgent = (host: string): Effect.Effect<http.Agent, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      host.startsWith("https:") ? new SecureAgent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
    ),
    (agent) => Effect.sync(() => agent.destroy())
  )

/** The failure of a request to which no response came. */
export const noResponse = (cause: unknown): OllamaError => {
  const code = Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : String(cause)
  return new OllamaError({ reason: { _tag: "NoResponse", detail: code } })
}

/** Reads up to `limit` bytes; a body that breaks counts as far as it came. */
const readBytes = async (
  response: http.IncomingMessage,
  limit: number
): Promise<{ readonly bytes: Uint8Array; readonly complete: boolean }> => {
  const pieces: Array<Uint8Array> = []
  let size = 0
  try {
    for await (const piece of response) {
      pieces.push(piece)
      size += piece.length
      if (size > limit) return { bytes: Buffer.concat(pieces), complete: false }
    }
  } catch {
    return { bytes: Buffer.concat(pieces), complete: false }
  }
  return { bytes: Buffer.concat(pieces), complete: true }
}

/** The failure that the answer of another status than 200 means. */
export const readRefusal = async (response: http.IncomingMessage): Promise<OllamaError> =>
  readBadStatus({
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? "",
    retryAfter: response.headers["retry-after"],
    body: Buffer.from((await readBytes(response, errorBytes)).bytes).toString("utf8")
  })

/** A request for one JSON object. */
export interface JsonRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer of the status 200. */
export interface Answer {
  readonly ok: true
  readonly json: () => Promise<unknown>
}

/** Sends one request; an answer of another status, and none, are failures. */
export type Exchange = (address: string, request?: JsonRequest) => Promise<Answer>

const readDocument = async (response: http.IncomingMessage): Promise<unknown> => {
  const { bytes, complete } = await readBytes(response, maxBytes)
  if (bytes.length > maxBytes) throw new OllamaError({ reason: { _tag: "TooLarge", limit: maxBytes } })
  const document = complete ? readLine(bytes) : Result.succeed(undefined)
  if (Result.isFailure(document)) throw document.failure
  if (document.success === undefined) {
    throw new OllamaError({ reason: { _tag: "BrokenOff", detail: "the answer ended too early" } })
  }
  return document.success.value
}

const send = (
  agent: http.Agent,
  address: string,
  { body, headers = {}, method = "GET" }: JsonRequest,
  started: (request: http.ClientRequest) => void
): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const url = new URL(address)
    const open = url.protocol === "https:" ? secureRequest : http.request
    const request = open(url, { agent, method, headers })
    started(request)
    request.on("error", (cause) => reject(noResponse(cause)))
    request.on("response", resolve)
    request.end(body)
  })

/** Opens an exchange for one request. The end of the scope ends the request. */
export const openExchange = Effect.fnUntraced(function* (
  agent: http.Agent
): Effect.fn.Return<Exchange, never, Scope.Scope> {
  let request: http.ClientRequest | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => request?.destroy()))
  return async (address, question = {}) => {
    const response = await send(agent, address, question, (sent) => {
      request = sent
    })
    if (response.statusCode !== 200) throw await readRefusal(response)
    const document = await readDocument(response)
    return { ok: true, json: () => Promise.resolve(document) }
  }
})
