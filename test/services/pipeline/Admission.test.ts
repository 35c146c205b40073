import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeAdmission } from "../../../src/services/pipeline/Admission.ts"

/** Enters works of these turns one after another; each lasts until it is told to end. */
const entering = (most: number) => {
  const { withPermit } = makeAdmission(most)
  const begun: Array<string> = []
  const start = Effect.fnUntraced(function* (name: string, turn: number) {
    const end = yield* Deferred.make<void>()
    const work = Effect.andThen(
      Effect.sync(() => begun.push(name)),
      Deferred.await(end)
    )
    const fiber = yield* Effect.forkChild(withPermit(turn, work), { startImmediately: true })
    return {
      end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.await(fiber)),
      interrupt: Fiber.interrupt(fiber)
    }
  })
  return { begun, start }
}

it.effect("lets so many be under way, the most urgent first and then in order of arrival", () =>
  Effect.gen(function* () {
    const { begun, start } = entering(2)
    const first = yield* start("a", 1)
    const second = yield* start("b", 1)
    const rest = [yield* start("late", 9), yield* start("c", 3), yield* start("d", 3), yield* start("e", 2)]
    expect(begun).toEqual(["a", "b"])
    yield* first.end
    yield* second.end
    expect(begun).toEqual(["a", "b", "e", "c"])
    yield* rest[3]!.end
    yield* rest[1]!.end
    expect(begun).toEqual(["a", "b", "e", "c", "d", "late"])
  })
)

it.effect("never holds back what is more urgent than all that are under way", () =>
  Effect.gen(function* () {
    const { begun, start } = entering(2)
    const first = yield* start("a", 5)
    yield* start("b", 5)
    yield* start("waits", 5)
    const urgent = yield* start("urgent", 0)
    expect(begun).toEqual(["a", "b", "urgent"])
    yield* urgent.end
    expect(begun).toEqual(["a", "b", "urgent"])
    yield* first.end
    expect(begun).toEqual(["a", "b", "urgent", "waits"])
  })
)

it.effect("lets go what has become more urgent than all that are under way", () =>
  Effect.gen(function* () {
    const { begun, start } = entering(2)
    yield* start("a", 5)
    yield* start("b", 5)
    const urgent = yield* start("urgent", 1)
    yield* start("waits", 3)
    yield* start("waits longer", 5)
    expect(begun).toEqual(["a", "b", "urgent"])
    yield* urgent.end
    expect(begun).toEqual(["a", "b", "urgent", "waits"])
  })
)

it.effect("gives the place of what fails or is interrupted to the next one", () =>
  Effect.gen(function* () {
    const { begun, start } = entering(1)
    const first = yield* start("a", 0)
    const second = yield* start("b", 1)
    yield* start("c", 2)
    yield* second.interrupt
    yield* first.interrupt
    expect(begun).toEqual(["a", "c"])
  })
)

it.effect("keeps a place that was entered until an effect has run in it", () =>
  Effect.gen(function* () {
    const { take, withPermit, withTaken } = makeAdmission(1)
    const begun: Array<string> = []
    const note = (name: string) => Effect.sync(() => void begun.push(name))
    yield* take(1)
    const waiting = yield* Effect.forkChild(withPermit(1, note("waits")), { startImmediately: true })
    const interrupted = yield* Effect.forkChild(take(1), { startImmediately: true })
    yield* Fiber.interrupt(interrupted)
    yield* withTaken(1, note("has the place"))
    yield* Fiber.await(waiting)
    expect(begun).toEqual(["has the place", "waits"])
    yield* take(1)
  })
)
