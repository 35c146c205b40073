/**
 * What `replay` does. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import { replayRun } from "../../app/replay.ts"
import { layerRuns } from "../../app/savedRuns.ts"

/** Replays a saved run and compares the events. */
export const replaySaved = (run: string) => Effect.provide(replayRun(run), layerRuns)
