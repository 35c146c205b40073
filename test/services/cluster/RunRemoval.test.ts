import { assert, describe } from "@effect/vitest"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as Snowflake from "effect/cluster/Snowflake"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { ClusterRun } from "../../../src/domain/journal/JournalRecord.ts"
import { layerDatabase } from "../../../src/services/cluster/ClusterDatabase.ts"
import { cancelledEnding, ClusterRuns, removeOldRuns } from "../../../src/services/cluster/ClusterRuns.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makePostgres, needsPostgres } from "../../support/Postgres.ts"

const newRun = (runId: string): ClusterRun => ({
  opened: {
    type: "opened",
    version: 1,
    program: "0.0.0",
    project: `/project/${runId}`,
    order: { runId, prompt: `Do as in "runId":"run-1".` },
    settings: {}
  },
  allow: [],
  approveSteps: false
})

/** Runs a body on a database of its own. */
const onDatabase = <A, E>(body: Effect.Effect<A, E, ClusterRuns | SqlClient.SqlClient>) =>
  Effect.flatMap(makePostgres, (url) =>
    Effect.provide(body, Layer.provideMerge(ClusterRuns.layer, layerDatabase(Redacted.make(url))))
  )

const engineTables = Layer.provide(SqlMessageStorage.layerWith({ prefix: "task_conductor" }), [
  NodeCrypto.layer,
  ShardingConfig.layerDefaults,
  Snowflake.layerGenerator
])

/** Messages of a run, of a task of it, and their replies. */
const addMessages = Effect.fnUntraced(function* (runId: string, base: number) {
  const sql = yield* SqlClient.SqlClient
  const payloads = [JSON.stringify({ order: newRun(runId).opened.order }), JSON.stringify({ runId, round: 1 })]
  for (const [index, payload] of payloads.entries()) {
    const entity = `${runId}-${index}`
    for (const [offset, tag, text] of [
      [0, "run", payload],
      [1, "activity", "{}"]
    ] as const) {
      const id = base + index * 10 + offset
      yield* sql`INSERT INTO task_conductor_messages (id, shard_id, entity_type, entity_id, kind, tag, payload, request_id)
        VALUES (${id}, 'default:1', 'Workflow', ${entity}, 0, ${tag}, ${text}, ${id})`
      yield* sql`INSERT INTO task_conductor_replies (id, kind, request_id, payload) VALUES (${id}, 0, ${id}, '{}')`
    }
  }
})

const begun = (daysAgo: number) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.subtract(now, { days: daysAgo })))

describe("a run that is removed from the database", { timeout: 60_000, ...needsPostgres }, () => {
  liveTest("takes the messages of the engine with it, and no others", () =>
    onDatabase(
      Effect.gen(function* () {
        const runs = yield* ClusterRuns
        const sql = yield* SqlClient.SqlClient
        yield* Effect.forEach(["run-1", "run-10"], (runId) => runs.submit(newRun(runId)))
        assert.isFalse(yield* runs.remove("run-1"))
        yield* runs.end("run-1", cancelledEnding, (value) => value)
        yield* Layer.build(engineTables)
        yield* addMessages("run-1", 100)
        yield* addMessages("run-10", 200)
        assert.isTrue(yield* runs.remove("run-1"))
        assert.isFalse(yield* runs.remove("run-1"))
        const ids = [{ id: 200 }, { id: 201 }, { id: 210 }, { id: 211 }]
        assert.deepStrictEqual(yield* sql`SELECT id::int FROM task_conductor_messages ORDER BY id`, ids)
        assert.deepStrictEqual(yield* sql`SELECT id::int FROM task_conductor_replies ORDER BY id`, ids)
        /* Where no engine has been yet, there is nothing else to remove. */
        yield* sql`DROP TABLE task_conductor_replies, task_conductor_messages`
        yield* runs.end("run-10", cancelledEnding, (value) => value)
        assert.isTrue(yield* runs.remove("run-10"))
      }).pipe(Effect.scoped)
    )
  )

  liveTest("is one of those that are not kept", () =>
    onDatabase(
      Effect.gen(function* () {
        const runs = yield* ClusterRuns
        const sql = yield* SqlClient.SqlClient
        for (const [runId, daysAgo] of [
          ["run-0", 60],
          ["run-1", 30],
          ["run-2", 6],
          ["run-3", 2],
          ["run-4", 1]
        ] as const) {
          yield* runs.submit(newRun(runId))
          yield* sql`UPDATE task_conductor_runs SET begun_at = ${yield* begun(daysAgo)} WHERE run_id = ${runId}`
          /* The oldest one still works, and stays. */
          if (runId !== "run-0") yield* runs.end(runId, cancelledEnding, (value) => value)
        }
        for (const [kept, removed] of [
          [{}, []],
          [{ days: 7 }, ["run-1"]],
          [{ days: 7, newest: 2 }, ["run-2"]],
          [{ newest: 1 }, ["run-3"]],
          [{ newest: 1, days: 1000 }, []]
        ] as const) {
          assert.deepStrictEqual(yield* removeOldRuns(kept), [...removed])
        }
        const ids = (yield* runs.list).map(({ run }) => run.opened.order.runId)
        assert.deepStrictEqual(ids, ["run-4", "run-0"])
      })
    )
  )
})
