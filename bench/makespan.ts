/**
 * How close a run comes to the time that no schedule can beat, and what a task costs in CPU. Runs a whole pipeline over
 * HTTP against a server with a fixed number of slots.
 *
 *   node bench/makespan.ts [--tasks 100] [--steps 10] [--latency 200] [--slots 1,4,64] [--repeat 3]
 */
import { parseArgs } from "node:util"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "../src/index.ts"
import { evenPlan, lowerBound } from "./lowerBound.ts"
import { startSlotServer } from "./SlotServer.ts"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "100" },
    steps: { type: "string", default: "10" },
    latency: { type: "string", default: "200" },
    slots: { type: "string", default: "1,4,64" },
    repeat: { type: "string", default: "3" }
  }
})
const tasks = Number(values.tasks)
const steps = Number(values.steps)
const latency = Number(values.latency)

const task = (name: string): string =>
  `- **Name** ${name}\n- **What is needed** Say the time.\n- **Skill** search-code\n- **Expected output** The time.\n`

const plan = [
  "## Original prompt\n\nTell the time.\n\n## Goals / summary\n\nThe time is told.\n\n## Tasks\n",
  ...Array.from(
    { length: steps },
    (_, step) =>
      `### Task section ${step + 1}\n\n${Array.from({ length: tasks / steps }, (_, n) => task(`Task ${step + 1} ${n + 1}`)).join("\n")}`
  )
].join("\n")

const call = JSON.stringify({ uid: "call-1", name: "get_file_tree", arguments: {} })
const answers: Readonly<Record<string, string>> = {
  refinement: `## Tool Calls\n\n\`\`\`json\n${call}\n\`\`\`\n`,
  execution: "## Result summary\n\nIt is done.\n",
  iteration: "## Original prompt\n\nx\n\n## Goals / summary\n\nx\n\n## Tasks\n",
  conclusion: "It is done."
}

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

const measure = async (slots: number) => {
  const server = await startSlotServer({
    slots,
    latency,
    answer: (system) => answers[/^# Stage: (\w+)$/m.exec(system)?.[1] ?? ""] ?? ""
  })
  const project = mkdtempSync(join(tmpdir(), "task-conductor-bench-"))
  const cpu = process.cpuUsage()
  const report = await run({
    prompt: "Tell the time.",
    plan,
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
  if (report.status !== "done" || report.results.length !== tasks)
    throw new Error(`${report.status}: ${report.message}`)
  return {
    ratio:
      (server.stats.last - server.stats.first) /
      lowerBound(evenPlan(tasks, steps, latency, { plan: 0, end: 2 }), slots),
    cpu: (used.user + used.system) / 1000 / tasks,
    calls: server.stats.calls,
    mostInFlight: server.stats.mostInFlight
  }
}

console.log("slots  makespan/bound  calls  most in flight  CPU ms per task (client and server)")
for (const slots of values.slots.split(",").map(Number)) {
  const runs = []
  for (let n = 0; n < Number(values.repeat); n += 1) runs.push(await measure(slots))
  const ratio = latency === 0 ? "-" : median(runs.map((one) => one.ratio)).toFixed(3)
  const cpu = median(runs.map((one) => one.cpu)).toFixed(2)
  console.log(
    `${String(slots).padEnd(7)}${ratio.padEnd(16)}${String(runs[0]?.calls).padEnd(7)}${String(runs[0]?.mostInFlight).padEnd(16)}${cpu}`
  )
}
