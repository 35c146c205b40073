import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeStepBarrier } from "../../../src/services/pipeline/StepBarrier.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

it.effect("opens a section when no counted task before it is left, in whatever order they are settled", () =>
  Effect.gen(function* () {
    const barrier = yield* makeStepBarrier(4, [0, 1, 1, 3])
    const open: Array<number> = []
    for (const step of [0, 1, 2, 3]) {
      yield* barrier
        .before(step)
        .pipe(Effect.andThen(Effect.sync(() => open.push(step))), Effect.forkChild({ startImmediately: true }))
    }
    const after = Effect.fnUntraced(function* (step: number) {
      yield* barrier.settle(step)
      yield* untilQuiet
      return [...open]
    })
    expect(open).toEqual([0])
    expect(yield* after(1)).toEqual([0])
    expect(yield* after(1)).toEqual([0])
    expect(yield* after(0)).toEqual([0, 1, 2, 3])
    expect(yield* after(3)).toEqual([0, 1, 2, 3])
  })
)

it.effect("has nothing to wait for without counted tasks", () =>
  Effect.gen(function* () {
    const barrier = yield* makeStepBarrier(3, [])
    yield* Effect.forEach([0, 1, 2], barrier.before)
    yield* (yield* makeStepBarrier(0, [])).before(0)
  })
)
