/** One measured run: a new server, a new client, and the counts of both. */
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

/** The longest run, in ms. */
const patience = 900_000

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const runFile = promisify(execFile)

/** `cache` is the folder of the compile cache. With it, no client compiles TypeScript, which would cost memory. */
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
