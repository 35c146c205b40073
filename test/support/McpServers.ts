/**
 * MCP servers for tests: the scripted one with its faults, and the reference server.
 */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { waitFor } from "./waitFor.ts"

/* Its environment is a small one, so the folder of what it compiled is its own. */
const scripted = fileURLToPath(new URL("../fixtures/mcp/start.mjs", import.meta.url))
const reference = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url)
)

/** The entry of the scripted server; it leaves its traces in the folder. */
export const scriptedServer = (folder: string, fault = "none") => ({
  command: process.execPath,
  args: [scripted, folder, fault]
})

/** The entry of the reference server over stdio. */
export const referenceServer = { command: process.execPath, args: [reference, "stdio"] }

/** The whole lines of a file that the server may be writing to. */
const linesOf = (file: string): ReadonlyArray<string> =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []

/** The process ids of all starts of a scripted server. */
export const startsOf = (folder: string): ReadonlyArray<number> => linesOf(join(folder, "starts")).map(Number)

/** The process ids of the starts whose stdin was closed. */
export const closedIn = (folder: string): ReadonlyArray<number> => linesOf(join(folder, "closed")).map(Number)

/** The methods of all messages that the scripted server got. */
export const messagesOf = (folder: string): ReadonlyArray<string> =>
  linesOf(join(folder, "messages")).map((line) => (JSON.parse(line) as { readonly method: string }).method)

/** True for a process that has not ended; one that nobody has waited for yet has ended. */
export const isRunning = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** Waits until this process has taken note of the end of its child. */
export const reaped = (pid: number) =>
  waitFor(`the end of process ${pid}`, () => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  })

const freePort = Effect.callback<number>((resume) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address() as AddressInfo
    probe.close(() => resume(Effect.succeed(port)))
  })
})

/** The reference server over streamable HTTP on the loopback; gives its address. */
export const serveReference = Effect.gen(function* () {
  const port = yield* freePort
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof spawn>>((resume) => {
      const child = spawn(process.execPath, [reference, "streamableHttp"], {
        env: { PATH: process.env["PATH"], PORT: String(port) },
        stdio: ["ignore", "ignore", "pipe"]
      })
      child.stderr.on("data", (text: Buffer) => {
        if (text.toString().includes("listening")) resume(Effect.succeed(child))
      })
    }),
    (child) =>
      Effect.callback<void>((resume) => {
        child.on("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
  return `http://127.0.0.1:${port}/mcp`
})
