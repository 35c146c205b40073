import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import { transaction } from "../../../src/plugins/cluster/ClusterDatabase.ts"
import { ClusterRuns } from "../../../src/plugins/cluster/ClusterRuns.ts"
import { type ClaimedWork, ClusterWork } from "../../../src/plugins/cluster/ClusterWork.ts"
import { claimOne, clusterRun, databaseTest, recordOf } from "../../support/LeasedRun.ts"
import { needsPostgres } from "../../support/Postgres.ts"

const claimant = { name: "gpu-1-7", program: "0.0.0" }

type Sql = SqlClient.SqlClient

/** A run with the piece that leads it, and a piece of it, both of one worker. */
const makeRun = Effect.gen(function* () {
  const runs = yield* ClusterRuns
  const work = yield* ClusterWork
  yield* runs.submit(clusterRun("run-1"), [], (json) => json)
  const leader = yield* claimOne(work, claimant, "run")

  yield* work.offer(leader, [{ key: "piece", kind: "refine", payload: "{}" }])
  return { leader, piece: yield* claimOne(work, claimant, "refine"), runs, work }
})

type Made = Effect.Success<typeof makeRun>
type Row = readonly [
  what: string,
  "run" | "leader",
  "leader" | "piece",
  (made: Made) => Effect.Effect<unknown, unknown>
]

const append: Row[3] = ({ piece, work }) => work.append("run-1", [recordOf(1, piece)])
const finish: Row[3] = ({ piece, work }) => work.append("run-1", [], [{ lease: piece, result: "{}" }])

/** What locks rows, what is locked meanwhile, and which piece has to be free then. */
const rows: ReadonlyArray<Row> = [
  ["the append of a record", "run", "piece", append],
  ["the result of a piece", "run", "piece", finish],
  ["the end of the run", "run", "leader", ({ leader, work }) => work.end(leader, "{}")],
  ["an answer", "run", "leader", ({ work }) => work.answer("run-1", "question", "{}")],
  ["a piece that rests", "run", "piece", ({ piece, work }) => work.rest(piece, { keys: [], questions: ["q"] })],
  ["a cancellation", "run", "leader", ({ runs }) => runs.cancel("run-1")],
  ["a heartbeat", "leader", "piece", ({ leader, piece, work }) => work.renew([piece, leader])]
]

const lockRun = (sql: Sql) => sql`SELECT FROM task_conductor_runs WHERE run_id = 'run-1' FOR UPDATE`
const lockPiece = (sql: Sql, { id }: ClaimedWork) =>
  sql`SELECT FROM task_conductor_boss.job WHERE id = ${id}::uuid FOR UPDATE NOWAIT`

/** Returns when a statement of another connection waits for a lock. */
const untilOneWaits = (sql: Sql) =>
  Effect.repeat(
    sql<{ readonly waits: boolean }>`SELECT EXISTS (SELECT FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND wait_event_type = 'Lock') AS waits`,
    { until: ([row]) => row?.waits === true }
  )

describe("what locks rows of a run", needsPostgres, () => {
  for (const [what, first, free, use] of rows) {
    databaseTest(`waits for the ${first} before it has a lock on a piece: ${what}`, function* () {
      const made = yield* makeRun
      const sql = yield* SqlClient.SqlClient
      const other = yield* transaction(
        sql,
        Effect.gen(function* () {
          yield* first === "run" ? lockRun(sql) : lockPiece(sql, made.leader)
          /* On a connection of its own. */
          const fiber = Effect.runFork(use(made))
          yield* Effect.raceFirst(
            untilOneWaits(sql),
            Effect.andThen(Fiber.join(fiber), Effect.die("it waits for no lock"))
          )
          yield* lockPiece(sql, made[free])
          return fiber
        })
      )
      yield* Fiber.join(other)
      const [counted] = yield* sql<{ readonly deadlocks: number }>`SELECT deadlocks::int AS deadlocks
            FROM pg_stat_database WHERE datname = current_database()`
      assert.strictEqual(counted?.deadlocks, 0)
    })
  }
})
