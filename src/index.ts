/**
 * The entry point for scripts: run a prompt with events and a report, resume a saved run, make a plan, check a
 * document, hold a conversation. "task-conductor/effect" offers the same as a service for Effect.
 */
import { checkDocument, type CheckReport } from "./domain/documents/CheckReport.ts"
import { type CheckRequest, checkRequestOf } from "./domain/documents/CheckRequest.ts"

export { type CheckReport, DocumentKind, type FixedDocument } from "./domain/documents/CheckReport.ts"
export { Limits } from "./domain/configuration/Limits.ts"
export { ModelError } from "./domain/models/ModelAnswer.ts"
export { flattenEvent, type FlatEvent, RecordedEvent, RunEvent } from "./domain/runs/RunEvent.ts"
export { NoValidPlan, type RunOrder, UnknownSkill } from "./domain/runs/RunOrder.ts"
export { exitCodeOf, RunReport, RunStatus, AskReport } from "./domain/runs/RunReport.ts"
export type { RunDifference } from "./plugins/replay/RunDifference.ts"
export { TaskEvidence, TaskNotFound } from "./domain/history/RunEvidence.ts"
export { ReportData } from "./plugins/report/ReportData.ts"
export { TaskList } from "./domain/plan/TaskList.ts"
export { JournalError } from "./services/journal/JournalError.ts"
export { LockTaken, LockUnavailable } from "./services/files/ProcessLock.ts"
export { RunOverview, RunSummary } from "./domain/history/RunOverview.ts"
export { RunNotFound } from "./services/history/RunStore.ts"
export { ModelUnchosen } from "./app/ModelUnchosen.ts"
export { checkInProject, fixInProject, type ProjectCheckOptions } from "./library/check.ts"
export { models, pullModel, type PullOptions, unloadModel } from "./library/models.ts"
export type { ModelCapacity } from "./domain/models/ContextWindow.ts"
export type { InstalledModel, ModelAbilities } from "./domain/models/InstalledModel.ts"
export type { LoadedMemory } from "./domain/models/ModelMemory.ts"
export type { PullProgress } from "./domain/models/ModelPull.ts"
export { plan, type PlanOptions, run, type RunOptions } from "./library/run.ts"
export type { RunHandle, WorkHandle } from "./library/WorkHandle.ts"
export type { AskRequest, RunRequest, WithValue } from "./library/requests.ts"
export type { ProgramPlugin, ProgramSettings } from "./library/programSettings.ts"
export {
  aiSdkModel,
  type AiSdkModel,
  type FunctionAnswer,
  type FunctionCall,
  type FunctionMessage,
  type FunctionQuestion,
  type FunctionTool,
  type ModelFunction
} from "./library/functionModel.ts"
export {
  execute,
  type ExecutedTask,
  iterate,
  type PlanStageOptions,
  refine,
  type StageOptions
} from "./library/stages.ts"
export {
  type ChangesOfRun,
  diffRun,
  fork,
  type ForkOptions,
  resume,
  removeRun,
  type ResumeOptions,
  type SavedRunOptions,
  replay,
  type Replayed,
  type ReplayOptions,
  report,
  type RunReportPage,
  runs,
  showRun,
  showTask,
  undo,
  type Undone,
  type UndoOptions
} from "./library/runs.ts"
export { type ChangeState, NothingToUndo, type RunChange, UndoRefused } from "./services/history/RunChanges.ts"
export { type UncertainAnswer as DoubtAnswer } from "./domain/permissions/Answer.ts"
export type { AnswerQuestion, ApprovalAnswer, ApprovalRequest, Approve, Arbitrate } from "./app/callbackApprover.ts"
export { tool, type Tools } from "./services/tools/Tool.ts"
export { ToolFailure } from "./domain/tools/ToolCall.ts"
export { ConfigurationError } from "./services/configuration/ConfigurationError.ts"
export { RuleWithoutTool } from "./domain/permissions/RuleWithoutTool.ts"
export { PromptTemplateError } from "./services/models/Prompts.ts"
export { NoToolSupport } from "./services/models/ToolSupport.ts"
export type { Configuration } from "./domain/configuration/Configuration.ts"
export type { ApprovalItem } from "./domain/permissions/ApprovalItem.ts"
export type { CheckedTaskList } from "./services/pipeline/Planner.ts"
export { UnknownTool } from "./services/conversation/AskSession.ts"
export { ConversationClosed } from "./services/conversation/MessageQueue.ts"
export { BriefingError } from "./services/pipeline/Briefer.ts"
export { WorkspaceError } from "./services/files/Workspace.ts"
export { McpProblem, PluginProblem } from "./services/tools/PluginProblem.ts"
export type { ConductorError } from "./library/ConductorError.ts"
export {
  ask,
  type AskHandle,
  type AskOptions,
  type Conversation,
  conversations,
  openConversation
} from "./library/run.ts"
export type { ConversationSummary } from "./domain/conversation/Conversation.ts"
export type { ScriptOptions } from "./library/scriptOptions.ts"

/**
 * Checks the text of a document without a model and without a project. `checkInProject` also compares the document with
 * a project. "task-conductor/check" offers the same function.
 *
 * @example
 * ```ts
 * import { check } from "task-conductor"
 *
 * if (check(await (await fetch("https://example.com/plan.md")).text()).verdict === "rejected") process.exitCode = 1
 * ```
 */
export const check = (text: string, request: CheckRequest = {}): CheckReport => {
  const { kind = "task-list", ...others } = checkRequestOf(request)
  return checkDocument(kind, text, others)
}
