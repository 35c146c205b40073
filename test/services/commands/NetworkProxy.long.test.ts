/** Programs and a package manager behind the proxy; NetworkProxy.test.ts has the rules that they meet. */
import { assert, describe, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { once } from "node:events"
import * as net from "node:net"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { answering, fetching, openNetwork as open, tunnelling } from "../../support/openNetwork.ts"
import { makeProject } from "../../support/Project.ts"
import { startRegistry } from "../../support/Registry.ts"
import { tarballOf } from "../../support/Tarball.ts"

/** A server that treats each connection like this; gives its port. */
const listening = (onSocket: (socket: net.Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = net.createServer({ allowHalfOpen: true }, (socket) => {
        onSocket(socket.resume().on("error", () => undefined))
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      return server
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(Effect.map((server) => (server.address() as net.AddressInfo).port))

describe("a list of hosts for commands", needs("bwrap"), () => {
  liveTest("lets npm install from a listed registry, and from no other", function* () {
    const packages = yield* makeProject({
      "node_modules/.package-lock.json": '{ "packages": {} }',
      "left/package.json": '{ "name": "left", "version": "1.0.0" }',
      "left/index.js": "module.exports = 'installed'",
      "right/package.json": '{ "name": "right", "version": "1.0.0" }'
    })
    const registry = yield* Effect.acquireRelease(
      Effect.promise(() => startRegistry(packages, `${packages}/left`, `${packages}/right`)),
      ({ close }) => Effect.sync(close)
    )
    const host = registry.url.replace("http://127.0.0.1", "localhost")
    const lockOf = (name: string, from: string) => {
      const bytes = tarballOf(`${packages}/${name}`)
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`
      const installed = { version: "1.0.0", resolved: `http://${from}/${name}/-/1.0.0`, integrity }
      const project = { name: "p", version: "1.0.0", dependencies: { [name]: "1.0.0" } }
      return {
        "package.json": JSON.stringify(project),
        "package-lock.json": JSON.stringify({
          name: "p",
          version: "1.0.0",
          lockfileVersion: 3,
          packages: { "": project, [`node_modules/${name}`]: installed }
        }),
        ".npmrc": `registry=http://${host}/\nreplace-registry-host=never\nfetch-retries=0\n`
      }
    }
    const install = ["npm", "ci", "--no-audit", "--no-fund"]
    const good = yield* open([host], { files: lockOf("left", host) })
    const { exit_code, output } = yield* good.command(install)
    assert.strictEqual(exit_code, 0, output)
    assert.deepStrictEqual(registry.served, ["left@1.0.0"])
    assert.deepInclude(yield* good.program("console.log(require('left'))"), { exit_code: 0, output: "installed\n" })

    const other = "other.example:4873"
    const bad = yield* open([host], { files: lockOf("right", other) })
    const refused = yield* bad.command(install)
    assert.notStrictEqual(refused.exit_code, 0)
    assert.include(refused.output, `403`)
    assert.include(refused.sandbox, `it refused ${other}.`)
    assert.include(refused.sandbox, `"network": ["${host}","${other}"]`)
    assert.deepStrictEqual(registry.served, ["left@1.0.0"])
  })

  liveTest("brings the last words of a server that closes at once, and the end", function* () {
    const port = yield* listening((socket) => socket.end("answer 0"))
    const { program } = yield* open([`127.0.0.1:${port}`])
    const many = `let open = 50; process.exit = () => { open -= 1; if (open === 0) process.reallyExit(0) }
setTimeout(() => process.reallyExit(7), 20000)
for (let n = 0; n < 50; n += 1) ${tunnelling(port)}`
    const { exit_code, output } = yield* program(many)
    assert.strictEqual(exit_code, 0, output)
    assert.lengthOf(output.match(/answer 0/g) ?? [], 50)
  })

  liveTest("refuses an address of this machine that is listed without its port", function* () {
    const { program } = yield* open(["127.0.0.1", "localhost", "127.0.0.1:1", "localhost:1"])
    for (const host of ["127.0.0.1", "localhost"]) {
      const { output, sandbox = "" } = yield* program(fetching(`http://${host}/`))
      assert.match(output, /^403 The sandbox refused .* is not on the public internet/)
      assert.include(sandbox, `it refused ${host}:80.`)
    }
  })

  liveTest("leaves no way around the proxy, and no open file", function* () {
    const { port, seen } = yield* answering
    const { command, program } = yield* open([`127.0.0.1:${port}`])
    const connecting = `require("net").connect(${port}, "127.0.0.1").on("connect", () => console.log("connected")).on("error", (e) => console.log(e.code))`
    assert.strictEqual((yield* program(connecting)).output, "ECONNREFUSED\n")
    assert.deepStrictEqual(seen, [])
    assert.strictEqual((yield* command(["sh", "-c", "test -e /proc/self/fd/5 || echo none"])).output, "none\n")
  })

  liveTest("lets a command reach servers of its own", function* () {
    const { program } = yield* open(["registry.example"])
    const own = `require("node:http").createServer((_, r) => r.end("own")).listen(8123, "127.0.0.1", () => fetch("http://127.0.0.1:8123/").then((r) => r.text()).then((t) => { console.log(t); process.exit(0) }))`
    assert.deepInclude(yield* program(own), { exit_code: 0, output: "own\n" })
  })

  liveTest("ends a connection with its command, also one on which the server never answers", function* () {
    const connections = new Set<net.Socket>()
    const port = yield* listening((socket) => connections.add(socket))
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
})
