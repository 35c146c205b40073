/** Counts the pieces of a worker and its model calls. Computes how many more pieces the worker can take. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentLease, type HeldLease } from "./ClusterWork.ts"
import { ModelSlots } from "../../kit/models.ts"
import { RunSettings } from "../../kit/program.ts"

/**
 * The maximum number of runs that a worker leads per slot. Each run keeps its tools, plugins and MCP servers in memory.
 */
const runsOfSlot = 4

export const makeLoad = (slots: number) => {
  const held = new Set<HeldLease>()
  const countRuns = () => [...held].filter(({ kind }) => kind === "run").length
  /*
   * `calls` counts the model calls that have a slot or wait for one. `fresh` are tasks that were just claimed, and will
   * soon make a call.
   */
  let calls = 0
  const fresh = new Set<HeldLease>()
  return {
    counted: <A, E, R>(lease: HeldLease, work: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          held.add(lease)
          if (lease.kind === "refine") fresh.add(lease)
        }),
        () => work,
        () =>
          Effect.sync(() => {
            held.delete(lease)
            fresh.delete(lease)
          })
      ),
    /** Counts a model call from its request for a slot to its end. */
    asks: <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.flatMap(CurrentLease, (lease) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            if (lease !== undefined) fresh.delete(lease)
            lease?.activity.calls.add(call)
            calls += 1
          }),
          () => call,
          () =>
            Effect.sync(() => {
              lease?.activity.calls.delete(call)
              calls -= 1
            })
        )
      ),
    count: () => ({ runs: countRuns(), tasks: held.size - countRuns() }),
    /**
     * How many more pieces the worker can take. It takes tasks until it has one model call more than slots, so that the
     * model server stays busy. A single claim takes at most half as many tasks as slots, so that other workers get work
     * too.
     */
    capacity: () => {
      const refine = Math.max(0, Math.min(slots + 1 - calls - fresh.size, Math.ceil(slots / 2)))
      return { run: countRuns() < slots * runsOfSlot ? 1 : 0, refine, task: 8 }
    }
  }
}

export type Load = ReturnType<typeof makeLoad>

/** The slots of the model server, shared by all runs of this worker. */
export const makeSlots = (parallel: number, load: Load) =>
  Effect.map(Layer.build(Layer.provide(ModelSlots.layer, RunSettings.layer({ parallel }))), (context) =>
    Layer.succeed(ModelSlots)(
      ModelSlots.of({
        withSlot: (urgency, call) => load.asks(Context.get(context, ModelSlots).withSlot(urgency, call))
      })
    )
  )
