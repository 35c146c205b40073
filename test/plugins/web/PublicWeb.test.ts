import { describe, expect, it } from "@effect/vitest"
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

const answer =
  (body: string | Uint8Array, headers: Record<string, string> = { "content-type": "text/plain" }): RequestListener =>
  (_request, response) => {
    response.writeHead(200, headers).end(body)
  }

const redirectTo =
  (location: string): RequestListener =>
  (_request, response) => {
    response.writeHead(302, { location }).end()
  }

const answerWith =
  (status: number): RequestListener =>
  (_request, response) => {
    response.writeHead(status).end("no")
  }

const noText = (why: string) => ["parse_error", `Cannot fetch http://127.0.0.1:PORT/: ${why}.`]

describe("WebFetch", () => {
  it.effect("gives a page as text, and HTML as markdown with its title", () =>
    Effect.gen(function* () {
      const html = { "content-type": "text/html; charset=utf-8" }
      expect(yield* getFrom(answer("grün"), "/a")).toEqual({ url: "http://127.0.0.1:PORT/a", text: "grün" })
      expect(yield* getFrom(answer('<title>Tea</title><p><a href="b">Mint</a>', html), "/a/")).toEqual({
        url: "http://127.0.0.1:PORT/a/",
        title: "Tea",
        text: "# Tea\n\n[Mint](http://127.0.0.1:PORT/a/b)"
      })
      expect(yield* getFrom(answer("<div>".repeat(20_000), html), "/")).toEqual(
        noText("its HTML is nested too deeply or too large to be turned into text")
      )
    })
  )

  it.effect("decodes what is compressed and other character sets", () =>
    Effect.gen(function* () {
      const gzip = { "content-type": "application/json", "content-encoding": "gzip" }
      const latin = { "content-type": "text/plain; charset=ISO-8859-1" }
      expect(yield* getFrom(answer(gzipSync("{}"), gzip), "/")).toEqual({ url: "http://127.0.0.1:PORT/", text: "{}" })
      expect(yield* getFrom(answer(new Uint8Array([0xe9]), latin), "/")).toEqual({
        url: "http://127.0.0.1:PORT/",
        text: "é"
      })
    })
  )

  it.effect("sends neither cookies nor credentials, also after a redirect", () =>
    Effect.gen(function* () {
      const seen: Array<IncomingMessage["headers"]> = []
      const handler: RequestListener = (request, response) => {
        seen.push(request.headers)
        const headers = {
          "set-cookie": "a=b",
          "content-type": "text/plain",
          ...(request.url === "/" ? { location: "/b" } : {})
        }
        response.writeHead(request.url === "/" ? 302 : 200, headers).end("text")
      }
      yield* getFrom(handler, "/")
      const names = ["accept", "accept-encoding", "connection", "host", "user-agent"]
      expect(seen.map((headers) => Object.keys(headers).sort())).toEqual([names, names])
    })
  )

  it.effect("refuses every spelling of an address that is not public", () =>
    Effect.gen(function* () {
      const hosts = [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::1]",
        "0x7f000001",
        "127.1",
        "0",
        "[::]",
        "[::ffff:7f00:1]",
        "[::ffff:169.254.169.254]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::a00:1]",
        "[2002:7f00:1::]",
        "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
        "[fd00::1]",
        "[fe80::1]",
        "10.0.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "127.0.0.1.",
        "localhost"
      ]
      const types = yield* Effect.forEach(hosts, (host) =>
        Effect.map(Effect.flip(get(`http://${host}:11434/`)), (f) => f.type)
      )
      expect(types).toEqual(hosts.map(() => "permission_denied"))
    })
  )

  it.effect("allows an address only as exactly this host and port", () =>
    Effect.gen(function* () {
      const port = yield* serve(answer("in"))
      const allowed = [`127.0.0.1:${port}`]
      expect(yield* get(`http://127.1:${port}/`, { allowed })).toEqual({ url: `http://127.0.0.1:${port}/`, text: "in" })
      expect(yield* outcome(get(`http://localhost:${port}/`, { allowed }))).toEqual([
        "permission_denied",
        expect.stringContaining(`list localhost:${port} under fetchAllow`)
      ])
    })
  )

  it.effect("refuses the model server, also where it is public, unless it is listed", () =>
    Effect.gen(function* () {
      const port = yield* serve(answer("in"))
      const url = `http://127.0.0.1:${port}/`
      const allowed = [`127.0.0.1:${port}`]
      const services = [...allowed, "models.example:443"].map((target) => ({ target, what: "model server" }))
      expect(yield* outcome(get("https://models.example/api/tags", { services }))).toEqual([
        "permission_denied",
        "Cannot fetch https://models.example/api/tags: models.example:443 is the model server; to permit it, list models.example:443 under fetchAllow in your user configuration."
      ])
      expect(yield* outcome(get(url, { services }))).toEqual(["permission_denied", expect.any(String)])
      expect(yield* outcome(get(url, { services, allowed }))).toEqual({ url, text: "in" })
    })
  )

  it.effect("refuses other schemes, credentials and what is no URL", () =>
    Effect.gen(function* () {
      expect(
        yield* Effect.forEach(["file:///etc/passwd", "http://me:secret@a.example/", "nothing"], (url) =>
          outcome(get(url))
        )
      ).toEqual([
        ["validation_failed", "Cannot fetch file:///etc/passwd: only http and https can be fetched."],
        ["validation_failed", "Cannot fetch http://a.example/: a URL must not hold a user name or password."],
        ["validation_failed", "Cannot fetch nothing: it is not a URL."]
      ])
    })
  )

  it.effect("judges every hop of a redirect", () =>
    Effect.gen(function* () {
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
  )

  it.effect("asks before it follows a redirect and stops when it may not", () =>
    Effect.gen(function* () {
      const requested: Array<string | undefined> = []
      const port = yield* serve((request, response) => {
        requested.push(request.url)
        response.writeHead(301, { location: "/b" }).end()
      })
      const refused = yield* Effect.flatMap(WebFetch, (web) =>
        web.get(`http://127.0.0.1:${port}/a`, (url) => Effect.fail(`not ${url}`))
      ).pipe(Effect.provide(layerPublicWeb({ allowed: [`127.0.0.1:${port}`] })), Effect.flip)
      expect(refused).toBe(`not http://127.0.0.1:${port}/b`)
      expect(requested).toEqual(["/a"])
    })
  )

  it.effect("resolves a name once, requires all of its addresses to be public, and dials what it checked", () =>
    Effect.gen(function* () {
      const hosts: Array<string | undefined> = []
      const port = yield* serve((request, response) => {
        hosts.push(request.headers.host)
        response.writeHead(200, { "content-type": "text/plain" }).end("page")
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
  )

  it.effect("refuses encodings that it does not know, also names that every object has", () =>
    Effect.gen(function* () {
      for (const encoding of ["zstd", "constructor", "__proto__", "toString", "valueof"]) {
        const headers = { "content-type": "text/plain", "content-encoding": encoding }
        const named = `the page is encoded as ${encoding.toLowerCase()}`
        const [, message] = (yield* getFrom(answer("a", headers), "/")) as ReadonlyArray<string>
        expect([encoding, message]).toEqual([encoding, expect.stringContaining(named)])
      }
    })
  )

  it.effect("stops at the size limit, also of what is compressed", () =>
    Effect.gen(function* () {
      const big = Buffer.alloc(3_000_000, "a")
      const gzip = { "content-type": "text/plain", "content-encoding": "gzip" }
      const failure = ["output_limit", "Cannot fetch http://127.0.0.1:PORT/: the page is larger than 2 MB."]
      expect(yield* getFrom(answer(big), "/", { maxBytes: 2_000_000 })).toEqual(failure)
      expect(yield* getFrom(answer(gzipSync(big), gzip), "/", { maxBytes: 2_000_000 })).toEqual(failure)
    })
  )

  it.effect("stops reading a page that names no length and never ends, and one that is compressed a thousandfold", () =>
    Effect.gen(function* () {
      let sent = 0
      const endless: RequestListener = (_request, response) => {
        response.writeHead(200, { "content-type": "text/plain" })
        const chunk = Buffer.alloc(65_536, "a")
        const push = (): void => {
          if (response.destroyed) return
          sent += chunk.length
          if (response.write(chunk)) setImmediate(push)
          else response.once("drain", push)
        }
        push()
      }
      const failure = ["output_limit", "Cannot fetch http://127.0.0.1:PORT/: the page is larger than 5 MB."]
      expect(yield* getFrom(endless, "/")).toEqual(failure)
      expect(sent).toBeLessThan(50_000_000)
      const bomb = gzipSync(Buffer.alloc(200_000_000))
      expect(bomb.length).toBeLessThan(200_000)
      const gzip = { "content-type": "text/plain", "content-encoding": "gzip" }
      expect(yield* getFrom(answer(bomb, gzip), "/")).toEqual(failure)
    })
  )

  it.effect("takes text only and says what else it is", () =>
    Effect.gen(function* () {
      expect(yield* getFrom(answer("x", { "content-type": "image/png" }), "/")).toEqual(
        noText("unsupported content type image/png")
      )
      expect(yield* getFrom(answer("a\0b"), "/")).toEqual(noText("it is binary"))
      expect(yield* getFrom(answer(new Uint8Array([1, 0xff]), {}), "/")).toEqual(noText("it is binary"))
      expect(yield* getFrom(answer("x", { "content-type": "text/plain; charset=klingon" }), "/")).toEqual(
        noText("unknown character set klingon")
      )
    })
  )

  it.effect("says what the server or the connection said", () =>
    Effect.gen(function* () {
      expect(yield* getFrom(answerWith(404), "/")).toEqual([
        "not_found",
        "Cannot fetch http://127.0.0.1:PORT/: the server answered 404."
      ])
      expect(yield* getFrom(answerWith(503), "/")).toEqual([
        "io_error",
        "Cannot fetch http://127.0.0.1:PORT/: the server answered 503."
      ])
      expect(
        yield* getFrom((_request, response) => {
          response.writeHead(200, { "content-type": "text/plain", "content-length": "10" }).write("half")
          setImmediate(() => response.destroy())
        }, "/")
      ).toEqual(["io_error", expect.stringContaining("Cannot fetch http://127.0.0.1:PORT/: ")])
    })
  )

  it.live("ends a page that comes in drips", () =>
    Effect.gen(function* () {
      const slow = yield* getFrom(
        (_request, response) => {
          response.writeHead(200, { "content-type": "text/plain" })
          const drip = setInterval(() => response.write("a"), 10)
          response.on("close", () => clearInterval(drip))
        },
        "/",
        { timeout: "100 millis" }
      )
      expect(slow).toEqual([
        "timeout",
        "Cannot fetch http://127.0.0.1:PORT/: there was no complete answer within 100ms (limits.fetchSeconds)."
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("closes the connection when it is interrupted", () =>
    Effect.gen(function* () {
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
  )
})
