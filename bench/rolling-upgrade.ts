/**
 * A rolling upgrade while runs are in progress, by seed. Two workers of an old build carry out three runs of old
 * clients. One of the runs waits for approvals. Then a worker of the new build starts, an old worker is told to end, a
 * second new worker starts, and the last old worker is told to end. The seed sets the time of each step. A run that has
 * no worker left is resumed by the new build.
 *
 * At the end, the bench checks:
 * - A run without a worker says once what to do.
 * - Each run ends once, as done. Its old client is still waiting for it.
 * - No work is lost. No work was done twice, unless a question said that this may happen.
 * - A new worker says at most once that it leaves a run alone, and it takes new runs.
 *
 *   node bench/rolling-upgrade.ts [ROUNDS] [--seed 1] [--version 0.2.0] [--old COMMIT] [--tasks 10] [--limit 120] [--verbose]
 *
 * The new build differs in one line of its sources. With `--version`, it also has another version. The old build is
 * this tree, or the one of COMMIT.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { layerDatabase } from "../src/plugins/cluster/ClusterDatabase.ts"
import { makeRandom } from "../test/support/randomDocuments.ts"
import { type BeginOptions, makeOperator, pause } from "./ClusterFaults.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    version: { type: "string" },
    old: { type: "string" },
    tasks: { type: "string", default: "10" },
    limit: { type: "string", default: "120" },
    verbose: { type: "boolean", default: false }
  }
})

const repository = join(import.meta.dirname, "..")
const parts =
  "bin src prompts skills templates schema scripts LICENSE package.json rolldown.config.ts tsconfig.json tsconfig.build.json"

interface Build {
  readonly program: string
  readonly client: NonNullable<BeginOptions["client"]>
}

/** Links the packages of the repository, except those that a build contains itself: the program and the cluster. */
const linkPackages = (folder: string): void => {
  const packages = join(folder, "node_modules")
  mkdirSync(packages)
  const own = { "task-conductor": folder, "task-conductor-cluster": join(folder, "src/plugins/cluster") }
  for (const name of readdirSync(join(repository, "node_modules"))) {
    if (!(name in own)) symlinkSync(join(repository, "node_modules", name), join(packages, name))
  }
  for (const [name, target] of Object.entries(own)) symlinkSync(target, join(packages, name))
}

/** Builds a copy of the tree or of a commit. */
const makeBuild = async (folder: string, change: (folder: string) => void, commit?: string): Promise<Build> => {
  mkdirSync(folder)
  if (commit === undefined) {
    for (const part of parts.split(" ")) cpSync(join(repository, part), join(folder, part), { recursive: true })
  } else {
    const archive = execFileSync("git", ["archive", commit], { cwd: repository, maxBuffer: 1e9 })
    execFileSync("tar", ["-x", "-C", folder], { input: archive })
  }
  linkPackages(folder)
  change(folder)
  execFileSync(process.execPath, ["scripts/build.ts"], { cwd: folder, stdio: "inherit" })
  const client = (await import(join(folder, "src/plugins/cluster/dist/scripts.js"))) as Build["client"]
  return { program: join(folder, "bin/task-conductor.cjs"), client }
}

const renew = (folder: string): void => {
  appendFileSync(join(folder, "src/main.ts"), "\n/* A later build. */\n")
  if (values.version === undefined) return
  for (const file of ["package.json", "src/plugins/cluster/package.json", "src/app/version.ts"]) {
    const text = readFileSync(join(folder, file), "utf8")
    writeFileSync(join(folder, file), text.replace(/(version"?(?:: | = )")[^"]+/, `$1${values.version}`))
  }
}

const timesIn = (text: string, part: string): number => text.split(part).length - 1

const round = (seed: number, old: Build, next: Build) =>
  Effect.gen(function* () {
    const random = makeRandom(Math.imul(seed, 2_654_435_761))
    const world = yield* makeOperator({ tasks: Number(values.tasks), latency: 150, work: 1 })
    const env = { TASK_CONDUCTOR_DATABASE: world.url }
    const flags = ["--parallel", "2"]
    const add = ({ program }: Build) =>
      Effect.tap(world.worker({ flags, program }), ({ ready }) => Effect.promise(() => ready))
    /** A random delay of at most `most` milliseconds. */
    const wait = (most: number) => Effect.promise(() => pause(random(most)))
    const olds = [yield* add(old), yield* add(old)] as const
    const delay = 500 + random(6000)
    const projects = ["one", "two", "asking", "new"]
    for (const project of projects) world.sandbox.write(`${project}/.gitkeep`, "")
    const allow = ["run_command"]
    const approve = () => pause(delay).then(() => true)
    const runs = [
      world.begin("one", undefined, { client: old.client, allow }),
      world.begin("two", undefined, { client: old.client, allow }),
      world.begin("asking", undefined, { client: old.client, approve })
    ]
    const ids = yield* Effect.promise(() => Promise.all(runs.map(({ runId }) => runId)))
    const ended = new Set<string>()
    const measuring = runs.map((run, at) => run.measured().finally(() => ended.add(ids[at] ?? "")))

    yield* wait(6000)
    const news = [yield* add(next)]
    yield* wait(1000)
    olds[0].child.kill("SIGTERM")
    yield* wait(3000)
    news.push(yield* add(next))
    yield* wait(1000)
    olds[1].child.kill("SIGTERM")
    const codes = yield* Effect.promise(() => Promise.all(olds.map(async (one) => (await one.ended).code)))
    const breaches: Array<string> = []
    if (codes.some((code) => code !== 143)) breaches.push(`old workers ended with ${codes.join(", ")}`)

    /** A run without a worker must say so. The new build then resumes it. */
    const left = ids.filter((id) => !ended.has(id))
    for (const id of left) {
      const watcher = yield* world.start(["attach", id], env, old.program)
      /** Older clients do not say what to do. */
      const hint = values.old === undefined ? `task-conductor resume ${id} --cluster` : "No worker has version"
      const said = watcher.says(hint).then(() => true)
      /** If a worker could not report its end, it counts as alive for fifteen seconds. */
      const isSaid = yield* Effect.promise(() => Promise.race([said, pause(20_000)]).catch(() => undefined))
      if (isSaid !== true) breaches.push(`${id} is left, and nobody is told what to do: ${watcher.stderr()}`)
      yield* Effect.promise(() => pause(4000))
      const times = timesIn(watcher.stderr(), "No worker has version")
      if (times > 1) breaches.push(`${id}: said ${times} times that no worker has its version`)
      watcher.child.kill("SIGKILL")
      const resume = yield* world.start(["resume", id, "--cluster", "--allow", "run_command"], env, next.program)
      yield* Effect.promise(() => pause(1000))
      if (resume.child.exitCode === 2) breaches.push(`${id} is not resumed: ${resume.stderr()}`)
    }
    const latest = world.begin("new", undefined, { client: next.client, allow })
    const latestId = yield* Effect.promise(async () => latest.runId)
    const all = Promise.all([...measuring, latest.measured()])
    const found = yield* Effect.promise(() => Promise.race([all, pause(Number(values.limit) * 1000)]))
    const everyId = [...ids, latestId]
    if (found === undefined) {
      for (const id of left) if (!ended.has(id)) breaches.push(`${id} did not end`)
      if (breaches.length === 0) breaches.push(`${latestId} did not end`)
    }
    for (const [at, one] of (found ?? []).entries()) {
      const id = everyId[at]
      if (one.status !== "done") breaches.push(`${id} ended as ${one.status}`)
      if (one.lost > 0) breaches.push(`${id} lost ${one.lost}`)
      if (one.unasked > 0) breaches.push(`${id} did ${one.unasked} twice, and nobody was asked`)
    }
    const ends = yield* SqlClient.SqlClient.use(
      (sql) => sql<{ readonly id: string }>`
        SELECT run_id AS id FROM task_conductor_records WHERE event = 'run.finished'`
    ).pipe(Effect.provide(layerDatabase(Redacted.make(world.url))))
    for (const id of found === undefined ? [] : everyId) {
      const count = ends.filter((one) => one.id === id).length
      if (count !== 1) breaches.push(`${id} ended ${count} times`)
    }
    let refusals = 0
    for (const { stderr } of news) {
      for (const id of ids) {
        const times = timesIn(stderr(), `${id}: was started with`)
        refusals += times
        if (times > 1) breaches.push(`a new worker said ${times} times that it leaves ${id} alone`)
      }
    }
    for (const { stderr } of olds)
      if (stderr().includes(latestId)) breaches.push(`an old worker had to do with ${latestId}`)
    if (!news.some(({ stderr }) => stderr().includes(`${latestId}: begins here`)))
      breaches.push(`no new worker took ${latestId}`)
    for (const { stderr } of [...olds, ...news])
      if (stderr().includes("internal error")) breaches.push("internal error")
    const workers = [...olds, ...news]
    if (breaches.length > 0 || values.verbose)
      for (const [at, { stderr }] of workers.entries()) console.log(stderr().replaceAll(/^/gm, `  ${at + 1}| `))
    const doubts = (found ?? []).reduce((sum, one) => sum + one.doubts, 0)
    return { breaches, left: left.length, doubts, refusals }
  }).pipe(Effect.scoped)

const folder = mkdtempSync(join(tmpdir(), "task-conductor-builds-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const old = await makeBuild(join(folder, "old"), () => undefined, values.old)
const next = await makeBuild(join(folder, "next"), renew)
const rounds = Number(positionals[0] ?? "10")
const total = { runs: 0, left: 0, doubts: 0, refusals: 0, breaches: 0 }
for (let seed = Number(values.seed); seed < Number(values.seed) + rounds; seed += 1) {
  const one = await Effect.runPromise(Effect.provide(round(seed, old, next), NodeServices.layer))
  total.runs += 4
  total.left += one.left
  total.doubts += one.doubts
  total.refusals += one.refusals
  total.breaches += one.breaches.length
  for (const breach of one.breaches) console.log(`seed ${seed}: ${breach}`)
  console.log(`seed ${seed}: ${one.left} runs left, ${one.doubts} doubts, ${one.breaches.length} breaches`)
}
console.log(JSON.stringify({ rounds, ...total }))
process.exit(total.breaches > 0 ? 1 : 0)
