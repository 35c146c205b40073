/**
 * Loads the part of the program that can run a prompt; it is half of the time to start.
 */
import * as Effect from "effect/Effect"

/** `./work.ts`, loaded now. */
export const loadWork = Effect.promise(() => import("./run/runHandler.ts"))

/** `./keptRuns.ts`, loaded now. */
export const loadRuns = Effect.promise(() => import("./runs/runsHandler.ts"))

/** `./clusterWork.ts`, loaded now. */
export const loadClusterHandler = Effect.promise(() => import("./cluster/clusterHandler.ts"))

/** `./askWork.ts`, loaded now. */
export const loadAskWork = Effect.promise(() => import("./ask/askHandler.ts"))

/** `./askTalk.ts`, loaded now. */
export const loadTalk = Effect.promise(() => import("./ask/repl.ts"))

/** `./skillWork.ts`, loaded now. */
export const loadSkillWork = Effect.promise(() => import("./skills/skillHandler.ts"))
