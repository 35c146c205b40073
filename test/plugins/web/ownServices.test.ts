/** The model server and the services of this machine are not pages, under whatever name and in whatever spelling. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Dns from "effect/net/Dns"
import * as NetAddress from "effect/net/NetAddress"
import { WebFetch } from "../../../src/services/tools/WebFetch.ts"
import { hostAndPort } from "../../../src/domain/commands/NetworkAddress.ts"
import { type FetchOptions, layerPublicWebNoDeps } from "../../../src/plugins/web/PublicWeb.ts"
import { serve } from "../../support/WebServer.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const own = "93.184.216.40"
const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  localhost: ["127.0.0.1", "::1"],
  "docs.lan": ["127.0.0.1"],
  "models.lan": ["127.0.0.1"],
  "six.lan": ["::1"],
  "mapped.lan": ["::ffff:127.0.0.1"],
  "other.lan": ["127.8.9.10"],
  "any.lan": ["0.0.0.0"],
  "mixed.lan": ["93.184.216.34", "127.0.0.1"],
  "machine.example": [own],
  "models.example": ["93.184.216.34"],
  "alias.example": ["93.184.216.34"],
  "six.example": ["2606:2800:220:1::1"],
  "six-alias.example": ["2606:2800:220:1:0:0:0:1"],
  "tools.example": ["93.184.216.50"]
}

const dns = Layer.succeed(Dns.Dns)(
  Dns.make({
    lookup: (host) => Effect.succeed((names[host.replace(/\.$/, "")] ?? []).map(NetAddress.ipFromStringUnsafe))
  })
)

const fetch = (url: string, options: FetchOptions) =>
  Effect.flatMap(WebFetch, (web) => web.get(url)).pipe(
    Effect.map(() => "fetched"),
    Effect.catch(({ message, type }) => Effect.succeed(`${type}: ${message}`)),
    Effect.provide(
      layerPublicWebNoDeps({ interfaces: () => [own, "2606:2800:220:1::40"], ...options }).pipe(Layer.provide(dns))
    )
  )

/** A server, and the hosts that its requests named. */
const makeServer = Effect.gen(function* () {
  const requested: Array<string | undefined> = []
  const port = yield* serve((request, response) => {
    requested.push(request.headers.host)
    response.writeHead(200, { "content-type": "text/plain" }).end("page")
  })
  return { port, requested }
})

const model = (target: string) => ({ services: [{ target, what: "model server" }] })

describe("the model server on this machine", () => {
  const hosts =
    `127.0.0.1 localhost LOCALHOST localhost. docs.lan models.lan six.lan mapped.lan other.lan any.lan mixed.lan
    127.1 2130706433 0x7f000001 0177.0.0.1 127.8.9.10 0.0.0.0 0 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:0:0:1]
    [64:ff9b::127.0.0.1] 93.184.216.40 machine.example [2606:2800:220:1::40]`.split(/\s+/)

  for (const configured of ["127.0.0.1", "localhost", "models.lan", "[::1]"]) {
    nodeTest(`cannot be reached by any alias when it is configured as ${configured}`, function* () {
      const { port, requested } = yield* makeServer
      const target = `${configured}:${port}`
      for (const host of hosts) {
        const url = new URL(`http://${host}:${port}/api/tags`)
        /* A user who listed an alias, such as for another server, did not list the model server. */
        const allowed = hostAndPort(url).replace(".:", ":") === target ? [] : [hostAndPort(url)]
        assert.match(
          yield* fetch(url.href, { ...model(target), allowed }),
          /^permission_denied: .* is the model server/
        )
      }
      assert.deepStrictEqual(requested, [])
    })
  }

  nodeTest(
    "can be fetched by its own name when the user lists that, and another port is no model server",
    function* () {
      const { port } = yield* makeServer
      const target = `127.0.0.1:${port}`
      assert.strictEqual(yield* fetch(`http://${target}/`, { ...model(target), allowed: [target] }), "fetched")
      const options = { ...model("127.0.0.1:11434"), allowed: [`docs.lan:${port}`] }
      assert.strictEqual(yield* fetch(`http://docs.lan:${port}/`, options), "fetched")
    }
  )
})

describe("other services of the user", () => {
  const tools = { services: [{ target: "tools.example:443", what: "MCP server", isPublic: true }] }
  const rows: ReadonlyArray<[what: string, options: FetchOptions, urls: string, says: string]> = [
    [
      "a model server with a public address",
      model("models.example:443"),
      `https://models.example/ https://MODELS.example./ https://alias.example/ https://93.184.216.34/
      https://[::ffff:93.184.216.34]/ https://1572395042/`,
      "is the model server; to permit it, list "
    ],
    ["an address of IPv6 by its number", model("six.example:443"), "https://six-alias.example/", "is the model server"],
    [
      "what runs on the public addresses of this machine",
      {},
      `http://machine.example/ http://${own}:8080/ http://[2606:2800:220:1::40]/`,
      "is an address of this machine"
    ],
    [
      "a public MCP server by its name, with and without a dot",
      tools,
      "https://tools.example/mcp https://tools.example./mcp https://TOOLS.example:443/",
      "is the MCP server"
    ]
  ]
  for (const [what, options, urls, says] of rows) {
    nodeTest(`refuses ${what}`, function* () {
      for (const url of urls.split(/\s+/)) {
        const refused = yield* fetch(url, options)
        assert.match(refused, /^permission_denied: /)
        assert.include(refused, says)
      }
    })
  }
})
