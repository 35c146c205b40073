import { describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Dns from "effect/net/Dns"
import * as NetAddress from "effect/net/NetAddress"
import type { IncomingMessage, RequestListener } from "node:http"
import { gzipSync } from "node:zlib"
import { WebFetch } from "../../../src/services/tools/WebFetch.ts"
import { type FetchOptions, layerPublicWebNoDeps, layerPublicWeb } from "../../../src/plugins/web/PublicWeb.ts"
import { serve } from "../../support/WebServer.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { liveTest } from "../../support/liveTest.ts"

const get = (url: string, options: FetchOptions = {}) =>
  Effect.flatMap(WebFetch, (web) => web.get(url)).pipe(Effect.provide(layerPublicWeb(options)))

const outcome = <A, E extends { readonly type: string; readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ message, type }) => [type, message], onSuccess: (page) => page })

/** Fetches a path from a server with this handler, which is allowed. */
const getFrom = Effect.fnUntraced(function* (handler: RequestListener, path: string, options: FetchOptions = {}) {
  const port = yield* serve(handler)
  const found = yield* outcome(get(`http://127.0.0.1:${port}${path}`, { allowed: [`127.0.0.1:${port}`], ...options }))
  const withoutPort = JSON.stringify(found).replaceAll(String(port), "PORT")
  return JSON.parse(withoutPort) as unknown
})

const plain = { "content-type": "text/plain" }

const answer =
  (body: string | Uint8Array, headers: Record<string, string> = plain, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body)
  }

const redirectTo = (location: string): RequestListener => answer("", { location }, 302)

/** A failure to fetch the page at the root of the server. */
const cannot = (type: string, why: string) => [type, `Cannot fetch http://127.0.0.1:PORT/: ${why}.`]

const large = (megabytes: number) => cannot("output_limit", `the page is larger than ${megabytes} MB`)

const dripping: RequestListener = (_request, response) => {
  response.writeHead(200, plain)
  const drip = setInterval(() => response.write("a"), 10)
  response.on("close", () => clearInterval(drip))
}

describe("WebFetch", () => {
  nodeTest("decodes what is compressed", function* () {
    const url = "http://127.0.0.1:PORT/"
    const gzip = { "content-type": "application/json", "content-encoding": "gzip" }
    expect(yield* getFrom(answer(gzipSync("{}"), gzip), "/")).toEqual({ url, text: "{}" })
  })

  nodeTest("sends neither cookies nor credentials, also after a redirect", function* () {
    const seen: Array<IncomingMessage["headers"]> = []
    const handler: RequestListener = (request, response) => {
      seen.push(request.headers)
      const headers = { "set-cookie": "a=b", ...plain, ...(request.url === "/" ? { location: "/b" } : {}) }
      response.writeHead(request.url === "/" ? 302 : 200, headers).end("text")
    }
    yield* getFrom(handler, "/")
    const names = ["accept", "accept-encoding", "connection", "host", "user-agent"]
    expect(seen.map((headers) => Object.keys(headers).sort())).toEqual([names, names])
  })

  nodeTest("refuses every spelling of an address that is not public", function* () {
    const hosts =
      `127.0.0.1 2130706433 0x7f.1 0177.0.0.1 [::1] 0x7f000001 127.1 0 [::] [::ffff:7f00:1] [::ffff:169.254.169.254]
      [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::a00:1] [2002:7f00:1::] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [fd00::1]
      [fe80::1] 10.0.0.1 169.254.169.254 168.63.129.16 100.100.100.200 127.0.0.1. localhost`.split(/\s+/)
    const types = yield* Effect.forEach(hosts, (host) =>
      Effect.map(Effect.flip(get(`http://${host}:11434/`)), (f) => f.type)
    )
    expect(types).toEqual(hosts.map(() => "permission_denied"))
  })

  nodeTest("allows an address only as exactly this host and port", function* () {
    const port = yield* serve(answer("in"))
    const allowed = [`127.0.0.1:${port}`]
    expect(yield* get(`http://127.1:${port}/`, { allowed })).toEqual({ url: `http://127.0.0.1:${port}/`, text: "in" })
    expect(yield* outcome(get(`http://localhost:${port}/`, { allowed }))).toEqual([
      "permission_denied",
      expect.stringContaining(`list localhost:${port} under fetchAllow`)
    ])
  })

  nodeTest("refuses other schemes, credentials and what is no URL", function* () {
    for (const [url, why] of [
      ["file:///etc/passwd", "file:///etc/passwd: only http and https can be fetched."],
      ["http://me:secret@a.example/", "http://a.example/: a URL must not hold a user name or password."],
      ["nothing", "nothing: it is not a URL."]
    ] as const) {
      expect(yield* outcome(get(url))).toEqual(["validation_failed", `Cannot fetch ${why}`])
    }
  })

  nodeTest("judges every hop of a redirect", function* () {
    expect(yield* getFrom(redirectTo("http://127.0.0.2/secret"), "/")).toEqual([
      "permission_denied",
      expect.stringContaining("Cannot fetch http://127.0.0.2/secret: 127.0.0.2 is not on the public internet")
    ])
    expect(yield* getFrom(redirectTo("file:///etc/passwd"), "/")).toEqual([
      "validation_failed",
      "Cannot fetch file:///etc/passwd: only http and https can be fetched."
    ])
    expect(yield* getFrom(redirectTo("/again"), "/")).toEqual([
      "io_error",
      "Cannot fetch http://127.0.0.1:PORT/again: it redirects more than 5 times."
    ])
  })

  nodeTest("resolves a name once, requires all of its addresses to be public, and dials what it checked", function* () {
    const hosts: Array<string | undefined> = []
    const port = yield* serve((request, response) => {
      hosts.push(request.headers.host)
      answer("page")(request, response)
    })
    const lookups: Array<string> = []
    const answers: Record<string, ReadonlyArray<string>> = {
      "private.example": ["192.168.1.1"],
      "mixed.example": ["93.184.216.34", "10.0.0.1"],
      "listed.example": ["127.0.0.1"]
    }
    const dns = Layer.succeed(Dns.Dns)(
      Dns.make({
        lookup: (host) => {
          lookups.push(host)
          return Effect.succeed((answers[host] ?? []).map(NetAddress.ipFromStringUnsafe))
        }
      })
    )
    const fetch = (host: string) =>
      outcome(Effect.flatMap(WebFetch, (web) => web.get(`http://${host}:${port}/`))).pipe(
        Effect.provide(layerPublicWebNoDeps({ allowed: [`listed.example:${port}`] }).pipe(Layer.provide(dns)))
      )
    expect(yield* fetch("private.example")).toEqual(["permission_denied", expect.stringContaining("192.168.1.1")])
    expect(yield* fetch("mixed.example")).toEqual(["permission_denied", expect.stringContaining("10.0.0.1")])
    expect(yield* fetch("none.example")).toEqual([
      "io_error",
      `Cannot fetch http://none.example:${port}/: the name none.example cannot be resolved (NotFound).`
    ])
    expect(yield* fetch("listed.example")).toEqual({ url: `http://listed.example:${port}/`, text: "page" })
    expect(lookups).toEqual(["private.example", "mixed.example", "none.example", "listed.example"])
    expect(hosts).toEqual([`listed.example:${port}`])
  })

  nodeTest("refuses encodings that it does not know, also names that every object has", function* () {
    for (const encoding of ["zstd", "constructor", "__proto__", "toString", "valueof"]) {
      const found = yield* getFrom(answer("a", { ...plain, "content-encoding": encoding }), "/")
      const named = `the page is encoded as ${encoding.toLowerCase()}`
      expect(found).toEqual([expect.any(String), expect.stringContaining(named)])
    }
  })

  nodeTest("stops at the size limit, also of a page that never ends or is compressed a thousandfold", function* () {
    let sent = 0
    const endless: RequestListener = (_request, response) => {
      response.writeHead(200, plain)
      const chunk = Buffer.alloc(65_536, "a")
      const push = (): void => {
        if (response.destroyed) return
        sent += chunk.length
        if (response.write(chunk)) setImmediate(push)
        else response.once("drain", push)
      }
      push()
    }
    const gzip = { ...plain, "content-encoding": "gzip" }
    expect(yield* getFrom(answer("aa"), "/", { maxBytes: 1_000_000 })).toMatchObject({ text: "aa" })
    expect(yield* getFrom(answer(Buffer.alloc(2_000_000, "a")), "/", { maxBytes: 1_000_000 })).toEqual(large(1))
    expect(yield* getFrom(endless, "/")).toEqual(large(5))
    expect(sent).toBeLessThan(50_000_000)
    const bomb = gzipSync(Buffer.alloc(200_000_000))
    expect(bomb.length).toBeLessThan(200_000)
    expect(yield* getFrom(answer(bomb, gzip), "/")).toEqual(large(5))
  })

  nodeTest("says what the server, the connection or the page is that is no text", function* () {
    const half: RequestListener = (_request, response) => {
      response.writeHead(200, { ...plain, "content-length": "10" }).write("half")
      setImmediate(() => response.destroy())
    }
    const rows: ReadonlyArray<[handler: RequestListener, expected: unknown]> = [
      [answer("x", { "content-type": "image/png" }), cannot("parse_error", "unsupported content type image/png")],
      [
        answer("x", { "content-type": "text/plain; charset=klingon" }),
        cannot("parse_error", "unknown character set klingon")
      ],
      [answer("no", plain, 404), cannot("not_found", "the server answered 404")],
      [answer("no", plain, 503), cannot("io_error", "the server answered 503")],
      [half, ["io_error", expect.stringContaining("Cannot fetch http://127.0.0.1:PORT/: ")]]
    ]
    for (const [handler, expected] of rows) expect(yield* getFrom(handler, "/")).toEqual(expected)
  })

  liveTest("ends a page that comes in drips", function* () {
    const why = "there was no complete answer within 100ms (limits.fetchSeconds)"
    expect(yield* getFrom(dripping, "/", { timeout: "100 millis" })).toEqual(cannot("timeout", why))
  })

  nodeTest("closes the connection when it is interrupted", function* () {
    const arrived = yield* Deferred.make<void>()
    const closed = yield* Deferred.make<void>()
    const port = yield* serve((request) => {
      request.socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
      Deferred.doneUnsafe(arrived, Effect.void)
    })
    const fiber = yield* Effect.forkChild(get(`http://127.0.0.1:${port}/`, { allowed: [`127.0.0.1:${port}`] }))
    yield* Deferred.await(arrived)
    yield* Fiber.interrupt(fiber)
    yield* Deferred.await(closed)
  })
})
