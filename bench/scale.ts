/**
 * What each task of a very large run costs: CPU time, highest memory, and memory that is still used at the end. The
 * plan is given, the server is a separate process, and the run has a journal.
 *
 *   npm run build && node bench/scale.ts [--tasks 1000,4000,10000] [--steps 10] [--repeat 1] [--no-journal]
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { oneCallAnswer } from "./oneCallTasks.ts"
import { planText, uniformPlan } from "./PlanShapes.ts"
import { startSlotServer } from "./SlotServer.ts"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "1000,4000,10000" },
    steps: { type: "string", default: "10" },
    repeat: { type: "string", default: "1" },
    "no-journal": { type: "boolean", default: false },
    /** Does the work of one run with the server at this address. */
    url: { type: "string" },
    plan: { type: "string", default: "" }
  }
})

interface Cost {
  readonly cpuMs: number
  readonly peakMegabytes: number
  readonly heldMegabytes: number
}

const megabytes = (bytes: number): number => Math.round(bytes / 104_857.6) / 10

/** One run in this process. */
const work = async (host: string): Promise<Cost> => {
  const project = mkdtempSync(join(tmpdir(), "task-conductor-scale-"))
  for (const name of ["CONFIG", "STATE", "CACHE"]) process.env[`XDG_${name}_HOME`] = join(project, name)
  const { run }: typeof import("../src/index.ts") = await import(
    new URL("../dist/library/index.js", import.meta.url).href
  )
  const used = process.cpuUsage()
  const { message, results, status } = await run({
    prompt: "Tell the time.",
    plan: readFileSync(values.plan, "utf8"),
    project,
    model: "bench",
    host,
    parallel: 16,
    contextWindow: 32_768,
    keep: !values["no-journal"]
  }).report
  const { system, user } = process.cpuUsage(used)
  if (status !== "done") throw new Error(`${status}: ${message}`)
  globalThis.gc?.()
  const heldMegabytes = megabytes(process.memoryUsage().heapUsed)
  if (results.length === 0) throw new Error("The run has no results.")
  rmSync(project, { recursive: true })
  return { cpuMs: (system + user) / 1000, peakMegabytes: process.resourceUsage().maxRSS / 1024, heldMegabytes }
}

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

const measure = async (tasks: number, cache: string): Promise<Cost> => {
  const server = await startSlotServer({
    slots: Infinity,
    latency: 0,
    pieces: 8,
    answer: oneCallAnswer
  })
  const plan = join(cache, "plan.md")
  writeFileSync(plan, planText(uniformPlan(tasks, Number(values.steps), 0)))
  const given = ["--expose-gc", import.meta.filename, "--url", server.url, "--plan", plan]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...given, ...(values["no-journal"] ? ["--no-journal"] : [])],
    { env: { ...process.env, NODE_COMPILE_CACHE: cache }, timeout: 900_000 }
  ).finally(server.close)
  return JSON.parse(stdout) as Cost
}

const compare = async (): Promise<void> => {
  const cache = mkdtempSync(join(tmpdir(), "task-conductor-scale-cache-"))
  console.log("tasks   CPU ms per task   peak MB   held MB   peak kB per further task   held kB per further task")
  let before: (Cost & { readonly tasks: number }) | undefined
  for (const tasks of values.tasks.split(",").map(Number)) {
    const costs: Array<Cost> = []
    for (let turn = 0; turn < Number(values.repeat); turn += 1) costs.push(await measure(tasks, cache))
    const middle = (of: (cost: Cost) => number): number => median(costs.map(of))
    const cost: Cost = {
      cpuMs: middle(({ cpuMs }) => cpuMs),
      peakMegabytes: middle(({ peakMegabytes }) => peakMegabytes),
      heldMegabytes: middle(({ heldMegabytes }) => heldMegabytes)
    }
    const further = (of: (one: Cost) => number): string =>
      before === undefined ? "-" : (((of(cost) - of(before)) * 1024) / (tasks - before.tasks)).toFixed(1)
    const cells: ReadonlyArray<readonly [text: string, width: number]> = [
      [String(tasks), 8],
      [(cost.cpuMs / tasks).toFixed(2), 18],
      [cost.peakMegabytes.toFixed(0), 10],
      [cost.heldMegabytes.toFixed(1), 10],
      [further(({ peakMegabytes }) => peakMegabytes), 27],
      [further(({ heldMegabytes }) => heldMegabytes), 0]
    ]
    console.log(cells.map(([text, width]) => text.padEnd(width)).join(""))
    before = { ...cost, tasks }
  }
  rmSync(cache, { recursive: true })
}

if (values.url === undefined) await compare()
else console.log(JSON.stringify(await work(values.url)))
