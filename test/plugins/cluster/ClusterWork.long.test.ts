import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Random from "effect/Random"
import * as SqlClient from "effect/sql/SqlClient"
import { layerDatabase } from "../../../src/plugins/cluster/ClusterDatabase.ts"
import { ClusterRuns } from "../../../src/plugins/cluster/ClusterRuns.ts"
import { type ClaimedWork, ClusterWork, type Capacity } from "../../../src/plugins/cluster/ClusterWork.ts"
import { ClusterWorkers, presenceOf, type WorkerReport } from "../../../src/plugins/cluster/ClusterWorkers.ts"
import { WorkQueues } from "../../../src/plugins/cluster/WorkQueues.ts"
import { claimOne, clusterRun, databaseTest, endHeartbeats, layerOn, recordOf } from "../../support/LeasedRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makeMemoryWork } from "../../support/MemoryWork.ts"
import { makePostgresProxy } from "../../support/PostgresProxy.ts"
import { makePostgres, makeServer, needsPostgres } from "../../support/Postgres.ts"

const program = "0.0.0"
const names = ["gpu-1-7", "gpu-2-9"]
const gpu1 = { name: "gpu-1-7", program }
const all: Capacity = { run: 1, refine: 1, task: 1 }
const runIds = ["run-1", "run-2"]
const begunAt = "2026-11-20T18:30:00.000Z"
const report = (name: string): WorkerReport => ({ name, version: program, begunAt, slots: 4, runs: 1, tasks: 2 })

const submit = (run: ReturnType<typeof clusterRun>) => ClusterRuns.use((runs) => runs.submit(run, [], (json) => json))

/** The first piece that a worker claims, which is the lead of a run. */
const lead = ClusterWork.use((work) => claimOne(work, gpu1, "run"))

/** A database behind a proxy, with a run that a worker leads. */
const throughProxy = <A, E>(
  body: (
    network: Effect.Success<ReturnType<typeof makePostgresProxy>>,
    lease: ClaimedWork
  ) => Effect.Effect<A, E, ClusterWork>
) =>
  Effect.gen(function* () {
    const { folder } = yield* makeServer()
    const network = yield* makePostgresProxy({ path: `${folder}/.s.PGSQL.5432` })
    const leading = Effect.andThen(submit(clusterRun("run-1")), lead)
    yield* Effect.provide(
      Effect.flatMap(leading, (lease) => body(network, lease)),
      layerOn(network.url)
    )
  })

/** One store of the two that are compared, with what only tests do to it. */
interface Tried {
  readonly work: ClusterWork["Service"]
  readonly expire: (runId: string, key: string) => Effect.Effect<unknown, unknown>
  readonly cancel: (runId: string) => Effect.Effect<unknown, unknown>
  /** The leases that it ever gave, by run and key, with the newest last. */
  readonly leases: Map<string, Array<ClaimedWork>>
}

type Step = (tried: Tried) => Effect.Effect<unknown, unknown>

const of = (most: number) => Random.nextIntBetween(0, most)

/** A random step that means the same to both stores. */
const randomStep = Effect.gen(function* () {
  const worker = names[yield* of(names.length)] ?? ""
  const runId = runIds[yield* of(runIds.length)] ?? ""
  const key = ["run", "refine/a", "refine/b", "task/a"][yield* of(4)] ?? ""
  const [age, which, number, why] = [yield* of(2), yield* of(13), yield* of(60), yield* of(3)]
  /** Does something with the last lease of a piece, or an older one; nothing where there was none. */
  const held =
    <A, E>(use: (work: Tried["work"], lease: ClaimedWork) => Effect.Effect<A, E>): Step =>
    ({ leases, work }) => {
      const lease = leases.get(`${runId} ${key}`)?.at(-1 - (which % 4 === 0 ? age : 0))
      return lease === undefined ? Effect.succeed("no lease") : use(work, lease)
    }
  const kind = which % 2 === 0 ? ("refine" as const) : ("task" as const)
  const steps: ReadonlyArray<readonly [string, Step]> = [
    [
      `${worker} claims`,
      ({ leases, work }) =>
        Effect.map(work.claim({ name: worker, program }, { run: 1, refine: which % 3, task: 2 }), (claimed) => {
          for (const one of claimed) {
            const place = `${one.runId} ${one.key}`
            leases.set(place, [...(leases.get(place) ?? []), one])
          }
          return claimed.map((one) => [one.runId, one.key, one.kind, one.payload, one.declined]).toSorted()
        })
    ],
    [
      `${worker} renews`,
      ({ leases, work }) =>
        Effect.map(work.renew([...leases.values()].flat().filter((one) => one.worker === worker)), (kept) =>
          kept.map((one) => [one.runId, one.key, one.isCancelled]).toSorted()
        )
    ],
    ["gives back", held((work, lease) => work.giveBack(lease, why === 0 ? "It lacks \0 it." : undefined))],
    [
      "offers",
      held((work, lease) =>
        work.offer(
          lease,
          [...(number % 2 === 0 ? "ab" : "ba")]
            .slice(0, 1 + (number % 3 === 0 ? 1 : 0))
            .map((name) => ({ key: `${kind}/${name}`, kind, payload: "{}" }))
        )
      )
    ],
    [
      "finishes",
      held((work, lease) =>
        Effect.map(
          work.append(lease.runId, number % 2 === 0 ? [] : [recordOf(number, lease)], [
            { lease, result: JSON.stringify(`\0 ${number}`) }
          ]),
          (written) => [...written]
        )
      )
    ],
    [
      "ends",
      held((work, lease) => {
        const record = which % 2 === 0 ? recordOf(number, lease) : undefined
        return number < 3 ? work.end(lease, `"${number}"`, record) : Effect.succeed(true)
      })
    ],
    [
      "appends",
      held((work, lease) =>
        Effect.map(work.append(runId, [recordOf(number, lease), recordOf(number + 1, lease)]), (written) =>
          [...written].toSorted()
        )
      )
    ],
    [
      "reads results",
      held((work, lease) =>
        Effect.map(work.results(lease, ["run", "refine/a", "refine/b", "task/a"]), (all) => [...all].toSorted())
      )
    ],
    ["answers", ({ work }) => work.answer(runId, `question ${which}`, `"${number}"`)],
    [
      "lets a piece rest",
      held((work, lease) =>
        work.rest(lease, { questions: [`question ${number % 12}`], keys: why === 0 ? [`${kind}/a`] : [] })
      )
    ],
    ["reads an answer", ({ work }) => work.answers([{ runId, question: `question ${which}` }])],
    ["loses its lease", ({ expire }) => Effect.as(expire(runId, key), undefined)],
    ["cancels", ({ cancel }) => (number < 6 ? Effect.as(cancel(runId), undefined) : Effect.void)]
  ]
  return steps[which] ?? (["nothing", () => Effect.void] as const)
})

describe("the work of cluster runs", needsPostgres, () => {
  databaseTest("is the same in the database and in the memory of the simulation", function* () {
    const sql = yield* SqlClient.SqlClient
    const runs = yield* ClusterRuns
    const workers = yield* ClusterWorkers
    const memory = makeMemoryWork()
    const stores: ReadonlyArray<Tried> = [
      {
        work: yield* ClusterWork,
        expire: (runId, key) => endHeartbeats(sql, runId, key),
        cancel: (runId) => sql`UPDATE task_conductor_runs SET cancelled = true WHERE run_id = ${runId}`,
        leases: new Map()
      },
      {
        work: memory.work,
        expire: (runId, key) => Effect.sync(() => memory.expire(runId, key)),
        cancel: (runId) => Effect.sync(() => memory.cancel(runId)),
        leases: new Map()
      }
    ]
    let differs = 0
    for (let seed = 1; seed <= 4; seed += 1) {
      yield* Effect.gen(function* () {
        yield* sql`DELETE FROM task_conductor_runs`
        yield* Effect.ignore(sql`DELETE FROM task_conductor_boss.job`)
        for (const runId of runIds) {
          yield* submit(clusterRun(runId))
          memory.submit(runId, program)
        }
        for (const name of names) {
          yield* workers.report(report(name))
          yield* memory.see(name, program)
        }
        for (const { leases } of stores) leases.clear()
        const told: Array<string> = []
        for (let step = 0; step < 60; step += 1) {
          const [what, run] = yield* randomStep
          told.push(what)
          const [one, other] = yield* Effect.forEach(stores, run)
          if (Array.isArray(one) && one.length > 0) differs += 1
          assert.deepStrictEqual(one, other, `seed ${seed}: ${told.join(", ")}`)
        }
        for (const runId of runIds) {
          const texts = memory.known(runId, 0).map(({ json }) => json)
          assert.deepStrictEqual(
            (yield* runs.records(runId)).map(({ json }) => json),
            texts
          )
        }
      }).pipe(Random.withSeed(`stores ${seed}`))
      memory.clear()
    }
    /* The comparison was about something. */
    assert.isAbove(differs, 15)
  })

  databaseTest("is claimed by one of many that try at once, and written by that one only", function* () {
    const work = yield* ClusterWork
    const sql = yield* SqlClient.SqlClient
    yield* submit(clusterRun("run-1"))
    const tries = Array.from({ length: 12 }, (_, index) => work.claim({ name: `gpu-${index}`, program }, all))
    const claims = yield* Effect.all(tries, { concurrency: "unbounded" })
    const [first] = claims.flat()

    yield* submit(clusterRun("run-2", { program: "1.0.0+abc" }))
    const claimAs = (name: string) => Effect.map(work.claim({ name, program: name }, all), ({ length }) => length)
    /* Sources work with every build of their version. */
    assert.deepStrictEqual(
      [yield* claimAs("1.0.0+abd"), yield* claimAs("1.0.1+abc"), yield* claimAs("1.0.0")],
      [0, 0, 1]
    )
    assert.strictEqual(claims.flat().length, 1)
    assert.strictEqual(yield* claimAs("9.9.9"), 0)
    yield* endHeartbeats(sql)
    const second = yield* claimOne(work, { name: "gpu-x", program }, "run")
    if (first === undefined) throw new Error("nobody claimed it")

    assert.strictEqual((yield* work.append("run-1", [recordOf(1, first)])).size, 0)
    assert.strictEqual((yield* work.append("run-1", [recordOf(2, second), recordOf(3, first)])).size, 1)
    assert.deepStrictEqual([yield* work.end(first, `"a"`), yield* work.end(second, `"b"`)], [false, true])
    assert.deepStrictEqual(
      [yield* work.end(second, `"c"`), (yield* work.append("run-1", [recordOf(4, second)])).size],
      [false, 0]
    )
  })
})

/** Offers pieces of a run with these names. */
const offerAll = Effect.fnUntraced(function* (lease: ClaimedWork, names: ReadonlyArray<string>) {
  const pieces = names.map((name) => ({ key: name, kind: "refine" as const, payload: "{}" }))
  return yield* (yield* ClusterWork).offer(lease, pieces)
})

describe("the runs of a cluster", needsPostgres, () => {
  databaseTest("take turns, and those of a higher priority come first", function* () {
    const work = yield* ClusterWork
    const claim = (capacity: Partial<Capacity>) => work.claim(gpu1, { run: 0, refine: 0, task: 0, ...capacity })
    const leadAs = Effect.fnUntraced(function* (runId: string, priority: number) {
      yield* submit({ ...clusterRun(runId), priority })
      return yield* claimOne(work, gpu1, "run")
    })
    const first = yield* leadAs("run-1", 0)
    assert.isTrue(yield* offerAll(first, ["a1", "a2", "a3", "a4", "a5"]))
    assert.lengthOf(yield* claim({ refine: 2 }), 2)
    assert.isTrue(yield* offerAll(yield* leadAs("run-2", 0), ["b1", "b2"]))
    assert.isTrue(yield* offerAll(first, ["a6"]))
    assert.isTrue(yield* offerAll(yield* leadAs("run-3", 5), ["c1"]))
    const order: Array<string> = []
    for (let left = 7; left > 0; left -= 1) order.push(...(yield* claim({ refine: 1 })).map(({ key }) => key))
    assert.deepStrictEqual(order, ["c1", "a3", "b1", "a4", "b2", "a5", "a6"])
  })
})

describe("a piece that rests", needsPostgres, () => {
  databaseTest("is nobody's until what it waits for is there, and is then whole", function* () {
    const work = yield* ClusterWork
    yield* submit(clusterRun("run-1"))
    const claim = work.claim(gpu1, all)
    const pieces = Effect.map(claim, (all) => all.map(({ attempt, key, payload }) => [key, payload, attempt]))
    const leader = yield* lead
    yield* offerAll(leader, ["a"])
    const task = yield* claimOne(work, gpu1, "refine")

    /* The run does not rest before its task does. */
    yield* work.rest(leader, { questions: [], keys: ["a"] })
    assert.deepStrictEqual(yield* pieces, [["run", "{}", 1]])
    yield* work.rest(task, { questions: ["q"], keys: [] })
    assert.deepStrictEqual([...(yield* work.results(leader, ["a"]))], [["a", undefined]])
    const again = { ...leader, attempt: 1 }
    yield* work.rest(again, { questions: [], keys: ["a"] })
    assert.deepStrictEqual(yield* pieces, [])
    yield* work.answer("run-1", "q", "true")
    assert.deepStrictEqual(yield* pieces, [
      ["a", "{}", 1],
      ["run", "{}", 2]
    ])
    /* What was answered meanwhile is not waited for. */
    yield* work.rest({ ...task, attempt: 1 }, { questions: ["q"], keys: [] })
    assert.deepStrictEqual(yield* pieces, [["a", "{}", 2]])
    /* A finished task wakes its run. */
    yield* work.rest({ ...leader, attempt: 2 }, { questions: ["other"], keys: [] })
    assert.deepStrictEqual(yield* pieces, [])
    yield* work.append("run-1", [], [{ lease: { ...task, attempt: 2 }, result: "true" }])
    assert.deepStrictEqual(yield* pieces, [["run", "{}", 3]])
  })
})

const countStatements = (seen: ReadonlyMap<string, number>): number =>
  [...seen.values()].reduce((sum, count) => sum + count, 0)

describe("a worker whose heartbeats end", needsPostgres, () => {
  databaseTest("loses its work to another one between ten and twelve seconds later", function* () {
    const work = yield* ClusterWork
    yield* submit(clusterRun("run-1"))
    const lease = yield* lead
    const begun = performance.now()
    assert.lengthOf(yield* work.renew([lease]), 1)
    const again = work.claim({ name: "gpu-2-9", program }, { run: 1, refine: 0, task: 0 })
    /* A busy machine may be late to ask, so only claims that were refused count. */
    const renewed = performance.now()
    let refused = renewed
    for (let asked = renewed; (yield* again).length === 0; asked = performance.now()) {
      refused = asked
      yield* Effect.sleep("800 millis")
    }
    assert.isAtLeast((performance.now() - begun) / 1000, 9.9)
    assert.isAtMost((refused - renewed) / 1000, 12)
    assert.deepStrictEqual(yield* work.renew([lease]), [])
  })

  liveTest("keeps it when the connection of a heartbeat is dead for good, or all that were open", () =>
    throughProxy((network, lease) =>
      Effect.gen(function* () {
        const { renew } = yield* ClusterWork
        network.fail({ with: "hole", table: "task_conductor_boss.job", verb: "update", times: 1 })
        assert.lengthOf(yield* renew([lease]), 1)
        network.forget()
        assert.lengthOf(yield* renew([lease]), 1)
      })
    )
  )

  liveTest("sends the heartbeats of all its pieces, and that it is there, in one statement: it may be slow", () =>
    throughProxy((network, leader) =>
      Effect.gen(function* () {
        const work = yield* ClusterWork
        const pieces = (["refine", "task"] as const).map((kind) => ({ key: kind, kind, payload: "{}" }))
        yield* work.offer(leader, pieces)
        const leases = [leader, ...(yield* work.claim(gpu1, all))]
        const before = countStatements(network.seen())
        assert.lengthOf(yield* work.renew(leases, presenceOf(report("gpu-1-7"))), 3)
        assert.strictEqual(countStatements(network.seen()) - before, 1)
      })
    )
  )
})

describe("the workers of a cluster", needsPostgres, () => {
  databaseTest("are listed with what they say, until they leave", function* () {
    const workers = yield* ClusterWorkers
    yield* workers.report(report("gpu-1-7"))
    yield* workers.report({ ...report("gpu-1-7"), tasks: 3 })
    yield* (yield* ClusterWork).renew([], presenceOf({ ...report("gpu-1-7"), tasks: 4 }))
    yield* workers.report({ ...report("gpu-2-9"), begunAt: "2026-11-20T18:40:00.000Z" })
    assert.deepStrictEqual(
      (yield* workers.alive).map(({ name, tasks }) => [name, tasks]),
      [
        ["gpu-1-7", 4],
        ["gpu-2-9", 2]
      ]
    )
    const sql = yield* SqlClient.SqlClient
    const rows = sql`SELECT name FROM task_conductor_workers ORDER BY name`
    /* One that was killed leaves a row, which is removed after a day. */
    yield* workers.report(report("gpu-0-1"))
    yield* sql`UPDATE task_conductor_workers SET seen_at = now() - interval '23 hours' WHERE name = 'gpu-0-1'`
    yield* workers.forget
    assert.deepStrictEqual((yield* workers.list).map(({ isAlive, name }) => [name, isAlive]).toSorted(), [
      ["gpu-0-1", false],
      ["gpu-1-7", true],
      ["gpu-2-9", true]
    ])
    yield* sql`UPDATE task_conductor_workers SET seen_at = now() - interval '25 hours' WHERE name = 'gpu-0-1'`
    assert.lengthOf(yield* rows, 3)
    yield* workers.forget
    assert.deepStrictEqual(yield* rows, [{ name: "gpu-1-7" }, { name: "gpu-2-9" }])
    yield* workers.leave("gpu-1-7")
    assert.deepStrictEqual(
      (yield* workers.list).map(({ isAlive, name }) => [name, isAlive]),
      [["gpu-2-9", true]]
    )
  })
})

describe("the queues of a new database", needsPostgres, () => {
  liveTest("are made by many that come at once, each with connections of its own", function* () {
    const url = yield* makePostgres
    const starts = Effect.gen(function* () {
      yield* (yield* WorkQueues).ensure("1.0.0+test")
      return true
    }).pipe(Effect.provide(WorkQueues.layer.pipe(Layer.provide(layerDatabase(Redacted.make(url))), Layer.fresh)))
    const started = yield* Effect.all(
      Array.from({ length: 8 }, () => starts),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      started,
      Array.from({ length: 8 }, () => true)
    )
  })
})
