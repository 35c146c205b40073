import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { askedOf, makeCluster, writing } from "../../support/Cluster.ts"
import { withSql } from "../../support/LeasedRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { planOf, refinementWith } from "../../support/TestRun.ts"

const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`

describe("a worker alone with a database that crashes", needsPostgres, () => {
  liveTest("goes on with its run when the database is back", function* () {
    const { begin, postgres, sandbox, url, worker } = yield* makeCluster
    sandbox.write("project/notes.txt", `the token is ${token}\n`)
    let held = 0
    let shown = false
    const { binary, server } = yield* worker((body) => {
      const { stage, task } = askedOf(body)
      if (stage === "creation") return planOf([[{ name: "Look 1" }, { name: "Look 2" }]])
      if (stage === "refinement") return refinementWith([{ name: "read_file", arguments: { path: "notes.txt" } }])
      if (stage === "execution") shown ||= JSON.stringify(body).includes("the token is ")
      const text = writing({ stage, task })
      return stage === "execution" && task === "Look 2" && (held += 1) === 1 ? { text, hold: "once" } : text
    })
    const client = yield* begin(["--allow", "read_file"])
    /* One task has ended, and the run still waits for the other one. */
    yield* Effect.promise(() => client.says('"type":"task.finished"'))
    yield* server.until(() => held === 1)
    yield* Effect.promise(() => postgres.stop("immediate"))
    yield* Effect.promise(() => binary.says("this worker stops what it does"))
    yield* Effect.promise(() => postgres.start())
    expect((yield* Effect.promise(() => client.ended)).code).toBe(0)
    expect([binary.child.exitCode, held]).toEqual([null, 2])
    expect(binary.stderr()).toContain("The database answers again.")
    /* A secret that a tool found is in no table. */
    const tables = (sql: SqlClient.SqlClient) =>
      Effect.forEach(["runs", "records"], (name) =>
        sql.unsafe<{ rows: number; secrets: number }>(
          `SELECT count(*)::int AS rows, (count(*) FILTER (WHERE strpos(one::text, '${token}') > 0))::int AS secrets
           FROM task_conductor_${name} AS one`
        )
      )
    const found = (yield* withSql(url, tables)).flat()
    const counts = [found.every(({ rows }) => rows > 0), found.map(({ secrets }) => secrets)]
    expect([shown, ...counts]).toEqual([true, true, [0, 0]])
  })
})
