/**
 * How long `runs` takes if there are many saved runs. They are copies of one run, with different ids. Measures once
 * after the system (Linux) has dropped the files from its memory, and once again right after that. Needs `npm run
 * build`.
 *
 *   node bench/saved-runs.ts [--runs 2000] [--repeat 5]
 */
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { linesOf, textOf } from "../test/support/SealedJournals.ts"

const { values } = parseArgs({
  options: { runs: { type: "string", default: "2000" }, repeat: { type: "string", default: "5" } }
})
const [count, repeat] = [Number(values.runs), Number(values.repeat)]
const program = fileURLToPath(new URL("../bin/task-conductor.cjs", import.meta.url))
const root = mkdtempSync(join(tmpdir(), "task-conductor-saved-"))
const project = join(root, "project")
const env = { PATH: process.env["PATH"], HOME: root, XDG_STATE_HOME: join(root, "state") }
const start = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [program, ...args], { cwd: project, env, maxBuffer: Infinity })

mkdirSync(project)
writeFileSync(join(project, "notes.md"), "Sunny spells in the north.\n".repeat(50))
start("run", "--model", "embedded", "--read-only", "Where are sunny spells?")
const runs = join(root, "state/task-conductor/runs")
const [first = ""] = globSync("*/journal.jsonl", { cwd: runs })
const original = basename(dirname(first))
const journal = readFileSync(join(runs, first), "utf8")
const records = journal
  .trimEnd()
  .split("\n")
  .map((line) => line.replace(/^\{"seq":\d+,"at":"([^"]+)","record":/, "$1").slice(0, -18))
for (let number = 1; number < count; number += 1) {
  const runId = `20251120-${String(100_000 + number)}-copy`
  mkdirSync(join(runs, runId), { recursive: true })
  const own = records.map((record) => record.replaceAll(original, runId))
  writeFileSync(join(runs, runId, "journal.jsonl"), textOf(linesOf(own)))
}

/** The time of one list until its last byte, in milliseconds. */
const listed = (...flags: ReadonlyArray<string>): number => {
  const begun = performance.now()
  const { status, stdout } = start("runs", ...flags)
  const took = performance.now() - begun
  if (status !== 0 || stdout.length < count * 50) throw new Error(`runs ended with ${status}`)
  return took
}

const drop = (): void => {
  execFileSync("sync")
  for (const file of globSync("*/journal.jsonl", { cwd: runs })) {
    spawnSync("dd", [`of=${join(runs, file)}`, "oflag=nocache", "conv=notrunc,fdatasync", "count=0"], {
      stdio: "ignore"
    })
  }
}

const median = (times: ReadonlyArray<number>): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
const shown = (ms: number): string => `${Math.round(ms)} ms`

drop()
console.log(`${count} runs of ${Math.round(journal.length / 1000)} kB`)
console.log(`runs, files not in memory: ${shown(listed())}`)
for (const flags of [[], ["--json"]]) {
  const times = Array.from({ length: repeat }, () => listed(...flags))
  const what = ["runs", ...flags].join(" ")
  console.log(`${what}: median ${shown(median(times))}, best ${shown(Math.min(...times))} of ${repeat}`)
}
rmSync(root, { recursive: true, force: true })
