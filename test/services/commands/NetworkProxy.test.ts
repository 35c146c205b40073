import { assert, describe, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import * as net from "node:net"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openNetwork as open } from "../../support/openNetwork.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { serve } from "../../support/WebServer.ts"

const answering = Effect.gen(function* () {
  const seen: Array<string> = []
  const port = yield* serve((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`)
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => response.end(`answer ${Buffer.concat(parts).length}`))
  })
  return { port, seen }
})

/** Asks the proxy for a page, as programs do for plain HTTP. */
const fetching = (url: string, length = 0) =>
  `const r = require("node:http").request({ agent: new (require("node:http").Agent)(), host: "127.0.0.1", port: 3128, method: ${length} === 0 ? "GET" : "POST", path: "${url}", headers: { host: "x" } }, (a) => { process.stdout.write(a.statusCode + " "); a.on("data", (d) => process.stdout.write(String(d))).on("end", () => process.exit(a.statusCode === 200 ? 0 : 1)) }); r.end("x".repeat(${length}))`

/** Asks for a tunnel and then for a page through it, as programs do for HTTPS. */
const tunnelling = (port: number) =>
  `require("node:http").request({ agent: new (require("node:http").Agent)(), host: "127.0.0.1", port: 3128, method: "CONNECT", path: "127.0.0.1:${port}" }).on("connect", (r, s, head) => { console.log(r.statusCode); process.stdout.write(head); if (r.statusCode !== 200) process.exit(1); s.on("data", (d) => process.stdout.write(d)).on("end", () => process.exit(0)); s.write("GET /t HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n") }).end()`

describe("a list of hosts for commands", needs("bwrap"), () => {
  liveTest("lets a command reach a listed host and port, whatever it sends", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* answering
      const { program } = yield* open([`127.0.0.1:${port}`])
      const url = `http://127.0.0.1:${port}/a?b`
      assert.deepInclude(yield* program(fetching(url)), { exit_code: 0, output: "200 answer 0" })
      const posting = fetching(url, 3_000_000)
      assert.deepInclude(yield* program(posting), { exit_code: 0, output: "200 answer 3000000" })
      assert.deepStrictEqual(seen, [`GET /a?b 127.0.0.1:${port}`, `POST /a?b 127.0.0.1:${port}`])
      assert.match((yield* program(tunnelling(port))).output, /^200\nHTTP\/1\.1 200 OK[^]*answer 0/)
      assert.strictEqual(seen[2], "GET /t x")
    })
  )

  liveTest("brings the last words of a server that closes at once, and the end", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const made = net.createServer((socket) =>
            socket
              .on("error", () => undefined)
              .resume()
              .end("answer 0")
          )
          await once(made.listen(0, "127.0.0.1"), "listening")
          return made
        }),
        (made) => Effect.sync(() => made.close())
      )
      const { port } = server.address() as net.AddressInfo
      const { program } = yield* open([`127.0.0.1:${port}`])
      const many = `let open = 50; process.exit = () => { open -= 1; if (open === 0) process.reallyExit(0) }
setTimeout(() => process.reallyExit(7), 20000)
for (let n = 0; n < 50; n += 1) ${tunnelling(port)}`
      const { exit_code, output } = yield* program(many)
      assert.strictEqual(exit_code, 0, output)
      assert.lengthOf(output.match(/answer 0/g) ?? [], 50)
    })
  )

  liveTest("refuses other hosts and ports, and names the setting", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* answering
      const listed = "registry.example"
      const { program } = yield* open([listed, "127.0.0.1:1"])
      for (const text of [fetching(`http://127.0.0.1:${port}/`), tunnelling(port)]) {
        const { exit_code, output, sandbox = "" } = yield* program(text)
        assert.strictEqual(exit_code, 1)
        assert.include(output, "403")
        assert.include(sandbox, `it refused 127.0.0.1:${port}.`)
        assert.include(sandbox, `"network": ["${listed}","127.0.0.1:1","127.0.0.1:${port}"]`)
      }
      assert.deepStrictEqual(seen, [])
    })
  )

  liveTest("refuses an address of this machine that is listed without its port", () =>
    Effect.gen(function* () {
      const { program } = yield* open(["127.0.0.1", "localhost", "127.0.0.1:1", "localhost:1"])
      for (const host of ["127.0.0.1", "localhost"]) {
        const { output, sandbox = "" } = yield* program(fetching(`http://${host}/`))
        assert.match(output, /^403 The sandbox refused .* is not on the public internet/)
        assert.include(sandbox, `it refused ${host}:80.`)
      }
    })
  )

  liveTest("leaves no way around the proxy, and no open file", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* answering
      const { command, program } = yield* open([`127.0.0.1:${port}`])
      const connecting = `require("net").connect(${port}, "127.0.0.1").on("connect", () => console.log("connected")).on("error", (e) => console.log(e.code))`
      assert.strictEqual((yield* program(connecting)).output, "ECONNREFUSED\n")
      assert.deepStrictEqual(seen, [])
      assert.strictEqual((yield* command(["sh", "-c", "test -e /proc/self/fd/5 || echo none"])).output, "none\n")
    })
  )

  liveTest("lets a command reach servers of its own", () =>
    Effect.gen(function* () {
      const { program } = yield* open(["registry.example"])
      const own = `require("node:http").createServer((_, r) => r.end("own")).listen(8123, "127.0.0.1", () => fetch("http://127.0.0.1:8123/").then((r) => r.text()).then((t) => { console.log(t); process.exit(0) }))`
      assert.deepInclude(yield* program(own), { exit_code: 0, output: "own\n" })
    })
  )

  liveTest("ends a connection with its command, also one on which the server never answers", () =>
    Effect.gen(function* () {
      const connections = new Set<net.Socket>()
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const made = net.createServer({ allowHalfOpen: true }, (socket) => {
            connections.add(socket.resume().on("error", () => undefined))
          })
          await once(made.listen(0, "127.0.0.1"), "listening")
          return made
        }),
        (made) => Effect.sync(() => made.close())
      )
      const { port } = server.address() as net.AddressInfo
      const { program } = yield* open([`127.0.0.1:${port}`])
      const before = process.getActiveResourcesInfo().filter((one) => one === "TCPSocketWrap").length
      const url = `http://127.0.0.1:${port}/`
      const leaving = `${fetching(url)}; setTimeout(() => process.exit(5), 500)`
      assert.deepInclude(yield* program(leaving), { exit_code: 5, output: "" })
      /* The sockets of the server are in this process too, and stay open. */
      const dialled = () =>
        process.getActiveResourcesInfo().filter((one) => one === "TCPSocketWrap").length - connections.size
      yield* Effect.promise(() => vi.waitUntil(() => dialled() === before, 5000))
      assert.strictEqual(connections.size, 1)
      for (const one of connections) one.destroy()
    })
  )

  liveTest("says in the question which hosts they are", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["once"] })
      const { command } = yield* open(["registry.example", "localhost:8080"], { approver: approver.layer })
      yield* command(["sh", "-c", ":"])
      assert.strictEqual(
        approver.asked[0]?.[0]?.details?.at(-1),
        "Sandbox: yes: network: only registry.example, localhost:8080, writes only in the project, your home folder is hidden"
      )
    })
  )

  liveTest("ends with the command", () =>
    Effect.gen(function* () {
      const { command } = yield* open(["registry.example"])
      assert.deepInclude(yield* command(["sh", "-c", "echo hello; exit 3"]), { exit_code: 3, output: "hello\n" })
    })
  )
})
