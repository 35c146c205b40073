import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { makeCallTimers } from "../../../src/services/providers/CallTimers.ts"

/** Timers that note when they were due, in seconds. */
const makeNotes = Effect.gen(function* () {
  const timers = yield* makeCallTimers
  const notes: Array<string> = []
  const due = (name: string, every?: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      notes.push(`${name} ${now / 1000}`)
      return every === undefined ? undefined : now + every * 1000
    })
  return {
    timers,
    notes,
    due,
    start: (name: string, at: number, every?: number) => timers.start(at * 1000, due(name, every))
  }
})

describe("timers of calls", () => {
  it.effect("are due at their times, in whatever order they were started", () =>
    Effect.gen(function* () {
      const { notes, start } = yield* makeNotes
      yield* start("late", 30)
      yield* start("again", 4, 10)
      yield* start("early", 2)
      yield* TestClock.adjust("1 second")
      yield* start("earlier", 1.5)
      yield* TestClock.adjust("29.5 seconds")
      expect(notes).toEqual(["earlier 1.5", "early 2", "again 4", "again 14", "again 24", "late 30"])
    })
  )

  it.effect("are not due once they have ended, and others are", () =>
    Effect.gen(function* () {
      const { notes, start } = yield* makeNotes
      const end = yield* start("ended", 5, 5)
      yield* TestClock.adjust("6 seconds")
      end()
      yield* TestClock.adjust("20 seconds")
      expect(notes).toEqual(["ended 5"])
      yield* start("after all had ended", 40)
      yield* TestClock.adjust("20 seconds")
      expect(notes).toEqual(["ended 5", "after all had ended 40"])
    })
  )

  it.effect("hold only as long as what they are for", () =>
    Effect.gen(function* () {
      const { due, notes, timers } = yield* makeNotes
      const call = timers.during(1000, due("during", 1), Effect.sleep("2.5 seconds"))
      yield* Effect.forkChild(Effect.andThen(call, Effect.fail("failed")))
      yield* Effect.forkChild(timers.during(1000, due("interrupted"), Effect.interrupt))
      yield* TestClock.adjust("10 seconds")
      expect(notes).toEqual(["during 1", "during 2"])
    })
  )

  it.effect("go on when one of them fails", () =>
    Effect.gen(function* () {
      const { notes, start, timers } = yield* makeNotes
      yield* timers.start(1000, Effect.die("fault"))
      yield* start("fine", 1)
      yield* start("later", 2)
      yield* TestClock.adjust("3 seconds")
      expect(notes).toEqual(["fine 1", "later 2"])
    })
  )

  it.effect("end with their scope", () =>
    Effect.gen(function* () {
      const notes = yield* Effect.scoped(
        Effect.gen(function* () {
          const { notes, start } = yield* makeNotes
          yield* start("ended", 1)
          return notes
        })
      )
      yield* TestClock.adjust("3 seconds")
      expect(notes).toEqual([])
    })
  )
})
