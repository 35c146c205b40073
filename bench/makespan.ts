/**
 * How close a run comes to the shortest possible time if steps run strictly one after another. Also the CPU time of a
 * task. The whole pipeline runs over HTTP against a server with a fixed number of slots.
 *
 *   node bench/makespan.ts [--tasks 100] [--steps 10] [--latency 200] [--slots 1,4,64] [--repeat 3]
 *   node bench/makespan.ts --shapes chain,funnel,lanes,ragged [--free 0.3] [--spread 0.4] [--draws 5]
 */
import { parseArgs } from "node:util"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "../src/index.ts"
import { planText, shapedPlan, type ShapedPlan, shapes, strictBound, uniformPlan } from "./PlanShapes.ts"
import { startSlotServer } from "./SlotServer.ts"
import { stageName } from "../test/support/stageName.ts"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "100" },
    steps: { type: "string", default: "10" },
    latency: { type: "string", default: "200" },
    slots: { type: "string", default: "1,4,64" },
    repeat: { type: "string", default: "3" },
    shapes: { type: "string", default: "" },
    free: { type: "string", default: "0.3" },
    spread: { type: "string", default: "0.4" },
    draws: { type: "string", default: "5" }
  }
})
const latency = Number(values.latency)

const call = JSON.stringify({ uid: "call-1", name: "get_file_tree", arguments: {} })
const answers: Readonly<Record<string, string>> = {
  refinement: `## Tool Calls\n\n\`\`\`json\n${call}\n\`\`\`\n`,
  execution: "## Result summary\n\nIt is done.\n",
  iteration: "## Original prompt\n\nx\n\n## Goals / summary\n\nx\n\n## Tasks\n",
  conclusion: "It is done."
}

/** How long the server works on a call. */
const timeOf = ({ conclude, iterate, tasks }: ShapedPlan) => {
  const byName = new Map(tasks.map((task) => [task.name, task]))
  return (system: string, user: string): number => {
    const stage = stageName({ system, user })
    if (stage === "iteration") return iterate
    if (stage === "conclusion") return conclude
    const name = [...user.matchAll(/^- \*\*Name\*\* (.+)$/gm)].at(-1)?.[1] ?? ""
    const task = byName.get(name)
    if (task === undefined) throw new Error(`No task of this name: ${name}`)
    return stage === "refinement" ? task.refine : task.execute
  }
}

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/** If calls take no time, the shortest possible time is unknown. */
const relative = (number: number): string => (latency === 0 ? "-" : number.toFixed(3))

interface Measured {
  readonly ratio: number
  readonly cpu: number
  readonly calls: number
  readonly mostInFlight: number
}

const measure = async (plan: ShapedPlan, slots: number): Promise<Measured> => {
  const server = await startSlotServer({
    slots,
    latency: timeOf(plan),
    answer: (system, user) => answers[stageName({ system, user })] ?? ""
  })
  const project = mkdtempSync(join(tmpdir(), "task-conductor-bench-"))
  const cpu = process.cpuUsage()
  const report = await run({
    prompt: "Tell the time.",
    plan: planText(plan),
    project,
    model: "bench",
    host: server.url,
    parallel: slots,
    contextWindow: 262_144,
    keep: false
  }).report
  const used = process.cpuUsage(cpu)
  await server.close()
  rmSync(project, { recursive: true })
  if (report.status !== "done" || report.results.length !== plan.tasks.length)
    throw new Error(`${report.status}: ${report.message}`)
  const bound = strictBound(plan, slots)
  return {
    ratio: (server.stats.last - server.stats.first) / bound,
    cpu: (used.user + used.system) / 1000 / plan.tasks.length,
    calls: server.stats.calls,
    mostInFlight: server.stats.mostInFlight
  }
}

/** The plans to measure, by the name of their shape. */
const plansOf = (shape: string): ReadonlyArray<ShapedPlan> => {
  const found = shapes[shape]
  if (found === undefined) throw new Error(`There is no shape ${shape}; there are ${Object.keys(shapes).join(", ")}.`)
  const { free, spread } = values
  return Array.from({ length: Number(values.draws) }, (_, seed) =>
    shapedPlan(found, { latency, free: Number(free), spread: Number(spread), seed: seed + 1 })
  )
}

const measured: ReadonlyArray<readonly [shape: string, plans: ReadonlyArray<ShapedPlan>]> =
  values.shapes === ""
    ? [
        [
          "uniform",
          Array.from({ length: Number(values.repeat) }, () =>
            uniformPlan(Number(values.tasks), Number(values.steps), latency)
          )
        ]
      ]
    : values.shapes.split(",").map((shape) => [shape, plansOf(shape)] as const)

console.log("shape    slots  makespan/bound  mean   calls  most in flight  CPU ms per task (client and server)")
for (const [shape, plans] of measured) {
  for (const slots of values.slots.split(",").map(Number)) {
    const runs: Array<Measured> = []
    for (const plan of plans) runs.push(await measure(plan, slots))
    const ratios = runs.map((one) => one.ratio)
    const ratio = relative(median(ratios))
    const mean = relative(ratios.reduce((sum, one) => sum + one, 0) / ratios.length)
    const cpu = median(runs.map((one) => one.cpu)).toFixed(2)
    const most = Math.max(...runs.map((one) => one.mostInFlight))
    console.log(
      `${shape.padEnd(9)}${String(slots).padEnd(7)}${ratio.padEnd(16)}${mean.padEnd(7)}${String(runs[0]?.calls).padEnd(7)}${String(most).padEnd(16)}${cpu}`
    )
  }
}
