/**
 * What it costs to resume and inspect very long runs. A run is killed after half of its tasks and resumed to its end.
 * Then it is replayed, and a report is made. Each step is a command. Prints seconds and the highest memory.
 *
 *   npm run build && node bench/long-runs.ts [--tasks 2000,10000] [--steps 10]
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { oneCallAnswer } from "./oneCallTasks.ts"
import { planText, uniformPlan } from "./PlanShapes.ts"
import { slotModel, startSlotServer } from "./SlotServer.ts"

const { values } = parseArgs({
  options: { tasks: { type: "string", default: "2000,10000" }, steps: { type: "string", default: "10" } }
})

const binary = join(import.meta.dirname, "../bin/task-conductor.cjs")

/** The highest memory of a running process, in MB. */
const peakOf = (child: ChildProcess): number => {
  try {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))
    return Number(found?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

interface Ended {
  readonly code: number | null
  readonly seconds: number
  readonly megabytes: number
  readonly stdout: string
  readonly stderr: string
}

const measure = async (
  folder: string,
  host: string,
  argv: ReadonlyArray<string>,
  killAt = Infinity
): Promise<Ended> => {
  const env: NodeJS.ProcessEnv = { ...process.env, OLLAMA_HOST: host }
  for (const name of ["CONFIG", "STATE", "CACHE"]) env[`XDG_${name}_HOME`] = join(folder, name)
  const begun = performance.now()
  const child = spawn(process.execPath, [binary, ...argv], { cwd: join(folder, "project"), env })
  let [stdout, stderr, ended, megabytes] = ["", "", 0, 0]
  child.stdout.on("data", (data: Buffer) => {
    const text = data.toString()
    if (stdout.length < 10_000) stdout += text
    ended += text.split('"task.finished"').length - 1
    if (ended >= killAt) child.kill("SIGKILL")
  })
  child.stderr.on("data", (data: Buffer) => (stderr = (stderr + data.toString()).slice(-4000)))
  const looking = setInterval(() => (megabytes = Math.max(megabytes, peakOf(child))), 50)
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
  clearInterval(looking)
  return { code, seconds: (performance.now() - begun) / 1000, megabytes, stdout, stderr }
}

const round = async (tasks: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "task-conductor-long-runs-"))
  mkdirSync(join(folder, "project"))
  writeFileSync(join(folder, "plan.md"), planText(uniformPlan(tasks, Number(values.steps), 0)))
  const server = await startSlotServer({
    slots: Infinity,
    latency: 0,
    pieces: 8,
    answer: oneCallAnswer
  })
  const run = "run --plan ../plan.md --yes --json --parallel 16 --context-window 32768 --model".split(" ")
  const work = (argv: ReadonlyArray<string>, killAt?: number) => measure(folder, server.url, argv, killAt)
  const killed = await work([...run, slotModel, "Tell the time."], tasks / 2)
  const runId = /"run(?:_i|I)d":"([^"]+)"/.exec(killed.stdout)?.[1] ?? ""
  const said = (name: string, { code, megabytes, seconds, stderr }: Ended): void => {
    console.log(`${tasks} tasks, ${name}: ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB, exit code ${code}`)
    if (code !== 0 && code !== null) console.log(stderr)
  }
  said("run, killed at half", killed)
  said("resume", await work(["resume", runId, "--yes"]))
  said("replay", await work(["replay", runId]))
  said("report", await work(["report", runId, "--output", "report.html"]))
  console.log(
    `${tasks} tasks, size of the report: ${(statSync(join(folder, "project/report.html")).size / 1e6).toFixed(1)} MB`
  )
  await server.close()
  rmSync(folder, { recursive: true })
}

for (const tasks of values.tasks.split(",").map(Number)) await round(tasks)
