import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { appendWith, clusterRun, layerOn, leaseRun } from "../../support/LeasedRun.ts"
import { settled } from "../../support/Journals.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makePostgres, needsPostgres } from "../../support/Postgres.ts"

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/operating-workers.md"), "utf8")

describe("the page for operators", needsPostgres, () => {
  liveTest("has queries and settings that the database takes", function* () {
    const queries = [...page.matchAll(/`(SELECT [^`]+)`/g)].map(([, query = ""]) => query)
    const blocks = [...page.matchAll(/```sql\n([^`]+)```/g)].map(([, block = ""]) => block)
    assert.isAtLeast(queries.length, 6)
    assert.isAtLeast(blocks.length, 2)
    const url = yield* makePostgres
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* appendWith(yield* leaseRun(clusterRun("run-1")), settled("key"))
      yield* sql`CREATE ROLE workers LOGIN`
      for (const text of [...queries, ...blocks]) yield* sql.unsafe(text)
      const active = queries.find((text) => text.includes("heartbeat_on")) ?? ""
      assert.lengthOf(yield* sql.unsafe(active), 1)
    }).pipe(Effect.provide(layerOn(url)))
    /* Who may make no tables works with those that are there. */
    yield* Effect.flatMap(leaseRun(clusterRun("run-2")), (lease) => appendWith(lease, settled("key"))).pipe(
      Effect.provide(layerOn(url.replace("tester@", "workers@")))
    )
  })
})
