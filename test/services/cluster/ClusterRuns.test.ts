import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { RunReport } from "../../../src/domain/runs/RunReport.ts"
import type { ClusterRun } from "../../../src/domain/journal/JournalRecord.ts"
import { layerDatabase } from "../../../src/services/cluster/ClusterDatabase.ts"
import { layerClusterJournal } from "../../../src/services/cluster/ClusterJournal.ts"
import { makeSecrets } from "../../../src/services/cluster/WithoutSecrets.ts"
import { ClusterRuns } from "../../../src/services/cluster/ClusterRuns.ts"
import { settled } from "../../support/Journals.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { makeValueRedaction } from "../../../src/domain/text/Redaction.ts"
import { recordOf } from "../../../src/services/journal/JournalLine.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makePostgres, needsPostgres } from "../../support/Postgres.ts"

const newRun = (runId: string, project = "/project"): ClusterRun => ({
  opened: { type: "opened", version: 1, program: "0.0.0", project, order: { runId, prompt: "Do it." }, settings: {} },
  allow: [],
  approveSteps: false
})

const asIs = (value: Schema.Json): Schema.Json => value
const redact = makeValueRedaction(["the-s3cret-value"])

const usage = { promptTokens: 10, answerTokens: 5, durationMs: 2.5 }
const call = { round: 1, stage: "task", task: "Look 1", attempt: 1 } as const
const metadata = { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1 }
const result = {
  success: true,
  data: "half \ud83d and \u0000",
  error_message: null,
  error_type: "none",
  metadata
} as const

const report: RunReport = {
  runId: "run-1",
  status: "done",
  answer: "the-s3cret-value",
  message: "",
  issues: [],
  goals: "",
  results: [],
  failures: [],
  rounds: 1,
  usage: { modelCalls: 0, toolCalls: 0, promptTokens: 0, answerTokens: 0, modelMs: 0, durationMs: 0 }
}

/** Runs a body on a database of its own. */
const onDatabase = <A, E>(body: Effect.Effect<A, E, ClusterRuns | SqlClient.SqlClient>) =>
  Effect.flatMap(makePostgres, (url) =>
    Effect.provide(body, Layer.provideMerge(ClusterRuns.layer, layerDatabase(Redacted.make(url))))
  )

describe("ClusterRuns", { timeout: 60_000, ...needsPostgres }, () => {
  liveTest("counts what was reported, whatever else the records hold", () =>
    onDatabase(
      Effect.gen(function* () {
        const runs = yield* ClusterRuns
        yield* runs.submit(newRun("run-1"))
        const id = { round: 1, task: "Look 1", uid: "call-1" }
        yield* runs.append("run-1", { type: "event", event: { type: "model.finished", call, usage } }, asIs)
        yield* runs.append("run-1", { type: "event", event: { type: "model.finished", call, usage } }, asIs)
        yield* runs.append(
          "run-1",
          { type: "event", event: { type: "tool.finished", id, name: "read_file", result } },
          asIs
        )
        yield* runs.append("run-1", { type: "settled", key: "tool.finished", value: "model.finished" }, asIs)
        assert.deepStrictEqual(
          (yield* runs.after("run-1", 0)).map(({ event }) => event),
          ["model.finished", "model.finished", "tool.finished", ""]
        )
        assert.deepStrictEqual(yield* runs.usage("run-1"), {
          modelCalls: 2,
          toolCalls: 1,
          promptTokens: 20,
          answerTokens: 10,
          modelMs: 5,
          durationMs: 0
        })
      })
    )
  )

  liveTest("finds the last record of a key of any length, in the order in which all were added", () =>
    onDatabase(
      Effect.gen(function* () {
        const runs = yield* ClusterRuns
        yield* runs.submit(newRun("run-1"))
        const key = Array.from({ length: 4000 }, (_, index) => String.fromCodePoint(33 + ((index * 7919) % 5000))).join(
          ""
        )
        const add = (value: number) => runs.append("run-1", { type: "settled", key, value }, asIs)
        yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], add, { concurrency: 8 })
        yield* add(9)
        const last = yield* runs.last("run-1", "settled", key)
        assert.deepStrictEqual(last === undefined ? undefined : recordOf(last), { type: "settled", key, value: 9 })
        const all = yield* runs.after("run-1", 0)
        assert.deepStrictEqual(
          all.map(({ seq }) => seq),
          [1, 2, 3, 4, 5, 6, 7, 8, 9]
        )
        assert.deepStrictEqual(
          (yield* runs.after("run-1", 7)).map(({ seq }) => seq),
          [8, 9]
        )
      })
    )
  )

  liveTest("lets one run at a time change a project, and ends each once", () =>
    onDatabase(
      Effect.gen(function* () {
        const runs = yield* ClusterRuns
        yield* runs.submit(newRun("run-1"))
        const busy = yield* Effect.flip(runs.submit(newRun("run-2")))
        assert.strictEqual(busy._tag === "ProjectShared" && busy.runId, "run-1")
        yield* runs.submit(newRun("run-3", "/other"))
        yield* runs.end("run-1", report, redact)
        yield* runs.end("run-1", { ...report, status: "failed" }, asIs)
        assert.deepStrictEqual((yield* runs.standing("run-1"))?.ending, { ...report, answer: "[redacted]" })
        yield* runs.submit(newRun("run-2"))
        assert.deepStrictEqual([yield* runs.cancel("run-1"), yield* runs.cancel("run-2")], [false, true])
        assert.deepStrictEqual((yield* runs.standing("run-2"))?.ending, {
          refused: "The run was cancelled before it began.",
          exitCode: 130
        })
        assert.deepStrictEqual([yield* runs.remove("run-3"), yield* runs.remove("run-2")], [false, true])
      })
    )
  )

  liveTest("keeps a refinement from which a secret was taken whole at its worker only", () =>
    onDatabase(
      Effect.gen(function* () {
        yield* (yield* ClusterRuns).submit(newRun("run-1"))
        const keys = ["round-1/refined/look-1#1", "round-1/refined/look-2#1", "round-1/task/look-1"]
        const save = Effect.flatMap(Journal, (journal) =>
          Effect.forEach(keys, (key) =>
            journal.append(settled(key, key.includes("look-2") ? "open" : "the-s3cret-value"))
          )
        )
        const found = Effect.flatMap(Journal, (journal) =>
          Effect.forEach(keys, (key) => Effect.map(journal.saved("settled", key), Option.getOrUndefined))
        )
        const maker = layerClusterJournal("run-1", makeSecrets(redact))
        const other = layerClusterJournal("run-1", makeSecrets(redact))
        assert.deepStrictEqual(yield* Effect.provide(Effect.andThen(save, found), maker), [
          "the-s3cret-value",
          "open",
          "[redacted]"
        ])
        assert.deepStrictEqual(yield* Effect.provide(found, other), [undefined, "open", "[redacted]"])
        /* What another worker made since counts, not what this one remembers. */
        const saveOther = Effect.flatMap(Journal, (journal) => journal.append(settled(keys[0]!, "another")))
        yield* Effect.provide(saveOther, other)
        assert.strictEqual((yield* Effect.provide(found, maker))[0], "another")
      })
    )
  )

  liveTest("goes on with a database that has no types of events yet", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* makePostgres)
      const older = Effect.gen(function* () {
        yield* (yield* ClusterRuns).submit(newRun("run-1"))
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE task_conductor_records DROP COLUMN event`
      })
      const now = Effect.gen(function* () {
        const runs = yield* ClusterRuns
        yield* runs.append("run-1", { type: "event", event: { type: "model.finished", call, usage } }, asIs)
        assert.strictEqual((yield* runs.usage("run-1")).modelCalls, 1)
      })
      for (const work of [older, now]) {
        yield* Effect.provide(work, Layer.provideMerge(ClusterRuns.layer, layerDatabase(url)))
      }
    })
  )

  liveTest("leaves out runs that another version wrote", () =>
    onDatabase(
      Effect.gen(function* () {
        const runs = yield* ClusterRuns
        const sql = yield* SqlClient.SqlClient
        yield* runs.submit(newRun("run-1"))
        yield* sql`INSERT INTO task_conductor_runs (run_id, project, read_only, begun_at, shared)
          VALUES ('run-9', '/elsewhere', false, '2030-01-01', '{"later":true}')`
        assert.deepStrictEqual(
          (yield* runs.list).map(({ run }) => run.opened.order.runId),
          ["run-1"]
        )
      })
    )
  )
})
