/**
 * What a task costs on several machines: transactions of the database, and processor time of the workers and of the
 * client. Also shows how close the run comes to the time of its model calls. Each task makes one tool call and reports,
 * which takes two model calls. Starting processes does not count. `--workers 0` is a run without a cluster.
 *
 *   npm run build && node bench/cluster-cost.ts [--tasks 40] [--latency 1500] [--workers 0,2,3] [--parallel 2] [--profile FOLDER]
 *
 * `--profile`: workers write a profile of their processor time to this folder (`--cpu-prof`).
 * `--idle SECONDS`: measures only idle workers: what they cost, and how long a run then waits for one.
 * `--together N`: starts this many runs at once after the idle time.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { layerDatabase } from "../src/plugins/cluster/ClusterDatabase.ts"
import { askedOf, makeCluster, makeClusterWith } from "../test/support/Cluster.ts"
import { planOf, refinementWith, resultSaying } from "../test/support/TestRun.ts"
import { pause } from "./ClusterFaults.ts"
import { slotModel, startSlotServer } from "./SlotServer.ts"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "40" },
    latency: { type: "string", default: "1500" },
    workers: { type: "string", default: "0,2,3" },
    parallel: { type: "string", default: "2" },
    profile: { type: "string", default: "" },
    idle: { type: "string", default: "0" },
    together: { type: "string", default: "100" }
  }
})
const tasks = Number(values.tasks)
const latency = Number(values.latency)
const parallel = Number(values.parallel)
const names = Array.from({ length: tasks }, (_, index) => `Look ${index + 1}`)

const answer = (system: string, user: string) => {
  const { stage, task } = askedOf({
    messages: [
      { role: "system", content: system },
      { role: "user", content: user }
    ]
  })
  if (stage === "creation") return planOf([names.map((name) => ({ name }))])
  if (stage === "refinement") return refinementWith([{ name: "get_current_time", arguments: {} }])
  if (stage === "execution") return resultSaying(`Result of ${task}.`)
  return stage === "iteration" ? planOf([]) : "All is done."
}

/**
 * The processor time that a process, or its ended children, have used, in ms. The kernel counts hundredths of a second.
 */
const cpuOf = (pid: number | string | undefined, whose: "own" | "children" = "own"): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  const at = whose === "own" ? 11 : 13
  return (Number(fields[at]) + Number(fields[at + 1])) * 10
}

/** The processor time that all sessions of a database have used, in ms. Ended sessions count, too. */
const cpuOfDatabase = (folder: string): number => {
  const [server = ""] = readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n")
  const sessions = readFileSync(`/proc/${server}/task/${server}/children`, "utf8").trim().split(" ")
  const live = [server, ...sessions].reduce((sum, pid) => sum + cpuOf(pid), 0)
  return live + cpuOf(server, "children")
}

const measure = (count: number) =>
  Effect.gen(function* () {
    const cluster = yield* makeCluster
    const serve = Effect.acquireRelease(
      Effect.promise(() => startSlotServer({ slots: parallel, latency, answer })),
      ({ close }) => Effect.promise(close)
    )
    const servers = yield* Effect.forEach(Array.from({ length: Math.max(1, count) }), () => serve)
    const slots = ["--parallel", String(parallel)]
    const workers = yield* Effect.forEach(count === 0 ? [] : servers, ({ url }) =>
      Effect.gen(function* () {
        const binary = yield* cluster.start(["worker", ...slots], {
          OLLAMA_HOST: url,
          ...(values.profile === "" ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${values.profile}` })
        })
        yield* Effect.promise(() => binary.says("The worker is ready"))
        return binary
      })
    )
    const sql = Context.get(yield* Layer.build(layerDatabase(Redacted.make(cluster.url))), SqlClient.SqlClient)
    const transactions = Effect.map(
      sql<{
        readonly count: number
      }>`SELECT xact_commit::float8 AS count FROM pg_stat_database WHERE datname = current_database()`,
      ([row]) => row?.count ?? 0
    )
    const client = yield* cluster.start(
      ["run", ...(count === 0 ? slots : ["--cluster"]), "--json", "--model", slotModel, "Do it."],
      { OLLAMA_HOST: servers[0]?.url ?? "" }
    )
    yield* Effect.promise(() => client.says('"run.started"'))
    const all = [client, ...workers]
    const times = () => all.map(({ child }) => cpuOf(child.pid))
    const begun = { times: times(), transactions: yield* transactions, at: performance.now() }
    yield* Effect.promise(() => client.says('"run.finished"').catch(() => undefined))
    const seconds = (performance.now() - begun.at) / 1000
    const ended = times()
    /** The database updates its statistics up to a second after a session has ended. */
    yield* Effect.promise(() => pause(1500))
    const spent = ended.map((time, at) => time - (begun.times[at] ?? 0))
    const calls = servers.reduce((sum, { stats }) => sum + stats.calls, 0)
    const ideal = ((calls - 2 * tasks + Math.ceil((2 * tasks) / (servers.length * parallel))) * latency) / 1000
    const { code, stderr } = yield* Effect.promise(() => client.ended)
    const perTask = (sum: number): number => Number((sum / tasks).toFixed(1))
    console.log(
      JSON.stringify({
        workers: count,
        exit: code,
        transactions: perTask((yield* transactions) - begun.transactions),
        msOfWorkers: perTask(spent.slice(1).reduce((sum, one) => sum + one, 0)),
        msOfClient: perTask(spent[0] ?? 0),
        seconds: Number(seconds.toFixed(2)),
        ideal: Number(ideal.toFixed(2)),
        ratio: latency === 0 ? "-" : Number((seconds / ideal).toFixed(3))
      })
    )
    if (code !== 0) console.log(stderr)
    for (const { child, ended: end } of workers) {
      child.kill("SIGTERM")
      yield* Effect.promise(() => end)
    }
  }).pipe(Effect.scoped)

/** Idle workers: transactions per second, and the time until one of them starts a run, in seconds. */
const measureIdle = (count: number, time: number) =>
  Effect.gen(function* () {
    const cluster = yield* makeClusterWith({ settings: ["max_connections=800"] })
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startSlotServer({ slots: parallel, latency: 0, answer })),
      ({ close }) => Effect.promise(close)
    )
    yield* Effect.forEach(
      Array.from({ length: count }),
      Effect.fnUntraced(function* () {
        const worker = yield* cluster.start(["worker"], { OLLAMA_HOST: server.url })
        yield* Effect.promise(() => worker.says("The worker is ready"))
      }),
      { concurrency: Number(values.together) }
    )
    const sql = Context.get(yield* Layer.build(layerDatabase(Redacted.make(cluster.url))), SqlClient.SqlClient)
    const transactions = Effect.map(
      sql<{
        readonly count: number
      }>`SELECT xact_commit::float8 AS count FROM pg_stat_database WHERE datname = current_database()`,
      ([row]) => row?.count ?? 0
    )
    yield* Effect.promise(() => pause(20_000))
    const { folder } = cluster.postgres
    const before = { transactions: yield* transactions, cpu: cpuOfDatabase(folder), at: performance.now() }
    yield* Effect.promise(() => pause(time * 1000))
    const seconds = (performance.now() - before.at) / 1000
    const perSecond = (amount: number): number => Number((amount / seconds).toFixed(1))
    const transactionsASecond = perSecond((yield* transactions) - before.transactions)
    const databaseMsASecond = perSecond(cpuOfDatabase(folder) - before.cpu)
    const [sessions] = yield* sql<{ readonly count: number }>`SELECT count(*)::float8 AS count FROM pg_stat_activity
      WHERE application_name = 'task-conductor'`
    const client = yield* cluster.start(["run", "--cluster", "--json", "--model", slotModel, "Do it."])
    const isThere = sql`SELECT FROM task_conductor_runs`
    while ((yield* isThere).length === 0) yield* Effect.promise(() => pause(5))
    const offered = performance.now()
    const isTaken = sql`SELECT FROM task_conductor_runs WHERE led_by IS NOT NULL`
    while ((yield* isTaken).length === 0) yield* Effect.promise(() => pause(5))
    const taken = Number(((performance.now() - offered) / 1000).toFixed(2))
    const connections = (sessions?.count ?? 0) - 1
    console.log(
      JSON.stringify({ workers: count, transactionsASecond, databaseMsASecond, connections, secondsUntilTaken: taken })
    )
    yield* Effect.promise(() => client.ended)
  }).pipe(Effect.scoped)

for (const count of values.workers.split(",")) {
  const idle = Number(values.idle)
  const measured = idle > 0 ? measureIdle(Number(count), idle) : measure(Number(count))
  await Effect.runPromise(Effect.provide(measured, NodeServices.layer))
}
process.exit()
