import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { layerPostgres, StatementLimit } from "../../src/plugins/cluster/PostgresClient.ts"
import { liveTest } from "./liveTest.ts"
import { makeServer, needsPostgres } from "./Postgres.ts"
import { makePostgresProxy } from "./PostgresProxy.ts"

describe("the client of PostgreSQL behind a network with faults", needsPostgres, () => {
  liveTest(
    "may try again what lost its answer, and waits one limit for a connection that is dead for good",
    function* () {
      const server = yield* makeServer()
      const proxy = yield* makePostgresProxy({ path: `${server.folder}/.s.PGSQL.5432` })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const add = (number: number) => sql`INSERT INTO kept VALUES (${number})`
        const kept = Effect.map(sql<{ readonly n: number }>`SELECT n FROM kept ORDER BY n`, (rows) =>
          rows.map(({ n }) => n)
        )
        yield* sql`CREATE TABLE kept (n integer PRIMARY KEY)`
        /* Its answer does not arrive, but it is committed. */
        proxy.fail({ verb: "insert", with: "lost", times: 1 })
        assert.isTrue((yield* Effect.flip(add(1))).isRetryable)
        proxy.fail({ with: "57P01", times: 1 })
        assert.isTrue((yield* Effect.flip(add(2))).isRetryable)
        proxy.refuse(true)
        assert.isTrue((yield* Effect.flip(add(2))).isRetryable)
        proxy.refuse(false)
        assert.deepStrictEqual(yield* kept, [1])

        /* Connections that are as old are not tried. */
        yield* Effect.all(
          Array.from({ length: 8 }, () => sql`SELECT pg_sleep(0.1)`),
          { concurrency: 8 }
        )
        const mend = proxy.fail({ with: "hole", table: "kept" })
        assert.include((yield* Effect.flip(kept)).message, "no answer within 1 second")
        mend()
        const again = performance.now()
        assert.deepStrictEqual(yield* kept, [1])
        assert.isBelow(performance.now() - again, 5000)
      }).pipe(
        Effect.provideService(StatementLimit, "1 second"),
        Effect.provide(layerPostgres({ connectionString: proxy.url, connectionTimeoutMillis: 1000 }))
      )
    }
  )
})
