/**
 * How long the command line and the door for checking take from nothing to their last byte, each run a process of its
 * own. Needs `npm run build`.
 *
 *   node bench/cold-start.ts [--repeat 15]
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({ options: { repeat: { type: "string", default: "15" } } })
const repeat = Number(values.repeat)
const root = fileURLToPath(new URL("..", import.meta.url))
const caches = mkdtempSync(join(tmpdir(), "task-conductor-cold-"))

/** Saved runs: journals that were recorded, each in the folder of its id. */
const state = mkdtempSync(join(tmpdir(), "task-conductor-cold-state-"))
const journals = join(root, "test/fixtures/journals/v1")
const runIds = globSync("*/journal.jsonl", { cwd: journals }).map((name) => {
  const file = join(journals, name)
  const runId = /"runId":"([^"]+)"/.exec(readFileSync(file, "utf8"))?.[1] ?? ""
  cpSync(file, join(state, "task-conductor/runs", runId, "journal.jsonl"))
  return runId
})

const plan = "test/fixtures/checks/five-mistakes.md"
const shim = "bin/task-conductor.cjs"
const load = (module: string) => [
  "-e",
  `require("module").enableCompileCache(); import(${JSON.stringify(join(root, module))})`
]

interface Case {
  readonly name: string
  readonly args: ReadonlyArray<string>
  /** A compile cache that is empty at every run: the first start after an installation. */
  readonly isFirst?: boolean
}

const cases: ReadonlyArray<Case> = [
  { name: "node -e 0", args: ["-e", "0"] },
  { name: "task-conductor --version", args: [shim, "--version"] },
  { name: "task-conductor --help", args: [shim, "--help"] },
  { name: "task-conductor check, five mistakes", args: [shim, "check", plan, "--no-project"] },
  { name: "task-conductor check, first start of all", args: [shim, "check", plan, "--no-project"], isFirst: true },
  { name: "task-conductor check, in a project", args: [shim, "check", plan, "--project", "."] },
  {
    name: "task-conductor check, effect not bundled",
    args: [...load("dist/library/main.js"), shim, "check", plan, "--no-project"]
  },
  { name: "task-conductor tools list", args: [shim, "tools", "list"] },
  { name: "task-conductor runs --all", args: [shim, "runs", "--all"] },
  { name: "task-conductor show RUN", args: [shim, "show", runIds[0] ?? ""] },
  { name: "task-conductor report RUN", args: [shim, "report", runIds[0] ?? "", "--output", "-"] },
  { name: 'import "task-conductor/check"', args: load("dist/check-bundle/check.js") },
  { name: 'import "task-conductor/check", effect not bundled', args: load("dist/library/check.js") }
]

const measure = ({ args, isFirst = false }: Case, run: number): number => {
  const cache = join(caches, isFirst ? String(run) : "shared")
  const start = performance.now()
  const { stderr } = spawnSync(process.execPath, [...args], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: cache, XDG_STATE_HOME: state },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const time = performance.now() - start
  if (stderr.length > 0) throw new Error(stderr.toString())
  if (isFirst) rmSync(cache, { recursive: true, force: true })
  return time
}

/** In turn, so that a machine that is busy for a while slows all of them. */
const times = cases.map((): Array<number> => [])
try {
  for (const one of cases) measure(one, -1)
  for (let run = 0; run < repeat; run += 1)
    for (const [index, one] of cases.entries()) times[index]?.push(measure(one, run))
} finally {
  for (const folder of [caches, state]) rmSync(folder, { recursive: true, force: true })
}

console.log("| start | min ms | median ms |\n|---|---:|---:|")
for (const [index, { name }] of cases.entries()) {
  const sorted = (times[index] ?? []).sort((a, b) => a - b)
  const [min = 0, median = 0] = [sorted[0], sorted[Math.floor(repeat / 2)]]
  console.log(`| ${name} | ${min.toFixed(0)} | ${median.toFixed(0)} |`)
}
