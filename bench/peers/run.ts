/**
 * Compares task-conductor with other ways to do the same work on the same model server. Prints tables of ratios. Each
 * run has a new client and a new server, each in its own process. In each repetition, all peers take turns. If the
 * machine is busy for a while, all of them become slower.
 *
 *   node bench/peers/run.ts [--tasks 10,100,1000] [--settings 0:0,200:4] [--repeat 5] [--peers plain,Mastra] [--no-install]
 *
 * A setting is the time of a call in ms, and the number of slots. With 0 slots, no call waits. Needs `npm run build`.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { evenPlan, lowerBound } from "../lowerBound.ts"
import { measure } from "./measure.ts"
import { type Peer, peers } from "./peers.ts"
import type { ServerOrder } from "./serverProcess.ts"
import { type Runs, tableOf } from "./table.ts"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "10,100,1000" },
    settings: { type: "string", default: "0:0,200:1,200:4,200:0" },
    repeat: { type: "string", default: "5" },
    peers: { type: "string", default: Object.keys(peers).join() },
    "no-install": { type: "boolean", default: false }
  }
})

const chosen = new Map<string, Peer>()
for (const [name, peer] of Object.entries(peers)) if (values.peers.split(",").includes(name)) chosen.set(name, peer)

const numbers = values.tasks.split(",").map(Number)
const settings = values.settings.split(",").map((setting) => setting.split(":").map(Number))
const repeat = Number(values.repeat)
const wrong = [...numbers, repeat, ...settings.flat()].some((number) => !(number >= 0))
if (wrong || chosen.size === 0 || settings.some(({ length }) => length !== 2)) {
  console.error(`--tasks, --repeat and --settings take numbers, --peers takes: ${Object.keys(peers).join(", ")}`)
  process.exit(2)
}

if (!values["no-install"]) {
  const cwd = fileURLToPath(new URL(".", import.meta.url))
  const { status } = spawnSync("npm ci", { cwd, stdio: ["ignore", "ignore", "inherit"], shell: true })
  if (status !== 0) process.exit(1)
}

/** Small plans have fewer steps, so that each step still has several tasks. */
const stepsOf = (tasks: number): number => (tasks < 100 ? 5 : 10)

const cache = mkdtempSync(join(tmpdir(), "task-conductor-peers-cache-"))

const attempt = async (peer: Peer, order: ServerOrder) => {
  try {
    return await measure(peer, order, cache)
  } catch (error) {
    const text = String(error instanceof Error && "stderr" in error ? error.stderr : error)
    return (/^\w*Error: .*/m.exec(text)?.[0] ?? text).replaceAll(/\s+/g, " ").slice(0, 200)
  }
}

const compare = async (order: ServerOrder): Promise<ReadonlyMap<string, Runs>> => {
  const rows = new Map<string, Runs>()
  for (let repetition = 0; repetition < repeat; repetition += 1)
    for (const [name, peer] of chosen) {
      rows.set(name, [...(rows.get(name) ?? []), await attempt(peer, order)])
      console.error(`${order.tasks} tasks, ${order.latency} ms, ${order.slots} slots, ${repetition + 1}: ${name}`)
    }
  return rows
}

try {
  // Fills the compile cache. Ignores a failure here: the measured run fails in the same way and reports it.
  for (const peer of chosen.values()) await attempt(peer, { tasks: 10, steps: 5, slots: 0, latency: 0 })
  console.log(`Node ${process.version}, medians of ${repeat} runs of each in turn`)
  for (const [latency = 0, slots = 0] of settings) {
    for (const tasks of numbers) {
      const steps = stepsOf(tasks)
      const boundOf = (name: string): number => {
        const end = peers[name]?.lastCalls ?? 1
        return lowerBound(evenPlan(tasks, steps, latency, { plan: 1, end }), slots || Infinity)
      }
      const rows = await compare({ tasks, steps, slots, latency })
      console.log(`\n${tasks} tasks in ${steps} steps, ${latency} ms a call, ${slots || "unlimited"} slots\n`)
      console.log(tableOf(rows, { tasks, boundOf, remembers: slots > 0 }))
    }
  }
} finally {
  rmSync(cache, { recursive: true, force: true })
}
