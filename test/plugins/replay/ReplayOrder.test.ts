import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { makeReplayOrder } from "../../../src/plugins/replay/Replay.ts"
import { liveTest } from "../../support/liveTest.ts"

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
  type Order = Effect.Success<typeof makeReplayOrder>
  const outside = (order: Order) => order.outside(turnsOfTheLoop(500))
  const rows: ReadonlyArray<
    [what: string, calls: ReadonlyArray<Call>, ended: ReadonlyArray<string>, parked: ReadonlyArray<string>]
  > = [
    [
      "is that of the journal, whatever comes first to its turn",
      [3, 1, 4, 2].map((position) => ({ key: `call-${position}`, position })),
      ["call-1", "call-2", "call-3", "call-4"],
      []
    ],
    [
      "waits for every fiber that still runs, however long it takes",
      [
        { key: "quick", position: 2 },
        { key: "slow", position: 1, before: yields(5000) }
      ],
      ["slow", "quick"],
      []
    ],
    [
      "waits for what looks outside of the replay",
      [
        { key: "quick", position: 2 },
        { key: "looking", position: 1, before: outside }
      ],
      ["looking", "quick"],
      []
    ],
    [
      "ends with the calls that are not in the journal, once nothing else can go on",
      [
        { key: "unknown" },
        { key: "slow", position: 1, before: yields(5000) },
        { key: "looking", position: 2, before: outside },
        { key: "also unknown", before: yields(5000) }
      ],
      ["slow", "looking"],
      ["unknown", "also unknown"]
    ]
  ]
  for (const [what, calls, ended, parked] of rows) {
    it.live(what, () =>
      Effect.map(conduct(calls), (found) => assert.deepStrictEqual<unknown>(found, { ended, parked }))
    )
  }

  liveTest("lets a call go on that another fiber waits for", function* () {
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

  liveTest("forgets a call that is interrupted", function* () {
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
})
