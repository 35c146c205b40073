/** One measured run. Starts a new server and a new client, and returns the counts of both. */
import { execFile, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { SlotStats } from "../SlotServer.ts"
import type { Cost } from "./measured.ts"
import type { Peer } from "./peers.ts"
import type { ServerOrder } from "./serverProcess.ts"

export interface Measurement extends Cost {
  readonly stats: SlotStats
}

/** A run may take this long, in ms. */
const patience = 900_000

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const runFile = promisify(execFile)

/** `cache` is the folder of the compile cache. It spares each client the memory for compiling TypeScript. */
export const measure = async ({ args = [], file }: Peer, order: ServerOrder, cache: string): Promise<Measurement> => {
  const server = fork(here("serverProcess.ts"), [JSON.stringify(order)], { serialization: "advanced" })
  try {
    const [url] = await once(server, "message")
    const { latency: _latency, ...client } = order
    const { stdout } = await runFile(process.execPath, [here(file), JSON.stringify({ ...client, url }), ...args], {
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
      timeout: patience
    })
    server.send("stats")
    const [stats] = await once(server, "message")
    return { ...(JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Cost), stats: stats as SlotStats }
  } finally {
    server.disconnect()
  }
}
