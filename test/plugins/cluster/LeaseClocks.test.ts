import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { ClusterWork, leaseAge } from "../../../src/plugins/cluster/ClusterWork.ts"
import { runWorkLoop, type WorkEnd } from "../../../src/plugins/cluster/WorkLoop.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { makeMemoryWork } from "../../support/MemoryWork.ts"

const worker = { name: "gpu-1-7", program: "0" }

describe("the age of a lease", () => {
  const renewedAt = { monotonic: 1000, wall: 5_000_000 }
  for (const [what, now, age] of [
    ["both clocks when nothing happens", { monotonic: 3000, wall: 5_002_000 }, 2000],
    ["the wall clock after the system slept", { monotonic: 1200, wall: 5_030_000 }, 30_000],
    ["the monotonic clock when the other one was set back", { monotonic: 3000, wall: 1_400_000 }, 2000],
    ["the wall clock when it was set forward", { monotonic: 3000, wall: 8_600_000 }, 3_600_000]
  ] as const) {
    it(`is that of ${what}`, () => assert.strictEqual(leaseAge({ renewedAt }, now), age))
  }
})

/**
 * A worker with one piece, whose wall clock is off by `shift` milliseconds; what came of the piece and what was reported. The database
 * has the right time. Its heartbeats get no answer any more once `isCutOff`.
 */
const makeWorker = Effect.gen(function* () {
  const state = { shift: 0, isCutOff: false }
  const clock = yield* Clock.Clock
  const shifted: Clock.Clock = {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + state.shift,
    currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() + state.shift),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + BigInt(state.shift) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => clock.currentTimeNanosUnsafe() + BigInt(state.shift) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
  const memory = makeMemoryWork()
  memory.submit("run-1", worker.program)
  const rightly = Effect.provideService(Clock.Clock, clock)
  const work = ClusterWork.of({
    ...memory.work,
    claim: (...given) => rightly(memory.work.claim(...given)),
    renew: (...given) => (state.isCutOff ? Effect.never : rightly(memory.work.renew(...given)))
  })
  const begun: Array<number> = []
  const reported: Array<string> = []
  let running = 0
  const loop = runWorkLoop({
    worker,
    capacity: Effect.succeed({ run: 1, refine: 0, task: 0 }),
    report: (what) => Effect.sync(() => void reported.push(what)),
    carryOut: () =>
      Effect.acquireUseRelease(
        Effect.sync(() => void begun.push((running += 1))),
        () => Effect.as(Effect.sleep("20 seconds"), { _tag: "RunEnded", ending: "done" } satisfies WorkEnd),
        () => Effect.sync(() => void (running -= 1))
      )
  })
  yield* loop.pipe(
    Effect.provide(Layer.succeed(ClusterWork)(work)),
    Effect.provideService(Clock.Clock, shifted),
    Effect.forkScoped
  )
  yield* TestClock.adjust("3 seconds")
  assert.deepStrictEqual([begun.length, running], [1, 1])
  return { begun, memory, reported, running: () => running, state }
})

describe("a worker with a piece of work", () => {
  nodeTest("stops it at once after the system slept, although its monotonic clock stood still", function* () {
    const { reported, running, state } = yield* makeWorker
    Object.assign(state, { isCutOff: true, shift: 30_000 })
    yield* TestClock.adjust("300 millis")
    assert.strictEqual(running(), 0)
    assert.include(reported.join(), "other workers take it over")
  })

  nodeTest("gains no time when its wall clock is set back", function* () {
    const { running, state } = yield* makeWorker
    Object.assign(state, { isCutOff: true, shift: -3_600_000 })
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(running(), 1)
    yield* TestClock.adjust("4 seconds")
    assert.strictEqual(running(), 0)
  })

  nodeTest("begins again, never twice at once, and ends it once, when its wall clock is set forward", function* () {
    const { begun, memory, state } = yield* makeWorker
    state.shift = 3_600_000
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(begun, [1, 1])
    assert.strictEqual(memory.runs.get("run-1")?.ending, "done")
  })
})
