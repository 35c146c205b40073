import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { RunReport } from "../../../src/domain/runs/RunReport.ts"
import type { ClusterRun } from "../../../src/domain/journal/JournalRecord.ts"
import { ClusterJournal, layerClusterJournal } from "../../../src/plugins/cluster/ClusterJournal.ts"
import { makeSecrets } from "../../../src/plugins/cluster/WithoutSecrets.ts"
import { ClusterRuns, encodeEnding } from "../../../src/plugins/cluster/ClusterRuns.ts"
import { ClusterWork, CurrentLease, type HeldLease } from "../../../src/plugins/cluster/ClusterWork.ts"

import {
  appendWith,
  clusterRun,
  endHeartbeats,
  layerOn,
  leaseRun,
  withSql,
  databaseTest
} from "../../support/LeasedRun.ts"
import { settled } from "../../support/Journals.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { makeValueRedaction } from "../../../src/domain/text/Redaction.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makePostgresProxy } from "../../support/PostgresProxy.ts"
import { makePostgres, makeServer, needsPostgres } from "../../support/Postgres.ts"
import { notMeasured } from "../../../src/domain/tools/ToolCall.ts"

const newRun = (runId: string, project = "/project") => clusterRun(runId, { project })

const asIs = (value: Schema.Json): Schema.Json => value
const redact = makeValueRedaction(["the-s3cret-value"])

const usage = { promptTokens: 10, answerTokens: 5, durationMs: 2.5 }
const call = { round: 1, stage: "task", task: "Look 1", attempt: 1 } as const
const data = "half \ud83d and \u0000"
const result = { success: true, data, error_message: null, error_type: "none", metadata: notMeasured } as const

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

const journalOf = () => layerClusterJournal({ runId: "run-1", secrets: makeSecrets(redact), broken: () => Effect.void })

describe("ClusterRuns", needsPostgres, () => {
  liveTest(
    "start a run once, whatever statement of its transaction fails, is answered by no one, or ends the session",
    function* () {
      const { folder } = yield* makeServer()
      const network = yield* makePostgresProxy({ path: `${folder}/.s.PGSQL.5432` })
      const faults: ReadonlyArray<Partial<Parameters<typeof network.fail>[0]>> = [
        { table: "task_conductor_runs", verb: "insert" },
        { table: "task_conductor_records", verb: "insert" },
        { table: "task_conductor_boss.job_common", verb: "insert" },
        { verb: "commit" }
      ]
      yield* Effect.gen(function* () {
        const runs = yield* ClusterRuns
        for (const [at, fault] of faults.entries()) {
          for (const code of ["08006", "40001", "lost"]) {
            network.fail({ ...fault, with: code, times: 1 })
            const id = `run-${at}-${code}`
            yield* runs.submit(newRun(id, `/project-${id}`), [settled("a")], asIs)
            assert.strictEqual((yield* runs.records(id)).length, 1, id)
          }
        }
      }).pipe(Effect.provide(layerOn(network.url)))
    }
  )

  databaseTest("counts what was reported, whatever else the records hold", function* () {
    const runs = yield* ClusterRuns
    const id = { round: 1, task: "Look 1", uid: "call-1" }
    yield* appendWith(
      yield* leaseRun(newRun("run-1")),
      { type: "event", event: { type: "model.finished", call, usage } },
      { type: "event", event: { type: "model.finished", call, usage } },
      { type: "event", event: { type: "tool.finished", id, name: "read_file", result } },
      { type: "settled", key: "tool.finished", value: "model.finished" }
    )
    assert.deepStrictEqual(
      (yield* runs.records("run-1")).map(({ event }) => event),
      ["model.finished", "model.finished", "tool.finished", ""]
    )
    const counts = { modelCalls: 2, toolCalls: 1, promptTokens: 20, answerTokens: 10, modelMs: 5, durationMs: 0 }
    assert.deepStrictEqual(yield* runs.usage("run-1"), counts)
  })

  databaseTest("holds records of keys of any length in the order in which they were added", function* () {
    const runs = yield* ClusterRuns
    const lease = yield* leaseRun(newRun("run-1"))
    const signs = Array.from({ length: 4000 }, (_, index) => String.fromCodePoint(33 + ((index * 7919) % 5000)))
    const key = signs.join("")
    const add = (value: number) => appendWith(lease, { type: "settled", key, value })
    yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], add, { concurrency: 8 })
    yield* add(9)
    const known = yield* runs.known("run-1", 0)
    assert.deepStrictEqual(known.at(-1)?.json, { type: "settled", key, value: 9 })
    const seqs = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert.deepStrictEqual(
      [known, yield* runs.records("run-1")].map((all) => all.map(({ seq }) => seq)),
      [seqs, seqs]
    )
  })

  databaseTest("lets one run at a time change a project, and opens one that has ended again", function* () {
    const runs = yield* ClusterRuns
    const work = yield* ClusterWork
    const submit = (run: ClusterRun) => runs.submit(run, [run.opened], asIs)
    const first = yield* leaseRun(newRun("run-1"))
    const busy = yield* Effect.flip(submit(newRun("run-2")))
    assert.strictEqual(busy._tag === "ProjectShared" && busy.runId, "run-1")
    yield* submit(newRun("run-3", "/other"))
    const end = JSON.stringify(redact(encodeEnding(report)))
    assert.deepStrictEqual([yield* work.end(first, end), yield* work.end(first, end)], [true, false])
    assert.deepStrictEqual((yield* runs.standing("run-1"))?.ending, { ...report, answer: "[redacted]" })
    yield* submit(newRun("run-2"))
    yield* work.answer("run-1", "q-1", JSON.stringify({ answer: "decline", by: "person" }))
    yield* work.answer("run-1", "q-2", JSON.stringify({ answer: "step", by: "person" }))
    const reopen = (runId: string) => runs.reopen(newRun(runId))
    assert.strictEqual((yield* Effect.flip(reopen("run-1")))._tag, "ProjectShared")
    assert.deepStrictEqual([yield* runs.cancel("run-1"), yield* runs.cancel("run-2")], [false, true])
    assert.deepStrictEqual((yield* runs.standing("run-2"))?.ending, {
      refused: "The run was cancelled while no worker worked on it.",
      exitCode: 130
    })
    assert.deepStrictEqual([yield* reopen("run-1"), yield* reopen("run-1")], [true, false])
    const again = yield* work.claim({ name: "gpu-2", program: "0.0.0" }, { run: 9, refine: 9, task: 9 })
    assert.deepStrictEqual(again.map(({ runId }) => runId).toSorted(), ["run-1", "run-3"])
    /* The worker that had it before writes nothing more, and what was refused is asked again. */
    assert.isFalse(yield* work.end(first, end))
    assert.deepStrictEqual(yield* work.answers(["q-1", "q-2"].map((question) => ({ runId: "run-1", question }))), [
      { runId: "run-1", question: "q-2", answer: JSON.stringify({ answer: "step", by: "person" }) }
    ])
    assert.deepStrictEqual([yield* runs.remove("run-3"), yield* runs.remove("run-2")], [false, true])
  })

  databaseTest("keeps a refinement from which a secret was taken whole at its worker only", function* () {
    const lease = yield* leaseRun(newRun("run-1"))
    const keys = ["round-1/refined/look-1#1", "round-1/refined/look-2#1", "round-1/task/look-1"]
    const flush = Effect.flatMap(ClusterJournal, (journal) => journal.flush)
    const save = Effect.flatMap(Journal, (journal) =>
      Effect.forEach(keys, (key) => journal.append(settled(key, key.includes("look-2") ? "open" : "the-s3cret-value")))
    ).pipe(Effect.andThen(flush))
    const found = Effect.gen(function* () {
      yield* (yield* ClusterJournal).join(lease)
      const journal = yield* Journal
      return yield* Effect.forEach(keys, (key) => Effect.map(journal.saved("settled", key), Option.getOrUndefined))
    })
    const as = <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.provideService(body, CurrentLease, lease)
    const maker = yield* Layer.build(journalOf())
    const other = yield* Layer.build(journalOf())
    assert.deepStrictEqual(yield* Effect.provideContext(as(Effect.andThen(save, found)), maker), [
      "the-s3cret-value",
      "open",
      "[redacted]"
    ])
    assert.deepStrictEqual(yield* Effect.provideContext(found, other), [undefined, "open", "[redacted]"])
    /* What another worker made since counts, not what this one remembers. */
    const saveOther = Effect.flatMap(Journal, (journal) => journal.append(settled(keys[0]!, "another"))).pipe(
      Effect.andThen(flush)
    )
    yield* Effect.provideContext(as(saveOther), other)
    assert.strictEqual((yield* Effect.provideContext(found, maker))[0], "another")
  })

  databaseTest("ends the work of a worker whose lease another one has taken, and writes nothing of it", function* () {
    const sql = yield* SqlClient.SqlClient
    const runs = yield* ClusterRuns
    const lease: HeldLease = yield* leaseRun(newRun("run-1"))
    yield* endHeartbeats(sql)
    yield* (yield* ClusterWork).claim({ name: "gpu-2", program: "0.0.0" }, { run: 1, refine: 0, task: 0 })
    const write = Journal.use((journal) => journal.append(settled("key", "late"))).pipe(
      Effect.provideService(CurrentLease, lease),
      Effect.as("written")
    )
    const lost = Effect.as(Deferred.await(lease.lost), "lost")
    assert.strictEqual(yield* Effect.provide(Effect.raceFirst(write, lost), journalOf()), "lost")
    assert.deepStrictEqual(yield* runs.records("run-1"), [])
  })

  databaseTest(
    "holds no end of a run that a worker only gives up, and one that was cancelled with its end alone",
    function* () {
      const runs = yield* ClusterRuns
      const lease = yield* leaseRun(newRun("run-1"))
      const event = { type: "run.finished", exitCode: 130, report: { ...report, status: "interrupted" } } as const
      const end = Journal.use((journal) => journal.append({ type: "event", event })).pipe(
        Effect.provideService(CurrentLease, lease)
      )
      const endings = Effect.map(runs.records("run-1"), (lines) => lines.map((line) => line.event))
      yield* Effect.provide(end, journalOf())
      assert.deepStrictEqual(lease.ended, undefined)
      yield* Deferred.succeed(lease.cancelled, undefined)
      yield* Effect.provide(end, journalOf())
      assert.deepStrictEqual(yield* endings, [])
      assert.isTrue(yield* (yield* ClusterWork).end(lease, `{"refused":"","exitCode":0}`, lease.ended?.record))
      assert.deepStrictEqual(yield* endings, ["run.finished"])
    }
  )

  liveTest("goes on with a database that has no work yet", function* () {
    const url = yield* makePostgres
    yield* withSql(url, (sql) =>
      Effect.andThen(
        sql`DROP TABLE task_conductor_declined, task_conductor_answers;`,
        sql`ALTER TABLE task_conductor_runs DROP COLUMN program`
      )
    )
    yield* Effect.gen(function* () {
      yield* appendWith(yield* leaseRun(newRun("run-1")), settled("key"))
      assert.lengthOf(yield* (yield* ClusterRuns).known("run-1", 0), 1)
    }).pipe(Effect.provide(layerOn(url)))
  })

  databaseTest(
    "opens a run again that another build began, when no worker has it and no other run its project",
    function* () {
      const runs = yield* ClusterRuns
      const sql = yield* SqlClient.SqlClient
      const lease = yield* leaseRun(newRun("run-1"))
      const own = newRun("run-1")
      const other = { ...own, opened: { ...own.opened, program: "0.0.0+3f2a9c1b" } }
      const later = { ...own, opened: { ...own.opened, program: "0.1.0" } }
      const open = Effect.forEach([own, other, later], runs.reopen)
      yield* sql`INSERT INTO task_conductor_workers (name, begun_at, program, report, seen_at)
          VALUES (${lease.worker}, '', '0.0.0', '{}', clock_timestamp())`
      assert.deepStrictEqual(yield* open, [false, false, false])
      /* It has said that it ends, and could give nothing back. */
      yield* sql`DELETE FROM task_conductor_workers`
      assert.deepStrictEqual(yield* open, [false, false, true])
      assert.strictEqual((yield* runs.standing("run-1"))?.run.opened.program, "0.1.0")
      /* Nothing that the worker still writes counts. */
      assert.isFalse(yield* (yield* ClusterWork).end(lease, "{}"))
      const worker = { name: "gpu-2", program: "0.1.0" }
      assert.lengthOf(yield* (yield* ClusterWork).claim(worker, { run: 1, refine: 1, task: 1 }), 1)
    }
  )

  databaseTest("leaves out runs that another version wrote", function* () {
    const runs = yield* ClusterRuns
    const sql = yield* SqlClient.SqlClient
    yield* runs.submit(newRun("run-1"), [], asIs)
    yield* sql`INSERT INTO task_conductor_runs (run_id, project, read_only, begun_at, shared)
          VALUES ('run-9', '/elsewhere', false, '2030-01-01', '{"later":true}')`
    assert.deepStrictEqual(
      (yield* runs.list).map(({ run }) => run.opened.order.runId),
      ["run-1"]
    )
  })
})

/** Its prompt holds the id of another run. */
const promptingRun = (runId: string) => clusterRun(runId, { order: { runId, prompt: `Do as in "runId":"run-1".` } })

const begun = (daysAgo: number) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.subtract(now, { days: daysAgo })))

describe("a run that is removed from the database", needsPostgres, () => {
  databaseTest("takes everything of it along, and nothing of another one", function* () {
    const runs = yield* ClusterRuns
    const sql = yield* SqlClient.SqlClient
    const work = yield* ClusterWork
    for (const runId of ["run-1", "run-10"]) {
      yield* runs.submit(promptingRun(runId), [promptingRun(runId).opened], (json) => json)
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
      yield* runs.submit(promptingRun(runId), [], (json) => json)
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
