/**
 * The application as the library exports and calls it: each part is loaded when it is first used, so that a program that
 * imports the library starts without the parts that it does not call.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Conversation from "../app/conversation.ts"
import type * as ProjectCheck from "../app/projectCheck.ts"
import type * as RunLayers from "../app/runLayers.ts"

const loadRuns = Effect.promise(() => import("../app/runs.ts"))
const loadStages = Effect.promise(() => import("../app/stages.ts"))
const loadSaved = Effect.promise(() => import("../app/savedRuns.ts"))
const loadLayers = Effect.promise(() => import("../app/runLayers.ts"))

/** A function whose module is loaded by its first call. */
const late =
  <Args extends ReadonlyArray<unknown>, A, E, R>(load: Effect.Effect<(...args: Args) => Effect.Effect<A, E, R>>) =>
  (...args: Args): Effect.Effect<A, E, R> =>
    Effect.flatMap(load, (run) => run(...args))

/** Carries out a new run to its report. */
export const beginRun = late(Effect.map(loadRuns, ({ beginRun }) => beginRun))

/** Makes the task list for an order and checks it; nothing of it is done, and nothing is saved. */
export const planRun = late(Effect.map(loadRuns, ({ planRun }) => planRun))

/** Resumes a saved run and carries it to its report. */
export const resumeRun = late(Effect.map(loadRuns, ({ resumeRun }) => resumeRun))

/** Starts a new run that reuses what another had finished before the task `from`, to its report. */
export const forkRun = late(Effect.map(loadRuns, ({ forkRun }) => forkRun))

/** Replays a run. `isWhole` is false for one that was killed, interrupted or stopped in the end. */
export const replayRun = late(
  Effect.map(
    Effect.promise(() => import("../app/replay.ts")),
    ({ replayRun }) => replayRun
  )
)

/** Refines one task of a plan. */
export const refineStage = late(Effect.map(loadStages, ({ refine }) => refine))

/** Makes the calls of a refinement and gives the result of its task. */
export const executeStage = late(Effect.map(loadStages, ({ execute }) => execute))

/** The tasks that are left after some results. */
export const iterateStage = late(Effect.map(loadStages, ({ iterate }) => iterate))

/** The report of a run. */
export const makeReport = late(
  Effect.map(
    Effect.promise(() => import("../app/runReport.ts")),
    ({ makeReport }) => makeReport
  )
)

/** Everything in the journal of a run. */
export const readRun = late(Effect.map(loadSaved, ({ readRun }) => readRun))

/** What one task of a run saw, said, called and found. */
export const readTask = late(Effect.map(loadSaved, ({ readTask }) => readTask))

/** The store of the runs of this machine. */
export const layerRuns = Layer.unwrap(Effect.map(loadSaved, ({ layerRuns }) => layerRuns))

/** Reads the configuration for a project; `given`, flags or options, overrides it. */
export const readSetup = late(
  Effect.map(
    Effect.promise(() => import("../app/setup.ts")),
    ({ readSetup }) => readSetup
  )
)

/** Everything a run needs. */
export const layerRun = (...args: Parameters<typeof RunLayers.layerRun>) =>
  Layer.unwrap(Effect.map(loadLayers, ({ layerRun }) => layerRun(...args)))

/** Everything a conversation needs; `lock` keeps others from changing the project meanwhile. */
export const layerAsk = (...args: Parameters<typeof RunLayers.layerAsk>) =>
  Layer.unwrap(Effect.map(loadLayers, ({ layerAsk }) => layerAsk(...args)))

/** Checks with the setup of a project. */
export const inProject: typeof ProjectCheck.inProject = (...args) =>
  Effect.flatMap(
    Effect.promise(() => import("../app/projectCheck.ts")),
    ({ inProject }) => inProject(...args)
  )

/** Holds a conversation as long as `use` does, to its report. */
export const holdConversation: typeof Conversation.holdConversation = (...args) =>
  Effect.flatMap(
    Effect.promise(() => import("../app/conversation.ts")),
    ({ holdConversation }) => holdConversation(...args)
  )
