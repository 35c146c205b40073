/**
 * The transport for what a server says of itself and its models: a `fetch`, such as the ollama package needs, over
 * node:http with one keep-alive agent. It never passes a failure to the package, which would print it. Each request has an
 * exchange of its own; the end of its scope ends the request in any state.
 */
import * as http from "node:http"
import * as https from "node:https"
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
      host.startsWith("https:") ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
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

const readDocument = async (response: http.IncomingMessage): Promise<string> => {
  const { bytes, complete } = await readBytes(response, maxBytes)
  if (bytes.length > maxBytes) throw new OllamaError({ reason: { _tag: "TooLarge", limit: maxBytes } })
  const document = complete ? readLine(bytes) : Result.succeed(undefined)
  if (Result.isFailure(document)) throw document.failure
  if (document.success === undefined) {
    throw new OllamaError({ reason: { _tag: "BrokenOff", detail: "the answer ended too early" } })
  }
  return JSON.stringify(document.success.value)
}

const send = (
  agent: http.Agent,
  url: URL,
  init: RequestInit | undefined,
  started: (request: http.ClientRequest) => void
): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(url, {
      agent,
      method: init?.method ?? "GET",
      headers: Object.fromEntries(new Headers(init?.headers))
    })
    started(request)
    request.on("error", (cause) => reject(noResponse(cause)))
    request.on("response", resolve)
    request.end(typeof init?.body === "string" ? init.body : undefined)
  })

/** Makes a `fetch` for one request whose answer is one JSON object. The end of the scope ends the request. */
export const openExchange = Effect.fnUntraced(function* (
  agent: http.Agent
): Effect.fn.Return<typeof fetch, never, Scope.Scope> {
  let request: http.ClientRequest | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => request?.destroy()))
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const response = await send(agent, url, init, (sent) => {
      request = sent
    })
    if (response.statusCode !== 200) throw await readRefusal(response)
    return new Response(await readDocument(response))
  }
})
