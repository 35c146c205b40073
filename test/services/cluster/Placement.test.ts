import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Layer from "effect/Layer"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { assert, describe, it } from "@effect/vitest"
import { giveBack, offerWork, type Unfit, UnfitWorker } from "../../../src/services/cluster/ClusterTasks.ts"
import { workerName } from "../../../src/services/cluster/ClusterEngine.ts"
import { ClusterWorkers } from "../../../src/services/cluster/ClusterWorkers.ts"
import { type RunPlacement, RunRefused, RunWorkflow } from "../../../src/services/cluster/RunWorkflow.ts"

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

  it.effect("is offered to a worker of any name", () =>
    Effect.gen(function* () {
      const names = ["gpu-1", "toString"]
      assert.deepStrictEqual(yield* offered(names, ["toString"], names), { offers: 2, end: "toString" })
    })
  )
})

const order = { runId: "run-1", prompt: "Do it." }
const unfit = new UnfitWorker({ why: "This worker has no folder /p.", exitCode: 2 })

/** Gives a run back among these workers; the placements on which it goes on, what was reported, and the ending. */
const given = (names: ReadonlyArray<string>, placement?: RunPlacement) => {
  const placements: Array<RunPlacement | undefined> = []
  const reported: Array<string> = []
  const engine = RunWorkflow.toLayer(({ placement: next }) => {
    placements.push(next)
    return Effect.fail(new RunRefused({ what: "here", exitCode: 1 }))
  })
  const workers = Layer.mock(ClusterWorkers)({
    list: Effect.succeed([]),
    alive: Effect.succeed(
      names.map((name) => ({
        name,
        version: "0.1.0",
        begunAt: "",
        slots: 1,
        runs: 0,
        tasks: 0,
        seenSecondsAgo: 0,
        isAlive: true
      }))
    )
  })
  return giveBack(order, placement, unfit, (what) => Effect.sync(() => void reported.push(what))).pipe(
    Effect.tap(Effect.yieldNow),
    Effect.map((ending) => ({ ending, placements, reported })),
    Effect.provide(Layer.merge(Layer.provideMerge(engine, WorkflowEngine.layerMemory), workers))
  )
}

describe("a run for which a worker lacks something", () => {
  it.effect("goes on elsewhere while another worker is there", () =>
    Effect.gen(function* () {
      const { ending, placements, reported } = yield* given([workerName, "gpu-2-9"])
      assert.strictEqual(ending, "given back")
      assert.deepStrictEqual(placements, [{ number: 1, declined: { [workerName]: unfit.why } }])
      assert.deepStrictEqual(reported, [`run-1: given back. ${unfit.why}`])
    })
  )

  it.effect("ends with what each one lacks when no worker is left", () =>
    Effect.gen(function* () {
      const placement = { number: 3, declined: { "gpu-2-9": "This worker has version 0.0.9." } }
      const { ending, placements } = yield* given([workerName, "gpu-2-9"], placement)
      assert.deepStrictEqual(placements, [])
      assert.deepStrictEqual(ending, {
        refused: `No worker can do this. gpu-2-9: This worker has version 0.0.9. ${workerName}: ${unfit.why} Give one of them what it lacks, or start a worker that has it. Then start the run again.`,
        exitCode: 2
      })
    })
  )
})
