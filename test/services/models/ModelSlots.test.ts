import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { ModelSlots, type Urgency } from "../../../src/services/models/ModelSlots.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { layerTest } from "../../support/layerTest.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

const slots = (count: number) => ModelSlots.layer.pipe(Layer.provide(RunSettings.layer({ parallel: count })))

type CallOf = Pick<Urgency, "stage" | "step"> & Partial<Urgency>

const task = (step: number): CallOf => ({ stage: "task", step })
const begunTask = (step: number): CallOf => ({ ...task(step), isBegun: true })

/** Starts calls that run until they are ended by name, and notes the order in which they got a place. */
const makeCalls = Effect.gen(function* () {
  const { withSlot } = yield* ModelSlots
  const started: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const start = Effect.fnUntraced(function* (name: string, urgency: CallOf) {
    const end = yield* Deferred.make<void>()
    ends.set(name, end)
    return yield* withSlot(
      { beginning: "", isBegun: false, ...urgency },
      Effect.sync(() => started.push(name)).pipe(Effect.andThen(Deferred.await(end)))
    ).pipe(Effect.forkChild({ startImmediately: true }))
  })
  /** A slot may be kept for as long. */
  const end = Effect.fnUntraced(function* (name: string, later: Duration.Input = "20 millis") {
    yield* Deferred.succeed(ends.get(name)!, undefined)
    yield* untilQuiet
    yield* TestClock.adjust(later)
  })
  return { started, start, end }
})

for (const count of [1, 2, 4]) {
  layerTest(slots(count), `keeps ${count + 1} calls in flight for ${count} slots`, function* () {
    const { started, start } = yield* makeCalls
    for (let n = 1; n <= 8; n++) yield* start(`call ${n}`, task(0))
    expect(started).toEqual(Array.from({ length: count + 1 }, (_, n) => `call ${n + 1}`))
  })
}

layerTest(slots(4), "keeps the sum of calls below what they share, and lets a call be alone", function* () {
  const { started, start, end } = yield* makeCalls
  const call = { stage: "task", step: 0, pool: () => 100 } as const
  yield* start("a", { ...call, tokens: 60 })
  yield* start("b", { ...call, tokens: 40 })
  yield* start("c", { ...call, tokens: 30 })
  yield* start("large", { ...call, tokens: 500 })
  expect(started).toEqual(["a", "b"])
  yield* end("b")
  expect(started).toEqual(["a", "b", "c"])
  yield* end("a")
  expect(started).toEqual(["a", "b", "c"])
  yield* end("c")
  expect(started).toEqual(["a", "b", "c", "large"])
  yield* start("alone", { ...call, isAlone: true })
  yield* start("d", { ...call, tokens: 1 })
  yield* end("large")
  expect(started.slice(4)).toEqual(["alone"])
  yield* end("alone")
  expect(started.slice(4)).toEqual(["alone", "d"])
})

layerTest(slots(1), "lets no call wait in a server that would work on it", function* () {
  const { started, start } = yield* makeCalls
  for (const name of ["a", "b"]) yield* start(name, { stage: "task", step: 0, mayWait: false })
  expect(started).toEqual(["a"])
})

layerTest(
  slots(1),
  "lets stages that see the whole list go first, then earlier steps, then tasks that have begun",
  function* () {
    const { started, start, end } = yield* makeCalls
    yield* start("busy 1", task(0))
    yield* start("busy 2", task(0))
    yield* start("later turn 3", begunTask(2))
    yield* start("later turn 2", begunTask(1))
    yield* start("first turn 2", task(1))
    yield* start("first turn 1a", task(0))
    yield* start("first turn 1b", task(0))
    yield* start("later turn 1", begunTask(0))
    yield* start("iterate", { stage: "iterate", step: 9 })
    const tasks = ["later turn 1", "first turn 1a", "first turn 1b", "later turn 2", "first turn 2", "later turn 3"]
    const order = ["busy 1", "busy 2", "iterate", ...tasks]
    for (const name of order.slice(0, 8)) yield* end(name)
    expect(started).toEqual(order)
  }
)

layerTest(slots(1), "goes on with what begins like the call before, where nothing else decides", function* () {
  const { started, start, end } = yield* makeCalls
  const first = (name: string, beginning: string, step = 0) => start(name, { stage: "task", step, beginning })
  const calls = ["code 1", "code 2", "docs 1", "tests 1", "code 3", "docs 2"]
  for (const name of calls) yield* first(name, name.slice(0, 4))
  for (const beginning of ["code", "docs", "test"]) yield* first(`${beginning}, later`, beginning, 1)
  const order = [
    "code 1",
    "code 2",
    "code 3",
    "docs 1",
    "docs 2",
    "tests 1",
    "test, later",
    "code, later",
    "docs, later"
  ]
  for (const name of order.slice(0, 8)) yield* end(name)
  expect(started).toEqual(order)
})

layerTest(slots(1), "keeps the slot of a task for its next turn for a moment when only later steps wait", function* () {
  const { started, start, end } = yield* makeCalls
  yield* start("turn a1", task(0))
  yield* start("turn b1", task(0))
  yield* start("later", begunTask(1))
  yield* end("turn a1", "19 millis")
  yield* start("turn a2", begunTask(0))
  expect(started.splice(0)).toEqual(["turn a1", "turn b1"])
  yield* TestClock.adjust("1 millis")
  expect(started).toEqual(["turn a2"])
  yield* end("turn b1", "19 millis")
  expect(started).toEqual(["turn a2"])
  yield* TestClock.adjust("1 millis")
  expect(started).toEqual(["turn a2"])
  yield* end("turn a2")
  expect(started).toEqual(["turn a2", "later"])
})

layerTest(slots(1), "leaves the place beyond the slots to calls that are as urgent as all in flight", function* () {
  const { started, start, end } = yield* makeCalls
  yield* start("first 1", task(0))
  yield* start("first 2", task(1))
  yield* start("later 2", begunTask(1))
  expect(started.splice(0)).toEqual(["first 1"])
  yield* start("first 1b", task(0))
  expect(started).toEqual(["first 1b"])
  yield* end("first 1")
  expect(started).toEqual(["first 1b"])
  yield* end("first 1b")
  expect(started).toEqual(["first 1b", "later 2", "first 2"])
})

layerTest(slots(1), "gives the place of an interrupted call to the next, and forgets one that waits", function* () {
  const { started, start } = yield* makeCalls
  const first = yield* start("first", task(0))
  const second = yield* start("second", task(0))
  const waiting = yield* start("waiting", task(0))
  yield* start("last", task(0))
  yield* Fiber.interrupt(waiting)
  yield* Fiber.interrupt(first)
  yield* untilQuiet
  expect(started).toEqual(["first", "second", "last"])
  yield* Fiber.interrupt(second)
})

layerTest(slots(1), "gives the place back when a call fails", function* () {
  const { withSlot } = yield* ModelSlots
  for (let n = 0; n < 5; n++) {
    const outcome = yield* Effect.exit(
      withSlot({ stage: "plan", step: 0, isBegun: false, beginning: "" }, Effect.fail("no"))
    )
    expect(outcome._tag).toBe("Failure")
  }
})

layerTest(slots(1), "tells once of a call that waits for longer than a second", function* () {
  const { withSlot } = yield* ModelSlots
  const told: Array<string> = []
  const call = (name: string, seconds: number) =>
    withSlot(
      { stage: "task", step: 0, isBegun: true, beginning: "" },
      Effect.sleep(`${seconds} seconds`),
      Effect.sync(() => told.push(name))
    )
  const calls = [call("first", 0.8), call("second", 30), call("a moment", 30), call("long", 1), call("longer", 1)]
  const fiber = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
  yield* TestClock.adjust("0.9 seconds")
  expect(told).toEqual([])
  yield* TestClock.adjust("10 seconds")
  expect(told).toEqual(["long", "longer"])
  yield* TestClock.adjust("60 seconds")
  yield* Fiber.join(fiber)
  expect(told).toEqual(["long", "longer"])
})
