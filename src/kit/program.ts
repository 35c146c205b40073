/**
 * Settings, and the setup, the layers and the stages of a run. Imported as "task-conductor/kit/program". Every version
 * may change it, so only features, and packages of exactly this version, may import it.
 */

/* Settings. */
export {
  addressKeys,
  Configuration,
  mergeConfigurations,
  pickSettings,
  type PluginEntry,
  RunsKept
} from "../domain/configuration/Configuration.ts"
export type { Finding } from "../domain/configuration/Diagnosis.ts"
export { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
export { saveSetting } from "../services/configuration/ConfigurationFile.ts"

/* The stages of a run, and the services that they share. */
export { Briefer, BriefingError } from "../services/pipeline/Briefer.ts"
export { type ApplyOrder, ChangeApplier } from "../services/pipeline/ChangeApplier.ts"
export { changeKinds } from "../services/pipeline/CheckedEvidence.ts"
export { Pipeline } from "../services/pipeline/Pipeline.ts"
export { PlanChecker, type PlanContext } from "../services/pipeline/PlanChecker.ts"
export { ResumeNotes } from "../services/pipeline/ResumeNotes.ts"
export { Reviser } from "../services/pipeline/Reviser.ts"
export { type DeclinedStep, Scheduler } from "../services/pipeline/Scheduler.ts"
export { readStartupWarnings } from "../services/pipeline/StartupWarnings.ts"
export { TaskAgent } from "../services/pipeline/TaskAgent.ts"
export { CallsDeclined, JoinedChanges, type TaskOrder } from "../services/pipeline/TaskStage.ts"
export { knownSecrets } from "../services/runs/KnownSecrets.ts"
export { defaultSettings, RunSettings, type Settings } from "../services/runs/RunSettings.ts"
export { makeRunState } from "../services/runs/RunState.ts"

/** Trials without a model, and shipped files. */
export { benchMaterial } from "../app/templates.ts"
export { makeTrial, ownFiles } from "../app/trialSetup.ts"

/* The program: its setup, its layers, its runs. */
export type { NewRun, RunConditions, RunContext, SavedRun, WorkerContext } from "../app/RunContext.ts"
export type { SharedClient, SharedOrder, SharedRuns } from "../app/SharedRuns.ts"
export { build } from "../app/build.ts"
export { conversationPlace, holdConversation, type NewConversation } from "../app/conversation.ts"
export { clause, configurationFindings, note, ok, problem, withSetup } from "../app/diagnosis.ts"
export {
  layerCalls,
  layerCatalogue,
  layerModel,
  layerPipeline,
  layerProject,
  layerRun,
  layerSkills,
  layerStages,
  layerTasks
} from "../app/layers.ts"
export { beginRun, placeOf, planRun } from "../app/runs.ts"
export {
  noExtensions,
  providerOfRun,
  readSetup,
  renameModels,
  savedSettings,
  type Setup,
  withProviders
} from "../app/setup.ts"
export { reportStartup, sendMetrics } from "../app/startup.ts"
export { version } from "../app/version.ts"
