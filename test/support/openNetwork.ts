/** Commands in a sandbox that reaches some hosts and no others. */
import * as Effect from "effect/Effect"
import { openTools, type OpenTools } from "./OpenTools.ts"
import { serve } from "./WebServer.ts"

interface Result {
  readonly exit_code: number
  readonly output: string
  readonly sandbox?: string
}

/** Runs programs of Node in a sandbox that reaches these hosts. */
export const openNetwork = Effect.fnUntraced(function* (
  network: ReadonlyArray<string> | boolean,
  given: OpenTools = {}
) {
  const { root, run } = yield* openTools({ ...given, commands: { sandbox: { mode: "required", network } } })
  const command = (argv: ReadonlyArray<string>) =>
    Effect.map(run("run_command", { argv }), ({ data }) => data as unknown as Result)
  return { root, command, program: (text: string) => command([process.execPath, "-e", text]) }
})

/** A server that counts what it is sent, and the requests that it had. */
export const answering = Effect.gen(function* () {
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
export const fetching = (url: string, length = 0) =>
  `const r = require("node:http").request({ agent: new (require("node:http").Agent)(), host: "127.0.0.1", port: 3128, method: ${length} === 0 ? "GET" : "POST", path: "${url}", headers: { host: "x" } }, (a) => { process.stdout.write(a.statusCode + " "); a.on("data", (d) => process.stdout.write(String(d))).on("end", () => process.exit(a.statusCode === 200 ? 0 : 1)) }); r.end("x".repeat(${length}))`

/** Asks for a tunnel and then for a page through it, as programs do for HTTPS. */
export const tunnelling = (port: number) =>
  `require("node:http").request({ agent: new (require("node:http").Agent)(), host: "127.0.0.1", port: 3128, method: "CONNECT", path: "127.0.0.1:${port}" }).on("connect", (r, s, head) => { console.log(r.statusCode); process.stdout.write(head); if (r.statusCode !== 200) process.exit(1); s.on("data", (d) => process.stdout.write(d)).on("end", () => process.exit(0)); s.write("GET /t HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n") }).end()`
