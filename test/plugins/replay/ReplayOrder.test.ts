import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { makeReplayOrder } from "../../../src/plugins/replay/Replay.ts"

/** A call of a replay: it comes to its turn after some work of its own. */
interface Call {
  readonly key: string
  readonly position?: number
  readonly before?: (order: Effect.Success<typeof makeReplayOrder>) => Effect.Effect<void>
}

const yields = (times: number) => () => Effect.repeat(Effect.yieldNow, { times })

/** Something that takes several turns of the event loop, as reading a file does. */
const turnsOfTheLoop = (times: number): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let turn = 0; turn < times; turn += 1) await new Promise((go) => setImmediate(go))
  })

/** Lets the calls go on side by side; gives the keys in the order of their ends, and those that could not go on. */
const conduct = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
  const order = yield* makeReplayOrder
  const ended: Array<string> = []
  const play = ({ before = () => Effect.void, key, position }: Call) =>
    before(order).pipe(
      Effect.andThen(order.turn(key, position)),
      Effect.andThen(Effect.sync(() => void ended.push(key)))
    )
  const parked = yield* order.conduct(Effect.forEach(calls, play, { concurrency: "unbounded" }))
  return { ended, parked }
})

describe("the order of a replay", () => {
  it.live("is that of the journal, whatever comes first to its turn", () =>
    Effect.gen(function* () {
      const calls = [3, 1, 4, 2].map((position) => ({ key: `call-${position}`, position }))
      assert.deepStrictEqual(yield* conduct(calls), { ended: ["call-1", "call-2", "call-3", "call-4"], parked: [] })
    })
  )

  it.live("waits for every fiber that still runs, however long it takes", () =>
    Effect.gen(function* () {
      const calls = [
        { key: "quick", position: 2 },
        { key: "slow", position: 1, before: yields(5000) }
      ]
      assert.deepStrictEqual(yield* conduct(calls), { ended: ["slow", "quick"], parked: [] })
    })
  )

  it.live("waits for what looks outside of the replay", () =>
    Effect.gen(function* () {
      const calls = [
        { key: "quick", position: 2 },
        {
          key: "looking",
          position: 1,
          before: (order: Effect.Success<typeof makeReplayOrder>) => order.outside(turnsOfTheLoop(500))
        }
      ]
      assert.deepStrictEqual(yield* conduct(calls), { ended: ["looking", "quick"], parked: [] })
    })
  )

  it.live("lets a call go on that another fiber waits for", () =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<void>()
      const order = yield* makeReplayOrder
      const ended: Array<string> = []
      const producer = order
        .turn("producer", 2)
        .pipe(
          Effect.andThen(Effect.sync(() => void ended.push("producer"))),
          Effect.andThen(Deferred.succeed(done, undefined))
        )
      const consumer = Deferred.await(done).pipe(
        Effect.andThen(order.turn("consumer", 1)),
        Effect.andThen(Effect.sync(() => void ended.push("consumer")))
      )
      const parked = yield* order.conduct(Effect.all([consumer, producer], { concurrency: "unbounded" }))
      assert.deepStrictEqual({ ended, parked }, { ended: ["producer", "consumer"], parked: [] })
    })
  )

  it.live("ends with the calls that are not in the journal, once nothing else can go on", () =>
    Effect.gen(function* () {
      const calls = [
        { key: "unknown" },
        { key: "slow", position: 1, before: yields(5000) },
        {
          key: "looking",
          position: 2,
          before: (order: Effect.Success<typeof makeReplayOrder>) => order.outside(turnsOfTheLoop(500))
        },
        { key: "also unknown", before: yields(5000) }
      ]
      assert.deepStrictEqual(yield* conduct(calls), { ended: ["slow", "looking"], parked: ["unknown", "also unknown"] })
    })
  )

  it.live("forgets a call that is interrupted", () =>
    Effect.gen(function* () {
      const order = yield* makeReplayOrder
      const loser = order.turn("loser", undefined)
      const parked = yield* order.conduct(
        Effect.andThen(
          Effect.raceFirst(loser, Effect.repeat(Effect.yieldNow, { times: 100 })),
          order.turn("winner", undefined)
        )
      )
      assert.deepStrictEqual(parked, ["winner"])
    })
  )
})
