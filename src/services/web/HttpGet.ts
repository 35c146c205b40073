/**
 * One GET over node:http to given addresses: no redirects, no cookies, no pooled connections, a bounded body.
 * Interruption closes the socket.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as http from "node:http"
import { request as secureRequest } from "node:https"
import type { LookupFunction } from "node:net"
import { pipeline, Writable } from "node:stream"
import * as zlib from "node:zlib"

/** An address to connect to, as `dns.lookup` gives it. */
export interface Dialled {
  readonly address: string
  readonly family: 4 | 6
}

export interface HttpAnswer {
  readonly status: number
  /** Lower case, trimmed; `""` when the server did not send it. */
  readonly contentType: string
  /** The `Location` of a redirect, `""` otherwise. */
  readonly location: string
  /** Decoded; empty for a redirect. */
  readonly body: Uint8Array
}

/** Why there is no answer. `detail` is a clause, not a sentence. */
class HttpFailure extends Data.TaggedError("HttpFailure")<{
  readonly reason: "unreachable" | "too_large"
  readonly detail: string
}> {}

/** A map, since a server may name anything, also what every object has. */
const decoders: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map([
  ["gzip", () => zlib.createGunzip()],
  ["x-gzip", () => zlib.createGunzip()],
  ["deflate", () => zlib.createInflate()],
  ["br", () => zlib.createBrotliDecompress()]
])

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

const unreachable = (error: Error): HttpFailure => {
  const code = "code" in error ? String(error.code) : ""
  return new HttpFailure({ reason: "unreachable", detail: error.message === "" ? code : error.message })
}

/** Gives `node:net` the addresses that were checked, whatever the name resolves to now. */
const pinned =
  (addresses: ReadonlyArray<Dialled>): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else if (first === undefined) callback(new Error("no address"), "", 4)
    else callback(null, first.address, first.family)
  }

const readBody = (
  response: http.IncomingMessage,
  maxBytes: number,
  done: (result: Uint8Array | HttpFailure) => void
): void => {
  const chunks: Array<Buffer> = []
  let total = 0
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, next) => {
      total += chunk.length
      if (total > maxBytes) {
        // Reported at once: the pipeline before a decoder that is ended early may never finish.
        const detail = `the page is larger than ${Math.round(maxBytes / 1_000_000)} MB`
        done(new HttpFailure({ reason: "too_large", detail }))
        return
      }
      chunks.push(chunk)
      next()
    }
  })
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  const decoder = decoders.get(encoding)
  if (decoder === undefined && encoding !== "identity") {
    done(new HttpFailure({ reason: "unreachable", detail: `the page is encoded as ${encoding}` }))
    return
  }
  const finish = (error: Error | null | undefined) => done(error ? unreachable(error) : Buffer.concat(chunks, total))
  if (decoder === undefined) pipeline(response, sink, finish)
  else pipeline(response, decoder(), sink, finish)
}

const headers = {
  accept: "text/html, text/markdown, text/plain, application/json, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "task-conductor"
}

/** Sends the request to one of `addresses`; the host of the URL is only used for `Host` and TLS. */
export const httpGet = (
  url: URL,
  addresses: ReadonlyArray<Dialled>,
  maxBytes: number
): Effect.Effect<HttpAnswer, HttpFailure> =>
  Effect.callback((resume) => {
    const open = url.protocol === "https:" ? secureRequest : http.request
    const options = { agent: false, headers, lookup: pinned(addresses), method: "GET" } as const
    const request = open(url, options, (response) => {
      const status = response.statusCode ?? 0
      const answer = {
        status,
        contentType: (response.headers["content-type"] ?? "").trim().toLowerCase(),
        location: isRedirect(status) ? (response.headers.location ?? "") : "",
        body: new Uint8Array()
      }
      if (answer.location !== "") {
        resume(Effect.succeed(answer))
        request.destroy()
        return
      }
      readBody(response, maxBytes, (result) => {
        resume(result instanceof HttpFailure ? Effect.fail(result) : Effect.succeed({ ...answer, body: result }))
        request.destroy()
      })
    })
    request.on("error", (error) => resume(Effect.fail(unreachable(error))))
    request.end()
    return Effect.sync(() => request.destroy())
  })
