/**
 * The application for the library. Each part is loaded at its first use, so that a program loads only what it calls.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Work<Args extends ReadonlyArray<never>> = (...args: Args) => Effect.Effect<unknown, unknown, unknown>

/** Returns a function that loads the module at its first call and then calls the module's function `name`. */
const late = <Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name): Module[Name] => {
  const call: Work<ReadonlyArray<never>> = (...args) =>
    Effect.flatMap(Effect.promise(load), (module) => (module[name] as Work<ReadonlyArray<never>>)(...args))
  return call as Module[Name]
}

const runs = () => import("../app/runs.ts")
const stages = () => import("../plugins/check-tools/stagesInProject.ts")
const savedRuns = () => import("../app/savedRuns.ts")

export const beginRun = late(runs, "beginRun")

/** Makes and checks the task list for an order. Executes and saves nothing. */
export const planRun = late(runs, "planRun")

export const resumeRun = late(runs, "resumeRun")

export const forkRun = late(runs, "forkRun")

/** Replays a run. In the result, `isWhole` is false if the run's last session was killed, interrupted or stopped. */
export const replayRun = late(() => import("../plugins/replay/replaySaved.ts"), "replayRun")

const runChanges = () => import("../services/history/RunChanges.ts")

/** Reads how a run changed files, with a diff for each file, and which calls have unknown effects. */
export const changesOfRun = late(runChanges, "changesOfRun")

export const undoRun = late(runChanges, "undoRun")

export const refineStage = late(stages, "refine")
export const executeStage = late(stages, "execute")
export const iterateStage = late(stages, "iterate")

export const makeReport = late(() => import("../plugins/report/makeReport.ts"), "makeReport")
export const readRun = late(savedRuns, "readRun")
export const readTask = late(savedRuns, "readTask")

export const layerRuns = Layer.unwrap(Effect.map(Effect.promise(savedRuns), (module) => module.layerRuns))

export const inProject = late(() => import("../plugins/check-tools/projectCheck.ts"), "inProject")

const serverModels = () => import("../app/serverModels.ts")

/** The functions for models of a server, loaded when they are first called. */
export const listServerModels = late(serverModels, "listModels")
export const pullServerModel = late(serverModels, "pullModel")
export const unloadServerModel = late(serverModels, "unloadModel")

const conversation = () => import("../app/conversation.ts")

/** Runs a conversation until the given function `use` ends. Returns the report of the conversation. */
export const holdConversation = late(conversation, "holdConversation")

export const listConversations = late(conversation, "listConversations")
