/**
 * How long the command line and the library take to start: until the last byte, or until the first line of a run. Each
 * start is a new process. Needs `npm run build`.
 *
 *   node bench/cold-start.ts [--repeat 15]
 */
import { spawn } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({ options: { repeat: { type: "string", default: "15" } } })
const repeat = Number(values.repeat)
const root = fileURLToPath(new URL("..", import.meta.url))
const caches = mkdtempSync(join(tmpdir(), "task-conductor-cold-"))

/** Saved runs. Each recorded journal lies in a folder named by the id of its run. */
const state = mkdtempSync(join(tmpdir(), "task-conductor-cold-state-"))
const journals = join(root, "test/fixtures/journals/v1")
const runIds = globSync("*/journal.jsonl", { cwd: journals }).map((name) => {
  const file = join(journals, name)
  const runId = /"runId":"([^"]+)"/.exec(readFileSync(file, "utf8"))?.[1] ?? ""
  cpSync(file, join(state, "task-conductor/runs", runId, "journal.jsonl"))
  return runId
})

/** A small project where a run finds something to read. */
const project = join(state, "project")
mkdirSync(project)
writeFileSync(join(project, "notes.md"), "Sunny spells in the north.\n")

const plan = "test/fixtures/checks/five-mistakes.md"
const shim = "bin/task-conductor.cjs"
const importOf = (module: string): string => `import(${JSON.stringify(join(root, module))})`
const load = (module: string) => ["-e", `require("module").enableCompileCache(); ${importOf(module)}`]

interface Case {
  readonly name: string
  readonly args: ReadonlyArray<string>
  /** Each start has an empty compile cache, as after an installation. */
  readonly isFirst?: boolean
  /** Without a compile cache, as when another program loads the library. */
  readonly isUncached?: boolean
  /** The time is measured until the first line on stderr. */
  readonly untilLine?: boolean
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
  {
    name: "task-conductor run, first line",
    args: [shim, "run", "--model", "embedded", "--project", project, "Where is it sunny?"],
    untilLine: true
  },
  { name: 'import "task-conductor"', args: load("dist/library/index.js") },
  {
    name: 'import "task-conductor", no compile cache',
    args: ["-e", importOf("dist/library/index.js")],
    isUncached: true
  },
  { name: 'import "task-conductor/check"', args: load("dist/library/check.js") }
]

const environmentOf = ({ isUncached = false, untilLine = false }: Case, cache: string): NodeJS.ProcessEnv => {
  const { NODE_COMPILE_CACHE: _inherited, ...inherited } = process.env
  const given = { ...inherited, XDG_STATE_HOME: untilLine ? project : state }
  return isUncached ? given : { ...given, TMPDIR: cache }
}

const measure = async (one: Case, run: number): Promise<number> => {
  const cache = join(caches, one.isFirst === true ? String(run) : "shared")
  mkdirSync(cache, { recursive: true })
  const start = performance.now()
  const child = spawn(process.execPath, [...one.args], {
    cwd: root,
    env: environmentOf(one, cache),
    stdio: ["ignore", "ignore", "pipe"]
  })
  let errors = ""
  let firstLineAt: number | undefined
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text
    if (errors.includes("\n")) firstLineAt ??= performance.now()
  })
  await new Promise((resolve) => child.on("exit", resolve))
  const endedAt = performance.now()
  // An earlier version recorded the journals. The commands print a note about that.
  if (one.untilLine !== true && /^(?!note: ).+/m.test(errors)) throw new Error(errors)
  if (one.isFirst === true) rmSync(cache, { recursive: true, force: true })
  return ((one.untilLine === true ? firstLineAt : undefined) ?? endedAt) - start
}

/** All cases take turns. If the machine is busy for a while, all cases become slower. */
const times = cases.map((): Array<number> => [])
try {
  for (const one of cases) await measure(one, -1)
  for (let run = 0; run < repeat; run += 1)
    for (const [index, one] of cases.entries()) times[index]?.push(await measure(one, run))
} finally {
  for (const folder of [caches, state]) rmSync(folder, { recursive: true, force: true })
}

const least = times.map((all) => Math.min(...all))
console.log("| start | min ms | median ms | min / node |\n|---|---:|---:|---:|")
for (const [index, { name }] of cases.entries()) {
  const sorted = (times[index] ?? []).sort((a, b) => a - b)
  const [min = 0, median = 0] = [sorted[0], sorted[Math.floor(repeat / 2)]]
  console.log(`| ${name} | ${min.toFixed(0)} | ${median.toFixed(0)} | ${(min / (least[0] ?? min)).toFixed(1)} |`)
}
