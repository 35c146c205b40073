/**
 * Sends the requests of all providers: a `fetch` over node:http with the time limits of this program. (Node's own fetch
 * gives up after five minutes without headers.) It fails with a `ServerError`, also for a status other than 200. The
 * signal ends a request and closes its socket at once.
 */
import * as http from "node:http"
import { Agent as SecureAgent, request as secureRequest } from "node:https"
import { setTimeout as delay } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { ServerAddress } from "./Provider.ts"
import { plainTextRefusal, schemeHint, secureFault } from "./SecureFault.ts"
import { badLine, brokenOff, readBadStatus, readObject, ServerError, type ServerFailure } from "./ServerFailure.ts"

/** The header with the key of a server; empty without a key. */
export const authorization = ({ apiKey }: ServerAddress): Record<string, string> =>
  apiKey === undefined ? {} : { Authorization: `Bearer ${Redacted.value(apiKey)}` }

/** The maximum size of a line or document, in bytes. */
export const maxBytes = 8 * 1024 * 1024

/** How many bytes of an error page are read. */
const errorBytes = 64 * 1024

/**
 * How long to wait for the end of the response after the answer is complete, in milliseconds. Only a connection whose
 * response has ended can be reused.
 */
const endGrace = 250

/**
 * An agent of `node:http` that reuses connections. This type does not name `node:http`, because a plugin may lack its
 * types.
 */
export interface Connections {
  destroy(): void
}

/** Opens an agent for `host` until the scope closes. */
export const openAgent = (host: string): Effect.Effect<Connections, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      host.startsWith("https:") ? new SecureAgent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
    ),
    (agent) => Effect.sync(() => agent.destroy())
  )

const newline = 0x0a

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : String(cause)

const tooLarge = new ServerError({ failure: { _tag: "TooLarge", limit: maxBytes } })

/** The pieces of a body. Fails if the connection ends within it. */
async function* piecesOf(response: http.IncomingMessage): AsyncGenerator<Uint8Array, void> {
  try {
    yield* response as AsyncIterable<Uint8Array>
  } catch (cause) {
    throw brokenOff(`the connection was lost (${codeOf(cause)})`)
  }
}

/** The text of a body up to a limit. If the connection broke, the text that came before. */
const readText = async (response: http.IncomingMessage, limit: number) => {
  const read: Array<Uint8Array> = []
  let size = 0
  let isWhole = true
  try {
    for await (const piece of piecesOf(response)) {
      read.push(piece)
      size += piece.length
      if (size > limit) break
    }
  } catch {
    isWhole = false
  }
  return { text: Buffer.concat(read).toString("utf8").trim(), isWhole, size }
}

/** A JSON document of limited size. */
const readDocument = async (response: http.IncomingMessage): Promise<string> => {
  const { isWhole, size, text } = await readText(response, maxBytes)
  if (size > maxBytes) throw tooLarge
  if (!isWhole || text === "") throw brokenOff("the answer ended too early")
  readObject(text)
  return text
}

/** A line of a body. The last line may be incomplete. */
export interface BodyLine {
  readonly text: string
  readonly isWhole: boolean
}

/** The trimmed lines of a body, in groups as they arrived. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ReadonlyArray<BodyLine>, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let held: Array<Uint8Array> = []
  let size = 0
  const hold = (bytes: Uint8Array): void => {
    held.push(bytes)
    size += bytes.length
    if (size > maxBytes) throw tooLarge
  }
  const take = (isWhole: boolean): BodyLine => {
    const bytes = Buffer.concat(held)
    held = []
    size = 0
    try {
      return { text: decoder.decode(bytes).trim(), isWhole }
    } catch {
      throw isWhole ? badLine(bytes.toString("utf8").trim()) : brokenOff("the answer ended in the middle of a line")
    }
  }
  for await (const piece of pieces) {
    const lines: Array<BodyLine> = []
    try {
      let start = 0
      for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, start)) {
        hold(piece.subarray(start, end))
        lines.push(take(true))
        start = end + 1
      }
      hold(piece.subarray(start))
    } finally {
      // If a line is unreadable, yields the lines above it, then fails.
      if (lines.length > 0) yield lines
    }
  }
  if (size > 0) yield [take(false)]
}

export interface Exchange {
  readonly agent: Connections
  /** The signal that ends the request. */
  readonly signal: AbortSignal
  /** Called when the server has accepted the connection. */
  readonly connected?: (() => void) | undefined
}

interface Sending {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string | undefined
}

/**
 * Reads the rest of a response body for a short time after the answer is complete. If the body ends in this time, the
 * connection can be reused.
 */
export const drain = async (pieces: AsyncIterator<unknown>): Promise<void> => {
  const rest = async () => {
    while ((await pieces.next()).done !== true);
    // The agent gets the connection back only in the next tick.
    await new Promise(setImmediate)
  }
  await Promise.race([rest().catch(() => undefined), delay(endGrace)])
}

/**
 * Errors of a reused connection that the server had closed. llama-server closes a connection after each streamed
 * answer.
 */
const closedBefore: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"])

/** The failure for a connection that ended without an answer. */
const noResponse = (cause: unknown, { href }: URL, detail: string): ServerFailure => {
  const fault = secureFault(cause, href)
  if (fault !== undefined) return { _tag: "NotSecure", fault }
  const hint = schemeHint(cause, href)
  return { _tag: "NoResponse", detail, ...(hint === undefined ? {} : { hint }) }
}

/** Sends a request, and sends it again if a reused connection turns out to be closed. */
const open = (exchange: Exchange, url: URL, sending: Sending): Promise<http.IncomingMessage> => {
  const { connected, signal } = exchange
  const agent = exchange.agent as http.Agent
  const { body, headers, method } = sending
  signal.throwIfAborted()
  const isSecure = url.protocol === "https:"
  return new Promise((resolve, reject) => {
    const request = (isSecure ? secureRequest : http.request)(url, { agent, method, headers })
    // The option `signal` is not used: with it, aborting an answer that nobody reads would cause an error of the whole
    // process.
    signal.addEventListener("abort", () => request.destroy(), { once: true })
    request.on("socket", (socket) => {
      if (request.reusedSocket) connected?.()
      else socket.once(isSecure ? "secureConnect" : "connect", () => connected?.())
    })
    request.on("error", (cause) => {
      const detail = codeOf(cause)
      if (request.reusedSocket && closedBefore.has(detail) && !signal.aborted) resolve(open(exchange, url, sending))
      else reject(new ServerError({ failure: noResponse(cause, url, detail) }))
    })
    request.on("response", resolve)
    request.end(body)
  })
}

/** Sends a request. Fails for a status other than 200. */
const send = async (exchange: Exchange, url: URL, sending: Sending): Promise<http.IncomingMessage> => {
  const response = await open(exchange, url, sending)
  const { statusCode: status = 0, statusMessage: statusText = "" } = response
  if (status === 200) return response
  const { text } = await readText(response, errorBytes)
  const fault = plainTextRefusal(text, url.href)
  throw fault === undefined
    ? readBadStatus({ status, statusText, body: text })
    : new ServerError({ failure: { _tag: "NotSecure", fault } })
}

/**
 * Makes a `fetch` for the package of a provider. `read` processes the body of a streamed answer. If `read` is absent,
 * the body is one document.
 */
export const makeFetch =
  (
    exchange: Exchange,
    read?: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  ): typeof globalThis.fetch =>
  async (input, { body, headers, method = "GET" } = {}) => {
    const sending = { method, headers: headers as Record<string, string>, body: body as string | undefined }
    const response = await send(exchange, new URL(String(input)), sending)
    return new Response(
      read === undefined ? await readDocument(response) : ReadableStream.from(read(piecesOf(response)))
    )
  }

/** Sends a JSON object. Returns the body of the response as it arrives. */
export const openAnswer = async (
  exchange: Exchange,
  url: string,
  request: object,
  headers: Record<string, string>
): Promise<AsyncIterable<Uint8Array>> =>
  piecesOf(
    await send(exchange, new URL(url), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(request)
    })
  )
