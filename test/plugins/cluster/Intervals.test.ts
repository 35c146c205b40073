import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { ClusterJournal, layerClusterJournal } from "../../../src/plugins/cluster/ClusterJournal.ts"
import { ClusterRuns } from "../../../src/plugins/cluster/ClusterRuns.ts"
import { makeOffers } from "../../../src/plugins/cluster/ClusterTasks.ts"
import { ClusterWork, CurrentLease, type HeldLease } from "../../../src/plugins/cluster/ClusterWork.ts"
import { makeLoad } from "../../../src/plugins/cluster/WorkerLoad.ts"
import type { WorkKind } from "../../../src/plugins/cluster/WorkQueues.ts"
import { makeSecrets } from "../../../src/plugins/cluster/WithoutSecrets.ts"
import { runWorkLoop } from "../../../src/plugins/cluster/WorkLoop.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { claimOne, held, leasedPiece } from "../../support/LeasedRun.ts"
import { makeMemoryWork } from "../../support/MemoryWork.ts"
import { type DatabaseUnavailable } from "../../../src/plugins/cluster/DatabaseErrors.ts"

const worker = { name: "gpu-1-7", program: "0" }

/** A run that is offered, in a store that counts what it is asked. */
const makeStore = () => {
  const memory = makeMemoryWork()
  memory.submit("run-1", worker.program)
  const { claim, results, ...others } = memory.work
  const counts = { claims: 0, results: 0 }
  const work = ClusterWork.of({
    ...others,
    claim: (...given) => Effect.suspend(() => ((counts.claims += 1), claim(...given))),
    results: (...given) => Effect.suspend(() => ((counts.results += 1), results(...given)))
  })
  return { counts, memory, layer: Layer.succeed(ClusterWork)(work) }
}

/** Works for a minute, with as much as it can do; the run is led like this, and other pieces never end. */
const workFor = (lead: Effect.Effect<void, never, ClusterWork>) =>
  Effect.gen(function* () {
    const { counts, layer } = makeStore()
    const begun: Array<[WorkKind, number]> = []
    const context = yield* Layer.build(layer)
    const loop = runWorkLoop({
      worker,
      capacity: Effect.succeed({ run: 1, refine: 0, task: 8 }),
      report: () => Effect.void,
      carryOut: Effect.fnUntraced(function* ({ kind }) {
        begun.push([kind, yield* Clock.currentTimeMillis])
        if (kind === "run") yield* Effect.provideContext(lead, context)
        return yield* Effect.never
      })
    })
    yield* Effect.forkScoped(Effect.provideContext(loop, context))
    yield* TestClock.adjust("1 minute")
    return { begun, counts }
  }).pipe(Effect.scoped)

const journalOn = (layer: Layer.Layer<ClusterWork>) =>
  Layer.provideMerge(
    layerClusterJournal({ runId: "run-1", secrets: makeSecrets((value) => value), broken: () => Effect.void }),
    Layer.merge(layer, Layer.mock(ClusterRuns)({ known: () => Effect.succeed([]) }))
  )

/** A worker that carries out its only run like this; returns its store. */
const workingOn = Effect.fnUntraced(function* (
  carryOut: (lease: HeldLease) => Effect.Effect<never, DatabaseUnavailable, Journal | ClusterJournal | Scope.Scope>
) {
  const { layer, memory } = makeStore()
  const context = yield* Layer.build(journalOn(layer))
  const loop = runWorkLoop({
    worker,
    capacity: Effect.succeed({ run: 1, refine: 0, task: 0 }),
    report: () => Effect.void,
    carryOut: (lease) => Effect.scoped(Effect.provideContext(carryOut(lease), context))
  })
  yield* Effect.forkScoped(Effect.provideContext(loop, context))
  return memory
})

const offering = (kind: WorkKind, count: number) =>
  Effect.gen(function* () {
    const offer = yield* makeOffers
    const pieces = Array.from({ length: count }, (_, at) => ({ key: `${kind}/${at}`, kind, payload: "{}" }))
    yield* Effect.forEach(pieces, offer, { concurrency: "unbounded" })
  }).pipe(Effect.scoped)

describe("what the database is asked while models work", () => {
  nodeTest("is for free work by a worker that has enough to do, at most once a second", function* () {
    const { counts } = yield* workFor(Effect.void)
    assert.isAtMost(counts.claims, 61)
  })

  nodeTest("is for work at once that this worker has offered itself", function* () {
    const { begun } = yield* workFor(Effect.andThen(Effect.sleep("10500 millis"), offering("task", 1)))
    assert.deepStrictEqual(begun, [
      ["run", 0],
      ["task", 10_500]
    ])
  })

  nodeTest("is for what came of work once a second while much is left", function* () {
    const { counts } = yield* workFor(offering("refine", 20))
    assert.isAtMost(counts.results, 61)
  })
})

nodeTest(
  "a run that waits for pieces of which one is not wanted any more neither asks for its result nor stays awake for it",
  function* () {
    const { memory } = makeStore()
    const lease = yield* held(yield* claimOne(memory.work, worker, "run"))
    const asked: Array<ReadonlyArray<string>> = []
    const work = ClusterWork.of({
      ...memory.work,
      results: (lease, keys) => Effect.suspend(() => (asked.push(keys), memory.work.results(lease, keys)))
    })
    const { activity } = lease
    const offer = yield* Effect.provideService(makeOffers, ClusterWork, work)
    const wait = (key: string) =>
      offer({ key, kind: "refine", payload: "{}" }).pipe(
        Effect.provideService(CurrentLease, lease),
        Effect.forkChild({ startImmediately: true })
      )
    yield* wait("kept")
    const unwanted = yield* wait("unwanted")
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual([...activity.pieces.keys()], ["kept", "unwanted"])
    yield* Fiber.interrupt(unwanted)
    assert.deepStrictEqual([...activity.pieces.keys()], ["kept"])
    /* A look that is under way ends. */
    yield* TestClock.adjust("2 seconds")
    asked.length = 0
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual([...activity.pieces.keys()], ["kept"])
    assert.deepStrictEqual([...new Set(asked.flat())], ["kept"])
  }
)

nodeTest(
  "a piece that does nothing but wait for an answer rests after a minute, costs nothing then, and goes on with the answer",
  function* () {
    let begun = 0
    const memory = yield* workingOn(({ activity }) => {
      begun += 1
      activity.questions.add("q")
      return Effect.never
    })

    const states = () => memory.pieces().map(({ isActive, isResting }) => [isActive, isResting])
    yield* TestClock.adjust("50 seconds")
    assert.deepStrictEqual(states(), [[true, false]])
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual(states(), [[false, true]])
    assert.strictEqual(begun, 1)
    yield* memory.work.answer("run-1", "q", "true")
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(begun, 2)
  }
)

nodeTest("a piece that waits for an answer while a check of it runs rests only once the check has ended", function* () {
  const check = { task: "Look", round: 1, command: "npm test" }
  const memory = yield* workingOn(
    Effect.fnUntraced(function* (lease) {
      const { enqueue } = yield* Journal
      yield* (yield* ClusterJournal).join(lease)
      lease.activity.questions.add("q")
      yield* enqueue({ type: "event", event: { type: "check.started", ...check } })
      yield* Effect.sleep("5 minutes")
      const ended = { exitCode: 0, seconds: 300, newFailures: [], text: "" }
      yield* enqueue({ type: "event", event: { type: "check.finished", ...check, ...ended } })
      return yield* Effect.never
    })
  )

  const isResting = () => memory.pieces().map((piece) => piece.isResting)
  yield* TestClock.adjust("5 minutes")
  assert.deepStrictEqual(isResting(), [false])
  yield* TestClock.adjust("50 seconds")
  assert.deepStrictEqual(isResting(), [false])
  yield* TestClock.adjust("15 seconds")
  assert.deepStrictEqual(isResting(), [true])
})

nodeTest(
  "the journal of a cluster run writes a question at once, and what nobody waits for with the records of a second",
  function* () {
    const { layer, memory } = makeStore()
    const context = yield* Layer.build(journalOn(layer))
    const lease = yield* held(yield* claimOne(memory.work, worker, "run"))
    const written = () => memory.runs.get("run-1")?.records.map(({ event }) => event)
    const question: RunEvent = { type: "approval.requested", scope: "step", title: "Step 1", hash: "h", items: [] }
    yield* Effect.gen(function* () {
      yield* (yield* ClusterJournal).join(lease)
      const { enqueue } = yield* Journal
      yield* enqueue({ type: "event", event: { type: "round.started", round: 1 } })
      yield* TestClock.adjust("900 millis")
      assert.deepStrictEqual(written(), [])
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(written(), ["round.started"])
      yield* enqueue({ type: "event", event: { type: "round.started", round: 2 } })
      yield* enqueue({ type: "event", event: question })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written(), ["round.started", "round.started", "approval.requested"])
    }).pipe(Effect.provideContext(context), Effect.provideService(CurrentLease, lease))
  }
)

nodeTest("what a worker takes is no run more when it leads four for each of its slots", function* () {
  const load = makeLoad(2)
  const end = yield* Deferred.make<void>()
  const lead = (lease: HeldLease) =>
    Effect.forkScoped(load.counted(lease, Deferred.await(end)), { startImmediately: true })
  for (let led = 0; led < 8; led += 1) {
    assert.strictEqual(load.capacity().run, 1)
    yield* lead(yield* leasedPiece("run"))
  }
  yield* lead(yield* leasedPiece("task"))
  assert.strictEqual(load.capacity().run, 0)
  yield* Deferred.succeed(end, undefined)
  yield* Effect.yieldNow
  assert.strictEqual(load.capacity().run, 1)
})
