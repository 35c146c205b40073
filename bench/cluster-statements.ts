/**
 * Lets each statement of a cluster run fail, one at a time. Each text that the worker or the client sends fails once at
 * its first use and once at its last, with each SQLSTATE. The run must end as done, its work done once, with one end in
 * its journal. Otherwise the client must say that the database cannot be used, and nothing may have begun.
 *
 *   npm run build && node bench/cluster-statements.ts [--codes 53100,lost,...] [--who worker,client] [--for 0] [--part 1/1] [--verbose]
 *
 * `--for MS`: from this statement on, the error lasts this long. With 0, only one statement fails.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { run } from "../src/plugins/cluster/scripts.ts"
import { layerDatabase } from "../src/plugins/cluster/ClusterDatabase.ts"
import { askedOf, makeClusterWith } from "../test/support/Cluster.ts"
import { FakeOllama } from "../test/support/FakeOllama.ts"
import { fakeModel } from "../test/support/FakeOllamaPaths.ts"
import { makePostgresProxy } from "../test/support/PostgresProxy.ts"
import { freeSkill, planOf, refinementWith, resultSaying } from "../test/support/TestRun.ts"
import { pause } from "./ClusterFaults.ts"

const { values } = parseArgs({
  options: {
    codes: { type: "string", default: "53100,53200,25006,57014,40001,08006,55P03,57P01,lost" },
    who: { type: "string", default: "worker,client" },
    for: { type: "string", default: "0" },
    part: { type: "string", default: "1/1" },
    verbose: { type: "boolean", default: false }
  }
})
const names = ["Send 1", "Send 2"]
const [part = 1, parts = 1] = values.part.split("/").map(Number)
/** If a run has not ended after this time, it is stuck. */
const mostSeconds = 90

const answer = (body: Parameters<typeof askedOf>[0]): string => {
  const { stage, task } = askedOf(body)
  if (stage === "creation") return planOf([names.map((name) => ({ name, skill: "free" }))])
  if (stage === "iteration") return planOf([])
  if (stage === "execution") return resultSaying(`${task} is done.`)
  if (stage !== "refinement") return "All is done."
  return refinementWith([{ name: "run_command", arguments: { argv: ["sh", "-c", `echo ${task} >> log.txt`] } }])
}

/** A fault at one statement of a run. */
interface Strike {
  readonly who: string
  readonly sql: string
  /** The fault comes after this many statements of the same kind. */
  readonly after: number
  readonly code: string
}

const shortly = (sql: string): string => sql.replaceAll(/\s+/g, " ").trim().slice(0, 90)

const bench = Effect.gen(function* () {
  const cluster = yield* makeClusterWith({})
  const { sandbox, url } = cluster
  process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`
  process.env["XDG_STATE_HOME"] = `${sandbox.root}/state`
  sandbox.write("config/task-conductor/skills/free/SKILL.md", freeSkill)
  const server = yield* FakeOllama.make(answer)
  const makeProxy = makePostgresProxy({ path: `${cluster.postgres.folder}/.s.PGSQL.5432` })
  const networks = { worker: yield* makeProxy, client: yield* makeProxy }
  const scope = yield* Effect.scope
  const startWorker = async () => {
    const env = { OLLAMA_HOST: server.url, TASK_CONDUCTOR_DATABASE: networks.worker.url }
    const started = await Effect.runPromise(
      Scope.provide(cluster.start(["worker", "--allow", "run_command"], env), scope)
    )
    await started.says("The worker is ready")
    return started
  }
  let worker = yield* Effect.promise(startWorker)
  let number = 0
  let said = 0

  /** One run in a project of its own. Returns what is wrong with its outcome. */
  const play = async (): Promise<ReadonlyArray<string>> => {
    const project = join(sandbox.root, `project-${(number += 1)}`)
    sandbox.write(`project-${number}/.gitkeep`, "")
    const handle = run({
      prompt: "Do it.",
      project,
      model: fakeModel,
      database: networks.client.url,
      approve: () => "remaining",
      arbitrate: () => (existsSync(join(project, "log.txt")) ? "done" : "again")
    })
    const report = handle.report.then(
      ({ message, status }) => `${status} ${message}`.trim(),
      (error: unknown) => String(error)
    )
    /** Restarts a worker that has ended, as a service manager would do. */
    const state = { isOver: false }
    const tending = (async () => {
      while (!state.isOver) {
        await pause(200)
        if (worker.child.exitCode !== null) worker = await startWorker()
      }
    })()
    const status = await Promise.race([report, pause(mostSeconds * 1000).then(() => "stuck")])
    state.isOver = true
    await tending
    const log = join(project, "log.txt")
    const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").toSorted() : []
    const id = handle.runId
    const rows = await Effect.runPromise(
      SqlClient.SqlClient.use(
        (sql) => sql`SELECT FROM task_conductor_records WHERE run_id = ${id} AND event = 'run.finished'`
      ).pipe(Effect.provide(layerDatabase(Redacted.make(url))), Effect.provide(NodeServices.layer), Effect.orDie)
    )
    /** A client that cannot begin must say so, and nothing may have begun. */
    const isSaid = status.startsWith("DatabaseUnavailable: ") && lines.length === 0 && rows.length === 0
    if (isSaid) said += 1
    return isSaid
      ? []
      : [
          ...(status === "done" ? [] : [`it ended as ${status}`]),
          ...(lines.join() === names.join() ? [] : [`its work is ${lines.join()}`]),
          ...(rows.length === 1 ? [] : [`it has ${rows.length} ends`])
        ]
  }

  const counts = () =>
    Object.entries(networks).flatMap(([who, { seen }]) => [...seen()].map(([sql, count]) => ({ who, sql, count })))
  const before = new Map(counts().map(({ count, sql, who }) => [`${who} ${sql}`, count]))
  const wrong = yield* Effect.promise(play)
  if (wrong.length > 0) console.log(`a run without an error: ${wrong.join(", ")}`)
  const sent = counts().flatMap(({ count, sql, who }) => {
    const times = count - (before.get(`${who} ${sql}`) ?? 0)
    return times > 0 && values.who.split(",").includes(who) ? [{ who, sql, times }] : []
  })
  const strikes = sent
    .flatMap(({ sql, times, who }) =>
      [...new Set([0, times - 1])].flatMap((after) =>
        values.codes.split(",").map((code): Strike => ({ who, sql, after, code }))
      )
    )
    .filter((_, index) => index % parts === part - 1)
  console.log(`${sent.length} statements, ${strikes.length} errors`)
  let struck = 0
  let breaches = 0
  for (const { after, code, sql, who } of strikes) {
    const network = networks[who as keyof typeof networks]
    const was = network.seen().get(sql) ?? 0
    const mend = network.fail({ sql, after, with: code, ...(values.for === "0" ? { times: 1 } : {}) })
    if (values.for !== "0") void pause(Number(values.for)).then(mend)
    const found = yield* Effect.promise(play)
    mend()
    if ((network.seen().get(sql) ?? 0) - was > after) struck += 1
    breaches += found.length
    if (found.length > 0 || values.verbose)
      console.log(`${who} ${code} after ${after}: ${shortly(sql)}: ${found.join(", ")}`)
    if (found.length > 0) console.log(worker.stderr().split("\n").slice(-8).join("\n"))
  }
  console.log(
    `${strikes.length} errors, ${struck} at a statement that was sent: ${breaches} breaches, ${said} times a client said that it could not begin`
  )
  return breaches
})

const breaches = await Effect.runPromise(Effect.scoped(bench).pipe(Effect.provide(NodeServices.layer)))
process.exit(breaches > 0 ? 1 : 0)
