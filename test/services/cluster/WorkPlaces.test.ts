import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { nobodyFits, nobodyIsLeft, offerWork, type Unfit } from "../../../src/services/cluster/WorkPlaces.ts"

const workers = ["gpu-1", "gpu-2", "gpu-3"]
const remedy = "Give it what it lacks, or start a worker that has it. Then start the run again."
const why = "This worker has no tool."

/** Offers work to workers that the engine chooses in this order, over and over; returns how often, and what came of it. */
const offered = (chosen: ReadonlyArray<string>, fit: ReadonlyArray<string>, alive: ReadonlyArray<string> = workers) => {
  let offers = 0
  const offer = (place: number): Effect.Effect<{ readonly by: string; readonly unfit?: Unfit }> =>
    Effect.sync(() => {
      offers += 1
      const by = chosen[place % chosen.length] ?? ""
      return fit.includes(by) ? { by } : { by, unfit: { worker: by, why } }
    })
  return Effect.map(offerWork(offer, Effect.succeed(alive)), (result) => ({
    offers,
    end: Result.isSuccess(result) ? result.success.by : result.failure
  }))
}

describe("work that is offered to workers", () => {
  it.effect("is done by the first one that can do it, however often others are chosen before", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* offered(["gpu-1"], ["gpu-1"]), { offers: 1, end: "gpu-1" })
      assert.deepStrictEqual(yield* offered(["gpu-1", "gpu-1", "gpu-2", "gpu-3"], ["gpu-3"]), {
        offers: 4,
        end: "gpu-3"
      })
      assert.deepStrictEqual(yield* offered(["gone", "gpu-2"], ["gpu-2"], ["gpu-2"]), { offers: 2, end: "gpu-2" })
    })
  )

  it.effect("is given up when all that are there have said what they lack", () =>
    Effect.gen(function* () {
      const { end, offers } = yield* offered(["gpu-2", "gpu-1", "gpu-2", "gpu-3"], [])
      assert.strictEqual(offers, 4)
      assert.strictEqual(
        end,
        `No worker can do this. gpu-2: ${why} gpu-1: ${why} gpu-3: ${why} Give one of them what it lacks, or start a worker that has it. Then start the run again.`
      )
      assert.deepStrictEqual(yield* offered(["gpu-1"], [], []), {
        offers: 1,
        end: `${why} No other worker is there. ${remedy}`
      })
    })
  )

  it.effect("is given up when the engine never chooses another worker", () =>
    Effect.map(offered(["gpu-1"], []), ({ offers }) => assert.strictEqual(offers, 40))
  )

  it("has names of workers as keys, whatever they are", () => {
    assert.isFalse(nobodyIsLeft({}, ["toString"], 1))
    assert.isTrue(nobodyIsLeft({ "gpu-1": why }, ["gpu-1"], 1))
    assert.strictEqual(nobodyFits({ "gpu-1": why }), `${why} No other worker is there. ${remedy}`)
  })
})
