/**
 * The application as the library exports and calls it: each part is loaded when it is first used, so that a program that
 * imports the library starts without the parts that it does not call.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Conversation from "../app/conversation.ts"
import type * as ProjectCheck from "../app/projectCheck.ts"
import type * as RunLayers from "../app/runLayers.ts"

/** A function whose module is loaded by its first call. */
const late =
  <Module, Args extends ReadonlyArray<unknown>, A, E, R>(
    load: () => Promise<Module>,
    pick: (module: Module) => (...args: Args) => Effect.Effect<A, E, R>
  ) =>
  (...args: Args): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.promise(load), (module) => pick(module)(...args))

const runs = () => import("../app/runs.ts")
const stages = () => import("../app/stages.ts")
const savedRuns = () => import("../app/savedRuns.ts")
const layers = Effect.promise(() => import("../app/runLayers.ts"))

/** Carries out a new run to its report. */
export const beginRun = late(runs, (module) => module.beginRun)

/** Makes the task list for an order and checks it; nothing of it is done, and nothing is saved. */
export const planRun = late(runs, (module) => module.planRun)

/** Resumes a saved run and carries it to its report. */
export const resumeRun = late(runs, (module) => module.resumeRun)

/** Starts a new run that reuses what another had finished before the task `from`, to its report. */
export const forkRun = late(runs, (module) => module.forkRun)

/** Replays a run. `isWhole` is false for one that was killed, interrupted or stopped in the end. */
export const replayRun = late(
  () => import("../app/replay.ts"),
  (module) => module.replayRun
)

export const refineStage = late(stages, (module) => module.refine)
export const executeStage = late(stages, (module) => module.execute)
export const iterateStage = late(stages, (module) => module.iterate)

export const makeReport = late(savedRuns, (module) => module.makeReport)
export const readRun = late(savedRuns, (module) => module.readRun)
export const readTask = late(savedRuns, (module) => module.readTask)

/** The store of the runs of this machine. */
export const layerRuns = Layer.unwrap(Effect.map(Effect.promise(savedRuns), (module) => module.layerRuns))

/** Reads the configuration for a project; `given`, flags or options, overrides it. */
export const readSetup = late(
  () => import("../app/setup.ts"),
  (module) => module.readSetup
)

/** Everything a run needs. */
export const layerRun = (...args: Parameters<typeof RunLayers.layerRun>) =>
  Layer.unwrap(Effect.map(layers, (module) => module.layerRun(...args)))

/** Everything a conversation needs; `lock` keeps others from changing the project meanwhile. */
export const layerAsk = (...args: Parameters<typeof RunLayers.layerAsk>) =>
  Layer.unwrap(Effect.map(layers, (module) => module.layerAsk(...args)))

/** Checks with the setup of a project. */
export const inProject: typeof ProjectCheck.inProject = (...args) =>
  Effect.flatMap(
    Effect.promise(() => import("../app/projectCheck.ts")),
    (module) => module.inProject(...args)
  )

/** Holds a conversation as long as `use` does, to its report. */
export const holdConversation: typeof Conversation.holdConversation = (...args) =>
  Effect.flatMap(
    Effect.promise(() => import("../app/conversation.ts")),
    (module) => module.holdConversation(...args)
  )
