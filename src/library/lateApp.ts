/**
 * The application as the library calls it: each part is loaded when it is first used, so that a program that
 * imports the library starts without the parts that it does not call.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Work<Args extends ReadonlyArray<never>> = (...args: Args) => Effect.Effect<unknown, unknown, unknown>

/** A function of a module, which is loaded by its first call. */
const late = <Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name): Module[Name] => {
  const call: Work<ReadonlyArray<never>> = (...args) =>
    Effect.flatMap(Effect.promise(load), (module) => (module[name] as Work<ReadonlyArray<never>>)(...args))
  return call as Module[Name]
}

const runs = () => import("../app/runs.ts")
const stages = () => import("../plugins/check-tools/stagesInProject.ts")
const savedRuns = () => import("../app/savedRuns.ts")

/** Carries out a new run to its report. */
export const beginRun = late(runs, "beginRun")

/** Makes the task list for an order and checks it; nothing of it is done, and nothing is saved. */
export const planRun = late(runs, "planRun")

/** Resumes a saved run and carries it to its report. */
export const resumeRun = late(runs, "resumeRun")

/** Starts a new run that reuses what another had finished before the task `from`, to its report. */
export const forkRun = late(runs, "forkRun")

/** Replays a run. `isWhole` is false for one that was killed, interrupted or stopped in the end. */
export const replayRun = late(() => import("../plugins/replay/replaySaved.ts"), "replayRun")

const runChanges = () => import("../services/history/RunChanges.ts")

/** What a run changed in files. */
export const changesOfRun = late(runChanges, "changesOfRun")

/** Takes back what a run changed in files, or makes it again. */
export const undoRun = late(runChanges, "undoRun")

export const refineStage = late(stages, "refine")
export const executeStage = late(stages, "execute")
export const iterateStage = late(stages, "iterate")

export const makeReport = late(() => import("../plugins/report/makeReport.ts"), "makeReport")
export const readRun = late(savedRuns, "readRun")
export const readTask = late(savedRuns, "readTask")

/** The store of the runs of this machine. */
export const layerRuns = Layer.unwrap(Effect.map(Effect.promise(savedRuns), (module) => module.layerRuns))

/** Checks with the setup of a project. */
export const inProject = late(() => import("../plugins/check-tools/projectCheck.ts"), "inProject")

const serverModels = () => import("../app/serverModels.ts")

/** What can be done with the models of a server. */
export const listServerModels = late(serverModels, "listModels")
export const pullServerModel = late(serverModels, "pullModel")
export const unloadServerModel = late(serverModels, "unloadModel")

const conversation = () => import("../app/conversation.ts")

/** Holds a conversation as long as `use` does, to its report. */
export const holdConversation = late(conversation, "holdConversation")

/** The kept conversations about a project. */
export const listConversations = late(conversation, "listConversations")
