/**
 * Random faults in cluster runs, by seed. Two or three workers carry out two runs. Each task of a run adds a line to a
 * file. Faults follow each other until both runs have ended:
 * - Workers are killed, stopped, cut off from the database, or disconnected. A worker that ends is started again, as a
 *   service manager would do.
 * - Statements get errors, by SQLSTATE and table, or their answers are lost.
 * - Model servers go away, clocks are off by an hour, and the database restarts.
 *
 * At the end, the bench checks each run from outside. The run ended as done, once. `runs` and `show` agree. No work is
 * lost. No work was done twice, unless a question said that this may happen. Each record is whole.
 *
 * If a run has not ended `--limit` seconds after the last fault, it is stuck. The log has the load of the machine for
 * each seed. Several benches can run side by side, each with its own database.
 *
 *   node bench/cluster-faults.ts [FAULTS] [--seed 1] [--only KIND,...] [--tasks 8] [--limit 120] [--log FILE] [--verbose]
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { appendFileSync } from "node:fs"
import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import { layerDatabase } from "../src/plugins/cluster/ClusterDatabase.ts"
import { makeRandom } from "../test/support/randomDocuments.ts"
import { makeOperator, pause } from "./ClusterFaults.ts"
import { oneOf, type Strike, strikes } from "./ClusterStrikes.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    tasks: { type: "string", default: "8" },
    limit: { type: "string", default: "120" },
    log: { type: "string" },
    verbose: { type: "boolean", default: false }
  }
})
const wanted = Number(positionals[0] ?? "100")

type Operator = Effect.Success<ReturnType<typeof makeOperator>>
type Worker = Effect.Success<ReturnType<Operator["worker"]>>

const kinds = values.only === "" ? Object.keys(strikes) : values.only.split(",")

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the database and the commands say about a run that has ended. */
const saved = Effect.fnUntraced(function* ({ sandbox, url }: Operator, runId: string) {
  const rows = yield* SqlClient.SqlClient.use(
    (sql) => sql<{ readonly event: string; readonly json: string; readonly type: string }>`
      SELECT event, json, type FROM task_conductor_records WHERE run_id = ${runId} ORDER BY seq`
  ).pipe(Effect.provide(layerDatabase(Redacted.make(url))))
  const run = (words: ReadonlyArray<string>) =>
    Effect.promise(() => sandbox.run(words, { env: { TASK_CONDUCTOR_DATABASE: url } }))
  const shown = yield* run(["show", "--cluster", "--json", runId])
  const listed = yield* run(["runs", "--cluster", "--json"])
  const lines = parse(listed.stdout) as
    | ReadonlyArray<{ readonly run_id: string; readonly standing: string }>
    | undefined
  return {
    damaged: rows.filter(({ json }) => parse(json) === undefined).length,
    ends: rows.filter(({ event }) => event === "run.finished").length,
    shown: /"(?:standing|status)":\s*"([^"]+)"/.exec(shown.stdout)?.[1],
    listed: lines?.find((one) => one.run_id === runId)?.standing
  }
})

interface Round {
  readonly faults: ReadonlyArray<string>
  readonly breaches: ReadonlyArray<string>
  readonly doubts: number
}

const round = (seed: number) =>
  Effect.gen(function* () {
    const random = makeRandom(Math.imul(seed, 2_654_435_761))
    const world = yield* makeOperator({ tasks: Number(values.tasks), latency: 150, work: 0.1 })
    const scope = yield* Effect.scope
    const begun = performance.now()
    const faults: Array<string> = []
    const said: Array<Worker> = []
    const state = { isOver: false }
    const addWorker = async (): Promise<Worker> => {
      const clock = random(6) === 0 ? oneOf(random, [-3_600_000, 3_600_000]) : 0
      if (clock !== 0) faults.push(`a clock that is ${clock} ms off`)
      const worker = await Effect.runPromise(Scope.provide(world.worker({ clock }), scope))
      said.push(worker)
      return worker
    }
    const workers = yield* Effect.promise(() => Promise.all(Array.from({ length: 2 + random(2) }, addWorker)))
    yield* Effect.promise(() => Promise.all(workers.map(({ ready }) => ready)))
    /** Restarts workers that have ended. */
    const tending = workers.map(async (_, at) => {
      while (!state.isOver) {
        const worker = workers[at]
        if (worker !== undefined && (worker.child.exitCode !== null || worker.child.signalCode !== null)) {
          await pause(1000)
          if (!state.isOver) workers[at] = await addWorker()
        }
        await pause(100)
      }
    })
    const projects = ["one", "two"]
    for (const project of projects) world.sandbox.write(`${project}/.gitkeep`, "")
    const runs = projects.map((project) => world.begin(project))
    const measured = runs.map((run) => run.measured())
    const all = Promise.all(measured).then((found) => {
      state.isOver = true
      return found
    })
    const busy = new Set<number>()
    let isModelAway = false
    let passing: Array<Promise<void>> = []
    const striking = async (): Promise<void> => {
      while (!state.isOver && faults.length < 12) {
        await pause(300 + random(2500))
        const at = random(workers.length)
        const kind = oneOf(random, kinds)
        const worker = workers[at]
        if (state.isOver || worker === undefined || busy.has(at) || (kind === "model" && isModelAway)) continue
        busy.add(at)
        if (kind === "model") isModelAway = true
        const [what, passed] = (strikes[kind] as Strike)({ random, worker, postgres: world.postgres })
        faults.push(`worker ${at + 1} at ${((performance.now() - begun) / 1000).toFixed(1)} s: ${what}`)
        const done = passed.then(() => {
          busy.delete(at)
          if (kind === "model") isModelAway = false
        })
        passing.push(done)
        if (kind === "database") await done
      }
    }
    const struck = striking()
    const limit = struck
      .then(() => Promise.all(passing))
      .then(() => pause(Number(values.limit) * 1000))
      .then(() => undefined)
    const found = yield* Effect.promise(() => Promise.race([all, limit]))
    state.isOver = true
    yield* Effect.promise(() => struck.then(() => Promise.all(passing)))
    yield* Effect.promise(() => Promise.all(tending))
    const breaches = said
      .filter(({ stderr }) => stderr().includes("internal error"))
      .map(
        ({ stderr }) =>
          `a worker said ${stderr()
            .split("\n")
            .find((line) => line.includes("internal error"))}`
      )
    for (const [at, run] of runs.entries()) {
      const one = found?.[at]
      const id = yield* Effect.promise(async () => run.runId)
      if (one === undefined) {
        const lines = world.linesOf(projects[at] ?? "")
        breaches.push(`${id} is stuck: ${lines.length} of ${world.names.length} tasks are done`)
        continue
      }
      if (one.status !== "done") breaches.push(`${id} ended as ${one.status}`)
      if (one.lost > 0) breaches.push(`${id} lost ${one.lost}`)
      if (one.unasked > 0) breaches.push(`${id} did ${one.unasked} twice, and nobody was asked`)
      const kept = yield* saved(world, id)
      if (kept.damaged > 0) breaches.push(`${kept.damaged} records of ${id} are damaged`)
      if (kept.ends !== 1 && one.status === "done") breaches.push(`${id} ended ${kept.ends} times`)
      if (kept.shown !== kept.listed) breaches.push(`${id} is ${kept.shown} in show and ${kept.listed} in runs`)
    }
    if (breaches.length > 0 || values.verbose) {
      for (const [at, worker] of said.entries()) console.log(worker.stderr().replaceAll(/^/gm, `  ${at + 1}| `))
    }
    const doubts = (found ?? []).reduce((sum, one) => sum + one.doubts, 0)
    return { faults, breaches, doubts } satisfies Round
  }).pipe(Effect.scoped)

let count = 0
let breaches = 0
let doubts = 0
let runs = 0
for (let seed = Number(values.seed); count < wanted; seed += 1) {
  const one = await Effect.runPromise(Effect.provide(round(seed), NodeServices.layer))
  count += one.faults.length
  breaches += one.breaches.length
  doubts += one.doubts
  runs += 2
  if (one.breaches.length > 0 || values.verbose) for (const fault of one.faults) console.log(`  ${fault}`)
  for (const breach of one.breaches) console.log(`seed ${seed}: ${breach}`)
  const load = loadavg()[0]?.toFixed(1)
  console.log(
    `seed ${seed}: ${one.faults.length} faults, ${one.breaches.length} breaches, ${one.doubts} doubts, load ${load}`
  )
  if (values.log !== undefined) appendFileSync(values.log, `${JSON.stringify({ seed, load, ...one })}\n`)
}
console.log(`${count} faults in ${runs} runs: ${breaches} breaches, ${doubts} doubts`)
process.exit(breaches > 0 ? 1 : 0)
