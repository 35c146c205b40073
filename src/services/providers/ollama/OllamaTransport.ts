/**
 * The transport to a model server: a `fetch`, such as the ollama package needs, over node:http with one keep-alive agent. It has
 * no time limits of its own (Node's fetch gives up after five minutes without headers, whatever a person set) and never passes a failure to the package, which would print it. Each request has an exchange of its own; the
 * end of its scope ends the request in any state.
 */
import * as http from "node:http"
import * as https from "node:https"
import { ReadableStream } from "node:stream/web"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { readBadStatus } from "./OllamaErrorBody.ts"
import { OllamaError } from "./OllamaErrors.ts"
import { type BodyState, guardLines, maxBytes, readLine } from "./OllamaLines.ts"

/** How much of an error page is read, in bytes. */
const errorBytes = 64 * 1024

/** How long the server may take to end an answer after its last line before the connection is given up. */
const endGrace = "250 millis"

/** Opens the agent that keeps connections to `host` for the next request; they close with the scope. */
export const openAgent = (host: string): Effect.Effect<http.Agent, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      host.startsWith("https:") ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
    ),
    (agent) => Effect.sync(() => agent.destroy())
  )

const noResponse = (cause: unknown): OllamaError => {
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

const readDocument = async (response: http.IncomingMessage): Promise<string> => {
  const { bytes, complete } = await readBytes(response, maxBytes)
  if (bytes.length > maxBytes) throw new OllamaError({ reason: { _tag: "TooLarge", limit: maxBytes } })
  const document = complete ? readLine(bytes) : Result.succeed(undefined)
  if (Result.isFailure(document)) throw document.failure
  if (document.success === undefined) {
    throw new OllamaError({ reason: { _tag: "BrokenOff", detail: "the answer ended too early" } })
  }
  return document.success.text
}

/** What is told while a request is sent. */
interface SendHooks {
  readonly started: (request: http.ClientRequest) => void
  /** The server has accepted the connection. */
  readonly connected: () => void
}

const send = (
  agent: http.Agent,
  url: URL,
  init: RequestInit | undefined,
  { connected, started }: SendHooks
): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(url, {
      agent,
      method: init?.method ?? "GET",
      headers: Object.fromEntries(new Headers(init?.headers))
    })
    started(request)
    request.on("socket", (socket) => {
      if (request.reusedSocket) connected()
      else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", connected)
    })
    request.on("error", (cause) => reject(noResponse(cause)))
    request.on("response", resolve)
    request.end(typeof init?.body === "string" ? init.body : undefined)
  })

/** Makes valid lines of a body. */
type Guard = (body: AsyncIterable<Uint8Array>, state: BodyState) => AsyncGenerator<Uint8Array, void, void>

/**
 * Makes a `fetch` for one request. `lines` is an answer that streams in lines, `document` one JSON object; another guard
 * makes lines of what streams in another form. When the
 * scope ends, a finished answer leaves its connection to the agent; any other has its socket closed at once.
 */
export const openExchange = Effect.fnUntraced(function* (
  agent: http.Agent,
  kind: "lines" | "document" | Guard,
  connected: () => void = () => undefined
): Effect.fn.Return<typeof fetch, never, Scope.Scope> {
  const state: BodyState = { done: false }
  let request: http.ClientRequest | undefined
  const started = (sent: http.ClientRequest) => {
    request = sent
  }
  /** Reads to the end of a body whose last line has been seen. */
  let readOn: (() => Promise<unknown>) | undefined

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => (state.done && readOn !== undefined ? Effect.promise(readOn) : Effect.void)).pipe(
      Effect.interruptible,
      Effect.timeoutOption(endGrace),
      Effect.andThen(Effect.sync(() => request?.destroy()))
    )
  )

  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const response = await send(agent, url, init, { started, connected })
    if (response.statusCode !== 200) {
      throw readBadStatus({
        status: response.statusCode ?? 0,
        statusText: response.statusMessage ?? "",
        retryAfter: response.headers["retry-after"],
        body: Buffer.from((await readBytes(response, errorBytes)).bytes).toString("utf8")
      })
    }
    if (kind === "document") return new Response(await readDocument(response))
    const lines = (kind === "lines" ? guardLines : kind)(response, state)
    readOn = () => lines.next()
    return new Response(ReadableStream.from(lines))
  }
})
