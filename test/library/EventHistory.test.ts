import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { makeEventHistory } from "../../src/library/EventHistory.ts"
import { nodeTest } from "../support/nodeTest.ts"

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("EventHistory", () => {
  nodeTest("gives every reader all events, early or late", function* () {
    const { end, push, stream } = makeEventHistory((event: number) => event)
    const early = yield* Effect.forkChild(Stream.runCollect(stream))
    yield* turn
    push(1)
    push(2)
    end()
    assert.deepStrictEqual(yield* Fiber.join(early), [1, 2])
    assert.deepStrictEqual(yield* Stream.runCollect(stream), [1, 2])
  })

  nodeTest("passes what is of use only now to readers that wait, and keeps it for nobody", function* () {
    const { end, pass, push, stream } = makeEventHistory((event: number) => event)
    pass(0)
    const early = yield* Effect.forkChild(Stream.runCollect(stream))
    push(1)
    for (const event of [2, 3]) {
      yield* turn
      pass(event)
    }
    yield* turn
    push(4)
    end()
    assert.deepStrictEqual(yield* Fiber.join(early), [1, 2, 3, 4])
    assert.deepStrictEqual(yield* Stream.runCollect(stream), [1, 4])
  })

  nodeTest("makes nothing of events that nobody reads, and of each once for a reader", function* () {
    let made = 0
    const { end, push, stream } = makeEventHistory((event: number) => {
      made += 1
      return -event
    })
    for (let index = 0; index < 10_000; index++) push(index)
    end()
    assert.strictEqual(made, 0)
    const read = yield* Stream.runCollect(stream)
    assert.deepStrictEqual([made, read.length, read[7]], [10_000, 10_000, -7])
  })

  nodeTest("lets a reader leave early, and one that waits", function* () {
    const { push, stream } = makeEventHistory((event: number) => event)
    push(1)
    assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(stream, 1)), [1])
    const waiting = yield* Effect.forkChild(Stream.runCollect(stream))
    yield* turn
    yield* Fiber.interrupt(waiting)
  })
})
