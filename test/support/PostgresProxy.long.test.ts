import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { layerPostgres, StatementLimit } from "../../src/plugins/cluster/PostgresClient.ts"
import { liveTest } from "./liveTest.ts"
import { makeServer, needsPostgres } from "./Postgres.ts"
import { makePostgresProxy, partsOf } from "./PostgresProxy.ts"

describe("what a statement does", () => {
  for (const [sql, ...expected] of [
    ["SELECT * FROM runs JOIN work USING (id)", "select runs", "select work"],
    [
      "WITH r AS (UPDATE runs SET a = 1 RETURNING a) INSERT INTO records SELECT a FROM r",
      "update runs",
      "insert records",
      "select r"
    ],
    ["SELECT 1 FROM work FOR UPDATE SKIP LOCKED", "select work"],
    ["INSERT INTO a VALUES (1) ON CONFLICT DO UPDATE SET b = 2", "insert a"],
    ["DELETE FROM a", "delete a"],
    ["COMMIT", "commit "]
  ] as const) {
    it(sql, () =>
      assert.deepStrictEqual(
        partsOf(sql).map(({ table, verb }) => `${verb} ${table}`),
        expected
      )
    )
  }
})

const codeOf = ({ reason: { cause } }: SqlError): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : "no code"

describe("a proxy before PostgreSQL", needsPostgres, () => {
  liveTest("fails chosen statements, loses their answers, and passes on all others", () =>
    Effect.gen(function* () {
      const server = yield* makeServer()
      const proxy = yield* makePostgresProxy({ path: `${server.folder}/.s.PGSQL.5432` })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const add = (number: number) => sql`INSERT INTO kept VALUES (${number})`
        const kept = Effect.map(sql<{ readonly n: number }>`SELECT n FROM kept ORDER BY n`, (rows) =>
          rows.map(({ n }) => n)
        )
        yield* sql`CREATE TABLE kept (n integer PRIMARY KEY)`
        yield* add(1)

        proxy.fail({ table: "kept", verb: "insert", with: "53100", times: 2 })
        assert.deepStrictEqual(
          yield* Effect.all([add(2), add(2), kept], { concurrency: 3 }).pipe(Effect.flip, Effect.map(codeOf)),
          "53100"
        )
        yield* Effect.ignore(add(2))
        yield* add(3)

        /* A statement that fails lets its transaction fail. */
        proxy.fail({ table: "kept", verb: "select", with: "40001", times: 1 })
        const both = sql.withTransaction(Effect.andThen(add(4), Effect.ignore(kept)))
        yield* Effect.ignore(both)
        assert.notInclude(yield* kept, 4)

        /* Its answer does not arrive, but it is committed: alone, and with its transaction. */
        proxy.fail({ verb: "insert", with: "lost", times: 1 })
        assert.isTrue((yield* Effect.flip(add(5))).isRetryable)
        proxy.fail({ verb: "insert", with: "lost", times: 1 })
        yield* Effect.flip(sql.withTransaction(add(6)))
        assert.includeMembers([...(yield* kept)], [5, 6])

        const mend = proxy.fail({ with: "57P01" })
        assert.isTrue((yield* Effect.flip(add(7))).isRetryable)
        mend()
        proxy.refuse(true)
        assert.isTrue((yield* Effect.flip(add(7))).isRetryable)
        proxy.refuse(false)
        yield* add(7)

        proxy.slow(200)
        const begun = performance.now()
        yield* kept
        assert.isAtLeast(performance.now() - begun, 190)
        proxy.slow(0)
        proxy.freeze(true)
        const waiting = yield* Effect.timeoutOption(kept, "200 millis")
        assert.strictEqual(waiting._tag, "None")
        proxy.freeze(false)
        assert.include(yield* kept, 7)

        /* A connection that is dead for good costs one limit: those that are as old are not tried. */
        yield* Effect.all(
          Array.from({ length: 8 }, () => sql`SELECT pg_sleep(0.1)`),
          { concurrency: 8 }
        )
        const mendHole = proxy.fail({ with: "hole", table: "kept" })
        const { message } = yield* Effect.flip(kept)
        assert.include(message, "no answer within 1 second")
        mendHole()
        const again = performance.now()
        assert.include(yield* kept, 7)
        assert.isBelow(performance.now() - again, 5000)
      }).pipe(
        Effect.provideService(StatementLimit, "1 second"),
        Effect.provide(layerPostgres({ connectionString: proxy.url, connectionTimeoutMillis: 1000 }))
      )
    })
  )
})
