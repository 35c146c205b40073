/**
 * Looks at what a cluster run needs from this machine: a name of a model, the database, TLS, and workers that are alive. Part
 * of the composition root.
 */
import { secondsText } from "../domain/text/Format.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import type { Finding } from "../domain/checking/Diagnosis.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { ClusterWorkers, type WorkerState } from "../services/cluster/ClusterWorkers.ts"
import { layerNamedDatabase } from "./clusterClient.ts"
import { configurationFindings } from "./diagnosis.ts"
import { readSetup, type Setup } from "./setup.ts"
import { version } from "./version.ts"

/** What the database says of the connection; `address` is absent for a socket of this machine. */
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
  if (ssl) return { name: "TLS", state: "ok", what: `in use${protocol === null ? "" : ` (${protocol})`}` }
  if (isHere(address)) return { name: "TLS", state: "ok", what: "not in use; the database is on this machine" }
  return {
    name: "TLS",
    state: "note",
    what: `not in use, so that prompts and results go to ${address} unprotected`,
    remedy: "Add sslmode=verify-full to the address of the database, or set PGSSLMODE=verify-full."
  }
}

const workerFinding = (worker: WorkerState): Finding => {
  const { isAlive, name, runs, seenSecondsAgo, slots, tasks } = worker
  const load = `${runs} runs, ${tasks} tasks, ${slots} model calls at once, seen ${secondsText(seenSecondsAgo)} ago`
  const what = `${name}, version ${worker.version}: ${isAlive ? "" : "lost; "}${load}`
  if (!isAlive) return { name: "worker", state: "note", what }
  if (worker.version === version) return { name: "worker", state: "ok", what }
  return {
    name: "worker",
    state: "note",
    what,
    remedy: `This program is version ${version}. Use one version everywhere.`
  }
}

const workerFindings = (workers: ReadonlyArray<WorkerState>): ReadonlyArray<Finding> => {
  const none: Finding = {
    name: "worker",
    state: "problem",
    what: "none is alive",
    remedy: "Start one on a machine with a model server: task-conductor worker."
  }
  return [...workers.map(workerFinding), ...(workers.some(({ isAlive }) => isAlive) ? [] : [none])]
}

const databaseFindings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [connection] = yield* sql.unsafe<Connection>(connectionQuery)
  const workers = yield* (yield* ClusterWorkers).list
  const found: ReadonlyArray<Finding> = [
    { name: "database", state: "ok", what: `PostgreSQL ${connection?.product ?? ""}`.trim() },
    ...(connection === undefined ? [] : [tlsFinding(connection)]),
    ...workerFindings(workers)
  ]
  return found
}).pipe(
  Effect.provide(Layer.provideMerge(ClusterWorkers.layer, layerNamedDatabase())),
  Effect.catch(({ message }) =>
    Effect.succeed<ReadonlyArray<Finding>>([{ name: "database", state: "problem", what: message.replace(/\.$/, "") }])
  )
)

const modelFinding = ({ configuration: { model } }: Setup): Finding =>
  model === undefined
    ? {
        name: "model",
        state: "problem",
        what: "none is chosen",
        remedy: "Name one that the servers of the workers have: --model NAME, or task-conductor init."
      }
    : { name: "model", state: "ok", what: `${model}, on the servers of the workers` }

/** Everything that a cluster run in this project needs. `given` are flags. */
export const diagnoseCluster = Effect.fn("diagnoseCluster")(function* (project: string, given: Configuration) {
  const read = yield* Effect.result(readSetup(project, given))
  if (Result.isFailure(read)) {
    const broken: Finding = { name: "configuration", state: "problem", what: read.failure.message }
    return [broken]
  }
  return [...(yield* configurationFindings(read.success)), modelFinding(read.success), ...(yield* databaseFindings)]
})
