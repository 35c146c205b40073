import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { ModelSlots, type Urgency } from "../../../src/services/models/ModelSlots.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

const slots = (count: number) => ModelSlots.layer.pipe(Layer.provide(RunSettings.layer({ parallel: count })))

type CallOf = Omit<Urgency, "beginning"> & { readonly beginning?: string }

/** Starts calls that run until they are ended by name, and notes the order in which they got a place. */
const makeCalls = Effect.gen(function* () {
  const { withSlot } = yield* ModelSlots
  const started: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const start = Effect.fnUntraced(function* (name: string, urgency: CallOf) {
    const end = yield* Deferred.make<void>()
    ends.set(name, end)
    return yield* withSlot(
      { beginning: "", ...urgency },
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
  it.effect(`keeps ${count + 1} calls in flight for ${count} slots`, () =>
    Effect.gen(function* () {
      const { started, start } = yield* makeCalls
      for (let n = 1; n <= 8; n++) yield* start(`call ${n}`, { stage: "refine", step: 0 })
      expect(started).toEqual(Array.from({ length: count + 1 }, (_, n) => `call ${n + 1}`))
    }).pipe(Effect.provide(slots(count)))
  )
}

it.effect("lets the first execution go at once, then earlier steps and in a step refinement", () =>
  Effect.gen(function* () {
    const { started, start, end } = yield* makeCalls
    yield* start("busy 1", { stage: "refine", step: 0 })
    yield* start("busy 2", { stage: "refine", step: 0 })
    yield* start("execute 3", { stage: "execute", step: 2 })
    yield* start("execute 2", { stage: "execute", step: 1 })
    yield* start("refine 2", { stage: "refine", step: 1 })
    yield* start("execute 1", { stage: "execute", step: 0 })
    yield* start("refine 1a", { stage: "refine", step: 0 })
    yield* start("refine 1b", { stage: "refine", step: 0 })
    yield* start("iterate", { stage: "iterate", step: 9 })
    const tasks = ["refine 1a", "refine 1b", "execute 1", "refine 2", "execute 2"]
    const order = ["busy 1", "busy 2", "execute 3", "iterate", ...tasks]
    for (const name of order.slice(0, 8)) yield* end(name)
    expect(started).toEqual(order)
  }).pipe(Effect.provide(slots(1)))
)

it.effect("goes on with what begins like the call before, where nothing else decides", () =>
  Effect.gen(function* () {
    const { started, start, end } = yield* makeCalls
    const refine = (name: string, beginning: string, step = 0) => start(name, { stage: "refine", step, beginning })
    yield* refine("code 1", "code")
    yield* refine("code 2", "code")
    yield* refine("docs 1", "docs")
    yield* refine("tests 1", "tests")
    yield* refine("code 3", "code")
    yield* refine("docs 2", "docs")
    yield* refine("code, later", "code", 1)
    yield* refine("docs, later", "docs", 1)
    yield* refine("tests, later", "tests", 1)
    const order = [
      "code 1",
      "code 2",
      "code 3",
      "docs 1",
      "docs 2",
      "tests 1",
      "tests, later",
      "code, later",
      "docs, later"
    ]
    for (const name of order.slice(0, 8)) yield* end(name)
    expect(started).toEqual(order)
  }).pipe(Effect.provide(slots(1)))
)

it.effect("keeps the slot of a refinement for a moment when only later steps wait, for the execution of the task", () =>
  Effect.gen(function* () {
    const { started, start, end } = yield* makeCalls
    yield* start("first execution", { stage: "execute", step: 0 })
    yield* end("first execution")
    yield* start("refine a", { stage: "refine", step: 0 })
    yield* start("refine b", { stage: "refine", step: 0 })
    yield* start("execute, later", { stage: "execute", step: 1 })
    yield* end("refine a", "19 millis")
    yield* start("execute a", { stage: "execute", step: 0 })
    expect(started.splice(0)).toEqual(["first execution", "refine a", "refine b"])
    yield* TestClock.adjust("1 millis")
    expect(started).toEqual(["execute a"])
    yield* end("refine b", "19 millis")
    expect(started).toEqual(["execute a"])
    yield* TestClock.adjust("1 millis")
    expect(started).toEqual(["execute a"])
    yield* end("execute a", 0)
    expect(started).toEqual(["execute a", "execute, later"])
  }).pipe(Effect.provide(slots(1)))
)

it.effect("leaves the place beyond the slots to calls that are as urgent as all in flight", () =>
  Effect.gen(function* () {
    const { started, start, end } = yield* makeCalls
    yield* start("first execution", { stage: "execute", step: 0 })
    yield* end("first execution")
    yield* start("refine 1", { stage: "refine", step: 0 })
    yield* start("refine 2", { stage: "refine", step: 1 })
    yield* start("execute 2", { stage: "execute", step: 1 })
    expect(started.splice(0)).toEqual(["first execution", "refine 1"])
    yield* start("refine 1b", { stage: "refine", step: 0 })
    expect(started).toEqual(["refine 1b"])
    yield* end("refine 1")
    expect(started).toEqual(["refine 1b"])
    yield* end("refine 1b")
    expect(started).toEqual(["refine 1b", "refine 2", "execute 2"])
  }).pipe(Effect.provide(slots(1)))
)

it.effect("gives the place of an interrupted call to the next, and forgets a call interrupted while it waits", () =>
  Effect.gen(function* () {
    const { started, start } = yield* makeCalls
    const first = yield* start("first", { stage: "execute", step: 0 })
    const second = yield* start("second", { stage: "execute", step: 0 })
    const waiting = yield* start("waiting", { stage: "execute", step: 0 })
    yield* start("last", { stage: "execute", step: 0 })
    yield* Fiber.interrupt(waiting)
    yield* Fiber.interrupt(first)
    yield* untilQuiet
    expect(started).toEqual(["first", "second", "last"])
    yield* Fiber.interrupt(second)
  }).pipe(Effect.provide(slots(1)))
)

it.effect("gives the place back when a call fails", () =>
  Effect.gen(function* () {
    const { withSlot } = yield* ModelSlots
    for (let n = 0; n < 5; n++) {
      const outcome = yield* Effect.exit(withSlot({ stage: "plan", step: 0, beginning: "" }, Effect.fail("no")))
      expect(outcome._tag).toBe("Failure")
    }
  }).pipe(Effect.provide(slots(1)))
)

it.effect("tells once of a call that waits for longer than a second", () =>
  Effect.gen(function* () {
    const { withSlot } = yield* ModelSlots
    const told: Array<string> = []
    const call = (name: string, seconds: number) =>
      withSlot(
        { stage: "execute", step: 0, beginning: "" },
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
  }).pipe(Effect.provide(slots(1)))
)
