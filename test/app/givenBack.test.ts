import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { giveBack } from "../../src/app/givenBack.ts"
import { workerName } from "../../src/services/cluster/ClusterEngine.ts"
import { ClusterWorkers } from "../../src/services/cluster/ClusterWorkers.ts"
import { UnfitWorker } from "../../src/services/cluster/WorkPlaces.ts"
import { RunRefused, type RunSeat, RunWorkflow } from "../../src/services/pipeline/RunWorkflow.ts"

const order = { runId: "run-1", prompt: "Do it." }
const unfit = new UnfitWorker({ why: "This worker has no folder /p.", exitCode: 2 })

/** Gives a run back among these workers; the seats on which it goes on, what was told, and the ending. */
const given = (names: ReadonlyArray<string>, seat?: RunSeat) => {
  const seats: Array<RunSeat | undefined> = []
  const told: Array<string> = []
  const engine = RunWorkflow.toLayer(({ seat: next }) => {
    seats.push(next)
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
  return giveBack({ order, seat, unfit, tell: (what) => Effect.sync(() => void told.push(what)) }).pipe(
    Effect.tap(Effect.yieldNow),
    Effect.map((ending) => ({ ending, seats, told })),
    Effect.provide(Layer.merge(Layer.provideMerge(engine, WorkflowEngine.layerMemory), workers))
  )
}

describe("a run for which a worker lacks something", () => {
  it.effect("goes on elsewhere while another worker is there", () =>
    Effect.gen(function* () {
      const { ending, seats, told } = yield* given([workerName, "gpu-2-9"])
      assert.strictEqual(ending, "given back")
      assert.deepStrictEqual(seats, [{ number: 1, declined: { [workerName]: unfit.why } }])
      assert.deepStrictEqual(told, [`run-1: given back. ${unfit.why}`])
    })
  )

  it.effect("ends with what each one lacks when no worker is left", () =>
    Effect.gen(function* () {
      const seat = { number: 3, declined: { "gpu-2-9": "This worker has version 0.0.9." } }
      const { ending, seats } = yield* given([workerName, "gpu-2-9"], seat)
      assert.deepStrictEqual(seats, [])
      assert.deepStrictEqual(ending, {
        refused: `No worker can do this. gpu-2-9: This worker has version 0.0.9. ${workerName}: ${unfit.why} Give one of them what it lacks, or start a worker that has it. Then start the run again.`,
        exitCode: 2
      })
    })
  )
})
