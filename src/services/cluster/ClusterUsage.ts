/**
 * The usage of a cluster run, which is computed from the events in its journal.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ClusterRuns } from "./ClusterRuns.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"

/** The meter of a run that began at this time, ISO 8601. */
export const layerClusterUsage = (runId: string, begunAt: string): Layer.Layer<UsageMeter, never, ClusterRuns> =>
  Layer.effect(
    UsageMeter,
    Effect.map(ClusterRuns, (runs) =>
      UsageMeter.of({
        modelCall: () => Effect.void,
        toolCall: Effect.void,
        total: Effect.gen(function* () {
          const used = yield* Effect.orDie(runs.usage(runId))
          return { ...used, durationMs: (yield* Clock.currentTimeMillis) - Date.parse(begunAt) }
        })
      })
    )
  )
