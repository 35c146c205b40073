/**
 * Fifty runs of twelve tasks at the same time. Each has its own project. All share one state folder and one model
 * server. Every run must end, and its journal must contain all events that it reported. Then one more run starts in a
 * project that is in use. Measures how long it takes until the run is refused, and how much of that is the start of the
 * process. Linux only: memory is read from /proc.
 *
 *   node bench/fifty-runs.ts [RUNS] [--latency 50]
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { canonicalJson } from "../src/domain/text/Json.ts"
import { flattenEvent } from "../src/domain/runs/RunEvent.ts"
import { recordOf } from "../src/services/journal/JournalLine.ts"
import { readJournal } from "../src/services/journal/JournalReader.ts"
import { makeSandbox } from "../test/support/binary.ts"
import { answer, skillOf } from "../test/support/CrashWork.ts"

import { FakeOllama } from "../test/support/FakeOllama.ts"
import { fakeModel } from "../test/support/FakeOllamaPaths.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { latency: { type: "string", default: "50" } }
})
const count = Number(positionals[0] ?? "50")
const latency = Number(values.latency)
const flags = ["--json", "--yes-this-run", "--allow", "write_file", "--allow", "edit_file", "--allow", "read_file"]

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** The highest memory of a process so far, in MB. 0 if the process has ended. */
const peakOf = (pid: number | undefined): number => {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const asTold = (line: object): string => canonicalJson({ ...line, at: "" } as never)

/** Events that were reported but are missing in the journal. */
const lostOf = Effect.fnUntraced(function* (stdout: string, state: string) {
  const told = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly run_id?: string })
  const runId = told.find((event) => event.run_id !== undefined)?.run_id
  const { lines } = yield* readJournal(join(state, `runs/${runId}/journal.jsonl`))
  const kept = new Set(
    lines
      .map(recordOf)
      .flatMap((record) => (record.type === "event" ? [asTold(flattenEvent({ at: "", event: record.event }))] : []))
  )
  return { told: told.length, lost: told.filter((event) => !kept.has(asTold(event))).length, records: lines.length }
})

const bench = Effect.gen(function* () {
  let holds = 0
  let isHeld = false
  const server = yield* FakeOllama.make((body) => {
    const hold = `call-${(holds += 1)}`
    if (!isHeld) void pause(latency).then(() => Effect.runPromise(server.release(hold)))
    return { text: answer(body), hold }
  })
  const sandbox = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
  const state = join(sandbox.root, "home/.local/state/task-conductor")
  for (const [name, tools] of [
    ["any", "get_current_time write_file edit_file read_file"],
    ["talk", ""]
  ] as const) {
    sandbox.write(`config/task-conductor/skills/${name}/SKILL.md`, skillOf(name, tools))
  }
  const projects = Array.from({ length: count }, (_, index) => `projects/${index + 1}`)
  for (const project of projects) {
    mkdirSync(join(sandbox.root, project), { recursive: true })
    sandbox.write(`${project}/notes.md`, "# Notes\n")
    sandbox.write(`${project}/other.md`, "# Other\n")
  }
  const start = (project: string) =>
    sandbox.start(
      ["run", "--model", fakeModel, "--project", join(sandbox.root, project), ...flags, "Do the twelve tasks."],
      { env: { OLLAMA_HOST: server.url } }
    )

  const timed = (project: string) =>
    Effect.promise(async () => {
      const asked = performance.now()
      const ended = await start(project).ended
      return { ...ended, took: performance.now() - asked }
    })

  const begun = performance.now()
  const running = projects.map(start)
  const peaks = new Map<number, number>()
  let most = 0
  const watching = setInterval(() => {
    const now = running.map(({ child }, index) => {
      const peak = peakOf(child.pid)
      if (peak > 0) peaks.set(index, peak)
      return peak
    })
    most = Math.max(most, now.filter((peak) => peak > 0).length)
  }, 100)
  const ended = yield* Effect.promise(() => Promise.all(running.map((one) => one.ended)))
  clearInterval(watching)
  const seconds = (performance.now() - begun) / 1000

  const failed = ended.filter(({ code }) => code !== 0)
  for (const { code, stderr, stdout } of failed) console.error(`${code} ${stderr}${stdout.slice(-500)}`)
  const whole = yield* Effect.forEach(
    ended.filter(({ code }) => code === 0),
    ({ stdout }) => lostOf(stdout.replaceAll("<root>", sandbox.root), state)
  )
  const wrong = projects.filter(
    (project) => readFileSync(join(sandbox.root, project, "out/one.txt"), "utf8") !== "one for the last time\n"
  )
  const sum = (of: (one: (typeof whole)[number]) => number): number => whole.reduce((total, one) => total + of(one), 0)
  const largest = Math.max(...peaks.values())
  console.log(
    `${count} runs, ${count * 12} tasks, ${most} at once: ${count - failed.length} done in ${seconds.toFixed(0)} s`
  )
  console.log(
    `${sum(({ records }) => records)} records, ${sum(({ told }) => told)} events told, ${sum(({ lost }) => lost)} of them lost`
  )
  console.log(`${wrong.length} projects with another outcome`)
  console.log(`memory of the largest run: ${largest.toFixed(0)} MB at most`)

  isHeld = true
  const [project = ""] = projects
  const first = start(project)
  const before = server.chats.length
  yield* server.until(({ chats }) => chats.length > before)
  /** For comparison: a missing project is refused before any lock is examined. */
  const elsewhere = yield* timed("projects/none")
  const refused = yield* timed(project)
  first.child.kill("SIGKILL")
  yield* Effect.promise(() => first.ended)
  console.log(
    `second run in a project: exit ${refused.code} after ${refused.took.toFixed(0)} ms; a project that is not there: ${elsewhere.took.toFixed(0)} ms`
  )
  console.log(refused.stderr.trim())
  if (failed.length + wrong.length + sum(({ lost }) => lost) > 0 || refused.code !== 1) process.exitCode = 1
})

await Effect.runPromise(bench.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
