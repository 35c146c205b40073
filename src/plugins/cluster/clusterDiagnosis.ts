/**
 * `doctor --cluster`: checks the name of the model, the database, TLS, and that workers are alive. Part of the
 * composition root.
 */
import {
  build,
  clause,
  type Configuration,
  configurationFindings,
  type Finding,
  note,
  ok,
  problem,
  readSetup,
  withSetup
} from "../../kit/program.ts"
import { isOtherBuild } from "../../kit/runs.ts"
import { secondsText } from "../../kit/text.ts"
import { counted } from "../../plugin-kit.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { ClusterWorkers, type WorkerState } from "./ClusterWorkers.ts"
import { layerNamedDatabase } from "./clusterClient.ts"

/** The connection as the database describes it. `address` is null for a local socket. */
interface Connection {
  readonly product: string
  readonly ssl: boolean
  readonly protocol: string | null
  readonly address: string | null
}

const connectionQuery = `SELECT current_setting('server_version') AS product, ssl, version AS protocol,
  host(inet_server_addr()) AS address FROM pg_stat_ssl WHERE pid = pg_backend_pid()`

const isHere = (address: string | null): boolean => address === null || address === "::1" || address.startsWith("127.")

const tlsFinding = ({ address, protocol, ssl }: Connection): Finding => {
  if (ssl) return ok("TLS", `in use${protocol === null ? "" : ` (${protocol})`}`)
  if (isHere(address)) return ok("TLS", "not in use; the database is on this machine")
  return note(
    "TLS",
    `not in use, so that prompts and results go to ${address} unprotected`,
    "Add sslmode=verify-full to the address of the database, or set PGSSLMODE=verify-full."
  )
}

const workerFinding = (worker: WorkerState): Finding => {
  const { isAlive, name, runs, seenSecondsAgo, slots, tasks } = worker
  const load = `${counted(runs, "run")}, ${counted(tasks, "task")}, ${counted(slots, "model call")} at once, seen ${secondsText(seenSecondsAgo)} ago`
  const what = `${name}, version ${worker.version}: ${isAlive ? "" : "lost; "}${load}`
  if (!isAlive) return note("worker", what)
  if (!isOtherBuild(worker.version, build)) return ok("worker", what)
  return note("worker", what, `This program is version ${build}. Use one version everywhere.`)
}

const noWorker = problem(
  "worker",
  "none is alive",
  "Start one on a machine with a model server: task-conductor worker."
)

/** Why a run from this machine would wait for workers. Empty if it would not wait. */
const missingWorkers = (workers: ReadonlyArray<WorkerState>): ReadonlyArray<Finding> => {
  const alive = workers.filter(({ isAlive }) => isAlive)
  if (alive.length === 0) return [noWorker]
  if (alive.some((worker) => !isOtherBuild(worker.version, build))) return []
  const remedy = `Start a worker of version ${build}, or use the version of the workers here.`
  return [problem("workers", `none has version ${build}, so that a run that is started here waits`, remedy)]
}

const databaseFindings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [connection] = yield* sql.unsafe<Connection>(connectionQuery)
  const workers = yield* (yield* ClusterWorkers).list
  return [
    ok("database", `PostgreSQL ${connection?.product ?? ""}`.trim()),
    ...(connection === undefined ? [] : [tlsFinding(connection)]),
    ...workers.map(workerFinding),
    ...missingWorkers(workers)
  ]
}).pipe(
  Effect.provide(Layer.provideMerge(ClusterWorkers.layer, layerNamedDatabase())),
  Effect.catch((error) => Effect.succeed([problem("database", clause(error))]))
)

const modelFinding = ({ model }: Configuration): Finding =>
  model === undefined
    ? problem(
        "model",
        "none is chosen",
        "Name one that the servers of the workers have: --model NAME, or task-conductor init."
      )
    : ok("model", `${model}, on the servers of the workers`)

export const diagnoseCluster = (project: string, flags: Configuration) =>
  withSetup(
    readSetup(project, flags),
    Effect.fnUntraced(function* (setup) {
      return [...(yield* configurationFindings(setup)), modelFinding(setup.configuration), ...(yield* databaseFindings)]
    })
  )
