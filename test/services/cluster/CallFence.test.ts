import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type { CallIntent, ClusterRun } from "../../../src/domain/journal/JournalRecord.ts"
import { layerDatabase } from "../../../src/services/cluster/ClusterDatabase.ts"
import { layerClusterJournal } from "../../../src/services/cluster/ClusterJournal.ts"
import { makeSecrets } from "../../../src/services/cluster/WithoutSecrets.ts"
import { ClusterRuns } from "../../../src/services/cluster/ClusterRuns.ts"
import { ClusterWorkers, type WorkerReport } from "../../../src/services/cluster/ClusterWorkers.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makePostgres, needsPostgres } from "../../support/Postgres.ts"

const run: ClusterRun = {
  opened: {
    type: "opened",
    version: 1,
    program: "0.0.0",
    project: "/project",
    order: { runId: "run-1", prompt: "Do it." },
    settings: {}
  },
  allow: [],
  approveSteps: false
}

const asIs = (value: Schema.Json): Schema.Json => value

const key = "round-1/execute/send/tool/1"
const intent: CallIntent = {
  type: "intent",
  key,
  call: { uid: "call-1", name: "run_command", arguments: { argv: ["send"] } },
  task: "Send",
  effect: "once",
  targets: [],
  files: []
}
const { type: _, ...call } = intent

const onDatabase = <A, E>(body: Effect.Effect<A, E, ClusterRuns | ClusterWorkers>) =>
  Effect.flatMap(makePostgres, (url) =>
    Effect.provide(
      body,
      Layer.provide(Layer.merge(ClusterRuns.layer, ClusterWorkers.layer), layerDatabase(Redacted.make(url)))
    )
  )

/** What a worker knows of the run: a journal of its own over the same records. */
const asWorker = <A, E, R>(body: (journal: Journal["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(Journal.use(body), Layer.fresh(layerClusterJournal("run-1", makeSecrets(asIs))))

describe("a call that two workers are about to begin", { timeout: 60_000, ...needsPostgres }, () => {
  liveTest("is begun by one of them, whoever was stopped in between", () =>
    onDatabase(
      Effect.gen(function* () {
        const runs = yield* ClusterRuns
        yield* runs.submit(run)
        /* Both have looked, and know of no intent: only the first one may begin. */
        assert.strictEqual(yield* runs.intend("run-1", intent, 0, asIs), 1)
        assert.strictEqual(yield* runs.intend("run-1", intent, 0, asIs), undefined)
        /* The one that knows the intent in doubt, and was told to do it again, may. */
        const again = yield* runs.intend("run-1", intent, 1, asIs)
        assert.isAbove(again ?? 0, 1)
        assert.strictEqual(yield* runs.intend("run-1", intent, 1, asIs), undefined)
        /* Another call is not concerned, and a call that has an outcome is not begun again. */
        assert.isDefined(yield* runs.intend("run-1", { ...intent, key: `${key}2` }, 0, asIs))
        yield* runs.append("run-1", { type: "outcome", key, value: "sent" }, asIs)
        assert.strictEqual(yield* runs.intend("run-1", intent, again ?? 0, asIs), undefined)
        const all = yield* Effect.all(
          Array.from({ length: 12 }, () => runs.intend("run-1", { ...intent, key: "many" }, 0, asIs)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(all.filter((seq) => seq !== undefined).length, 1)
        assert.deepStrictEqual(
          (yield* runs.after("run-1", 0)).map(({ key }) => key),
          [key, key, `${key}2`, key, "many"]
        )
      })
    )
  )

  liveTest("takes the journal of the worker that looked first as its own until another one begins", () =>
    onDatabase(
      Effect.gen(function* () {
        const runs = yield* ClusterRuns
        yield* runs.submit(run)
        yield* asWorker((first) =>
          Effect.gen(function* () {
            assert.isUndefined(yield* first.doubt(key))
            yield* first.append({ type: "intent", ...call })
            yield* asWorker((second) =>
              Effect.gen(function* () {
                /* What is in doubt is known to the one that asked about it. */
                assert.strictEqual((yield* second.doubt(key))?.seq, 1)
                yield* second.append({ type: "intent", ...call })
                yield* second.append({ type: "outcome", key, value: "sent" })
                assert.isTrue(Option.isSome(yield* second.saved("outcome", key)))
              })
            )
            assert.isTrue(Option.isSome(yield* first.saved("outcome", key)))
          })
        )
      })
    )
  )
})

describe("the workers of a cluster", { timeout: 60_000, ...needsPostgres }, () => {
  liveTest("are listed with what they say, until they leave", () =>
    onDatabase(
      Effect.gen(function* () {
        const workers = yield* ClusterWorkers
        const report: WorkerReport = {
          name: "gpu-1-7",
          version: "0.1.0",
          begunAt: "2026-11-20T18:30:00.000Z",
          slots: 4,
          runs: 1,
          tasks: 2
        }
        yield* workers.report(report)
        yield* workers.report({ ...report, tasks: 3 })
        yield* workers.report({ ...report, name: "gpu-2-9", begunAt: "2026-11-20T18:40:00.000Z" })
        assert.deepStrictEqual(
          (yield* workers.alive).map(({ name, tasks }) => [name, tasks]),
          [
            ["gpu-1-7", 3],
            ["gpu-2-9", 2]
          ]
        )
        yield* workers.leave("gpu-1-7")
        assert.deepStrictEqual(
          (yield* workers.list).map(({ isAlive, name }) => [name, isAlive]),
          [["gpu-2-9", true]]
        )
      })
    )
  )
})
