/** MCP servers whose certificates are not trusted, with the scheme of the other kind, and with the old transport. */
import { createServer, type Server } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeCertificate } from "../../support/Certificate.ts"
import { liveTest } from "../../support/liveTest.ts"
import { openMcp } from "../../support/OpenMcp.ts"

const { certificate, key } = makeCertificate("IP:127.0.0.1")

const open = (server: Server, scheme: string) =>
  Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map(() => `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`))

const variants: ReadonlyArray<readonly [name: string, server: () => Server, scheme: string, says: RegExp]> = [
  [
    "a certificate of an authority that is not trusted",
    () => createSecureServer({ cert: certificate, key }),
    "https",
    /a server answers at HOST, but its certificate is signed by an authority that is not trusted here .*NODE_EXTRA_CA_CERTS/
  ],
  [
    "an address that takes no requests, such as one of the old transport",
    () => createServer((_, response) => response.writeHead(405).end()),
    "http",
    /nothing speaks streamable HTTP at its address \(status 405\)\..*the old transport "sse" is not supported/
  ]
]

describe("an MCP server is not used, and the reason is named:", () => {
  for (const [name, server, scheme, says] of variants) {
    liveTest(name, function* () {
      const url = yield* open(server(), scheme)
      const { problems } = yield* openMcp({ own: { s: { url } } })
      assert.match(problems.join().replaceAll(/127\.0\.0\.1:\d+/g, "HOST"), says)
    })
  }
})
