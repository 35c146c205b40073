import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ClusterRuns } from "../../../src/plugins/cluster/ClusterRuns.ts"
import { ClusterWork } from "../../../src/plugins/cluster/ClusterWork.ts"
import { clusterRun, databaseTest } from "../../support/LeasedRun.ts"
import { needsPostgres } from "../../support/Postgres.ts"

/** Its prompt holds the id of another run. */
const newRun = (runId: string) => clusterRun(runId, { order: { runId, prompt: `Do as in "runId":"run-1".` } })

const begun = (daysAgo: number) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.subtract(now, { days: daysAgo })))

describe("a run that is removed from the database", needsPostgres, () => {
  databaseTest("takes everything of it along, and nothing of another one", function* () {
    const runs = yield* ClusterRuns
    const sql = yield* SqlClient.SqlClient
    const work = yield* ClusterWork
    for (const runId of ["run-1", "run-10"]) {
      yield* runs.submit(newRun(runId), [newRun(runId).opened], (json) => json)
      yield* work.answer(runId, "question", "{}")
    }
    assert.isFalse(yield* runs.remove("run-1"))
    yield* runs.cancel("run-1")
    assert.deepStrictEqual([yield* runs.remove("run-1"), yield* runs.remove("run-1")], [true, false])
    const tables = ["runs", "records", "answers"].map((table) => `run_id FROM task_conductor_${table}`)
    for (const from of [...tables, "singleton_key AS run_id FROM task_conductor_boss.job"]) {
      const left = yield* sql.unsafe<{ run_id: string }>(`SELECT ${from}`)
      assert.deepStrictEqual([from, left.map((row) => row.run_id)], [from, ["run-10"]])
    }
  })

  databaseTest("is one of those that are not kept", function* () {
    const runs = yield* ClusterRuns
    const sql = yield* SqlClient.SqlClient
    for (const [runId, daysAgo] of [
      ["run-0", 60],
      ["run-1", 30],
      ["run-2", 6],
      ["run-3", 2],
      ["run-4", 1]
    ] as const) {
      yield* runs.submit(newRun(runId), [], (json) => json)
      yield* sql`UPDATE task_conductor_runs SET begun_at = ${yield* begun(daysAgo)} WHERE run_id = ${runId}`
      /* The oldest one still works, and stays. */
      if (runId !== "run-0") yield* runs.cancel(runId)
    }
    for (const [kept, removed] of [
      [{}, []],
      [{ days: 7 }, ["run-1"]],
      [{ days: 7, newest: 2 }, ["run-2"]],
      [{ newest: 1 }, ["run-3"]],
      [{ newest: 1, days: 1000 }, []]
    ] as const) {
      assert.deepStrictEqual(yield* runs.removeOld(kept), [...removed])
    }
    const ids = (yield* runs.list).map(({ run }) => run.opened.order.runId)
    assert.deepStrictEqual(ids, ["run-4", "run-0"])
  })
})
