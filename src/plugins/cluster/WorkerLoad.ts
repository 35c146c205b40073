/**
 * What a worker has in hand, and how much more it takes: its tasks share the slots of its model server.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentLease, type HeldLease } from "./ClusterWork.ts"
import { ModelSlots } from "../../kit/models.ts"
import { RunSettings } from "../../kit/program.ts"

/** A worker leads so many runs for each slot: each has tools, plugins and MCP servers of its own in memory. */
const runsOfSlot = 4

/** What this worker has in hand. */
export const makeLoad = (slots: number) => {
  const held = new Set<HeldLease>()
  const countRuns = () => [...held].filter(({ kind }) => kind === "run").length
  /* Calls that have a slot of the model server or wait for one, and tasks that were just claimed and soon make one. */
  let calls = 0
  const fresh = new Set<HeldLease>()
  return {
    /** Counts a piece of work as long as it lasts. */
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
    /** Counts a model call from where it asks for a slot. */
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
    /** One call more than there are slots keeps the server busy; a part at a time, so that all workers get some. */
    room: () => {
      const refine = Math.max(0, Math.min(slots + 1 - calls - fresh.size, Math.ceil(slots / 2)))
      return { run: countRuns() < slots * runsOfSlot ? 1 : 0, refine, task: 8 }
    }
  }
}

export type Load = ReturnType<typeof makeLoad>

/** The slots of the model server, which all runs of this worker share. */
export const makeSlots = (parallel: number, load: Load) =>
  Effect.map(Layer.build(Layer.provide(ModelSlots.layer, RunSettings.layer({ parallel }))), (context) =>
    Layer.succeed(ModelSlots)(
      ModelSlots.of({
        withSlot: (urgency, call) => load.asks(Context.get(context, ModelSlots).withSlot(urgency, call))
      })
    )
  )
