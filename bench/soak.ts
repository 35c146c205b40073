/**
 * The work of days in a few hours: runs that are killed and resumed, conversations that are killed, and cluster runs
 * under faults. The two workers of the cluster stay the same. Logs the state of the workers, the database and the
 * machine every minute. At the end, compares the last fifth of the time with the second fifth, and prints what grew,
 * and all damage.
 *
 *   node bench/soak.ts [--minutes 15] [--seed 1] [--log FILE]
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { appendFileSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { parseArgs } from "node:util"
import { layerDatabase } from "../src/plugins/cluster/ClusterDatabase.ts"
import { askCrashKinds, crashAskAt } from "../test/support/CrashAsk.ts"
import { crashAtRandom, makeReference } from "../test/support/CrashPoints.ts"
import { processesIn } from "../test/support/CrashRemains.ts"
import { makeRandom } from "../test/support/randomDocuments.ts"
import { makeOperator, pause } from "./ClusterFaults.ts"
import { oneOf, type Strike, strikes } from "./ClusterStrikes.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "15" },
    seed: { type: "string", default: "1" },
    log: { type: "string" }
  }
})
const time = Number(values.minutes) * 60_000
const random = makeRandom(Math.imul(Number(values.seed), 2_654_435_761))

/** The worker survives these faults. So its memory and handles can be measured. */
const kinds = ["stop", "freeze", "cut", "error", "model"]

/** The memory of a process in MB, and the number of its open files. */
const stateOf = (pid: number) => ({
  mb: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0") / 1000),
  handles: readdirSync(`/proc/${pid}/fd`).length
})

/** How many folders of earlier work are still in the folder for temporary files. */
const temporary = (): number => readdirSync(tmpdir()).filter((name) => name.startsWith("task-conductor-")).length

const soak = Effect.gen(function* () {
  const reference = yield* makeReference
  const world = yield* makeOperator({ tasks: 6, latency: 50, work: 0.05 })
  const workers = yield* Effect.all([world.worker(), world.worker()])
  yield* Effect.promise(() => Promise.all(workers.map(({ ready }) => ready)))
  const begun = performance.now()
  const isOver = (): boolean => performance.now() - begun > time
  const breaches: Array<string> = []
  const scope = yield* Effect.scope
  const counts = { restarts: 0, run: 0, ask: 0, cluster: 0, faults: 0, kills: 0 }
  const samples: Array<Readonly<Record<string, number>>> = []

  const local = async (): Promise<void> => {
    while (!isOver()) {
      if (random(2) === 0) {
        const options = { random, within: 1500, most: 3, parallel: 1 + random(4), latency: 5 }
        const crashed = await Effect.runPromise(crashAtRandom(reference, options))
        counts.run += 1
        counts.kills += crashed.kills
        breaches.push(...crashed.breaches.map((one) => `run ${counts.run}: ${one}`))
      } else {
        const crashed = await Effect.runPromise(crashAskAt(oneOf(random, askCrashKinds), 1 + random(12)))
        counts.ask += 1
        counts.kills += crashed.kills
        breaches.push(...crashed.breaches.map((one) => `ask ${counts.ask}: ${one}`))
      }
    }
  }
  const cluster = async (): Promise<void> => {
    for (let round = 1; !isOver(); round += 1) {
      const project = `project-${round}`
      world.sandbox.write(`${project}/.gitkeep`, "")
      const run = world.begin(project)
      const limit = pause(240_000).then(() => undefined)
      const measured = await Promise.race([run.measured(), limit])
      const id = await run.runId
      counts.cluster += 1
      const { lost = 0, status = "stuck", unasked = 0 } = measured ?? {}
      if (status !== "done" || lost + unasked > 0) breaches.push(`${id}: ${status}, ${lost} lost, ${unasked} twice`)
      const env = { TASK_CONDUCTOR_DATABASE: world.url }
      await world.sandbox.run(["cancel", id], { env })
      const removed = await world.sandbox.run(["runs", "delete", "--cluster", id], { env })
      if (removed.code !== 0) breaches.push(`${id} cannot be removed: ${removed.stderr}`)
    }
  }
  const striking = async (): Promise<void> => {
    while (!isOver()) {
      await pause(2000 + random(8000))
      const worker = oneOf(random, workers)
      const [what, passed] = (strikes[oneOf(random, kinds)] as Strike)({ random, worker, postgres: world.postgres })
      counts.faults += 1
      if (values.log !== undefined) appendFileSync(values.log, `${JSON.stringify({ fault: what })}\n`)
      await passed
    }
  }
  const rows = SqlClient.SqlClient.use((sql) =>
    Effect.gen(function* () {
      const tables = yield* sql<{ readonly name: string }>`
        SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname LIKE 'task_conductor_%'`
      let total = 0
      for (const { name } of tables) {
        const [row] = yield* sql.unsafe<{ readonly n: number }>(`SELECT count(*)::int AS n FROM ${name}`)
        total += row?.n ?? 0
      }
      const [connections] = yield* sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity`
      return { rows: total, connections: connections?.n ?? 0 }
    })
  ).pipe(Effect.provide(layerDatabase(Redacted.make(world.url))))
  const sampling = async (): Promise<void> => {
    while (!isOver()) {
      const isAlive = ({ child }: (typeof workers)[number]): boolean =>
        child.exitCode === null && child.signalCode === null
      /** A worker that cannot continue ends. It is started again, as a service manager would do. */
      for (const [at, worker] of workers.entries()) {
        if (isAlive(worker)) continue
        workers[at] = await Effect.runPromise(Scope.provide(world.worker(), scope))
        counts.restarts += 1
      }
      const states = workers.filter(isAlive).map(({ child }) => stateOf(child.pid ?? 0))
      const sum = (of: "handles" | "mb"): number => states.reduce((total, one) => total + one[of], 0)
      const stored = await Effect.runPromise(Effect.provide(rows, NodeServices.layer))
      const sample = {
        minute: Math.round((performance.now() - begun) / 60_000),
        mb: sum("mb"),
        handles: sum("handles"),
        processes: processesIn(world.sandbox.root).length,
        temporary: temporary(),
        ...stored,
        ...counts,
        breaches: breaches.length
      }
      samples.push(sample)
      console.log(JSON.stringify(sample))
      if (values.log !== undefined) appendFileSync(values.log, `${JSON.stringify(sample)}\n`)
      await pause(Math.min(60_000, time / 15))
    }
  }
  yield* Effect.promise(() => Promise.all([local(), cluster(), striking(), sampling()]))
  const mean = (name: string, from: number, to: number): number => {
    const part = samples.slice(Math.floor(samples.length * from), Math.max(1, Math.ceil(samples.length * to)))
    return part.reduce((total, one) => total + (one[name] ?? 0), 0) / part.length
  }
  for (const name of ["mb", "handles", "processes", "temporary", "rows", "connections"])
    console.log(
      `${name}: ${mean(name, 0.2, 0.4).toFixed(0)} in the second fifth, ${mean(name, 0.8, 1).toFixed(0)} in the last one`
    )
  for (const breach of breaches) console.log(breach.slice(0, 400))
  console.log(`${breaches.length} breaches`)
  return breaches.length
}).pipe(Effect.scoped)

const count = await Effect.runPromise(Effect.provide(soak, NodeServices.layer))
process.exit(count > 0 ? 1 : 0)
