/**
 * The entry point for programs written with Effect, imported as "task-conductor/effect": the conductor, its parts as layers, and the
 * errors and events of its work. docs/reference/programs.md shows how they compose.
 */
export { Conductor, type ConductorSettings, type StartedAsk } from "./library/Conductor.ts"
export type { CheckRequest } from "./domain/documents/CheckRequest.ts"
export type { ConductorError } from "./library/ConductorError.ts"
export type { Conversing } from "./library/Conversing.ts"
export type { StartedRun } from "./library/StartedRun.ts"
export type { AskRequest, RequestMaterial, RunRequest, WithValue } from "./library/requests.ts"
export type { ProgramPlugin, ProgramSettings } from "./library/programSettings.ts"

/** The parts of a conductor. */
export {
  Approvals,
  Host,
  Models,
  ProgramSkills as Skills,
  ProgramTools as Tools,
  SavedRuns as Journal
} from "./library/conductorParts.ts"
export { aiSdkModel, type AiSdkModel, type ModelFunction } from "./library/functionModel.ts"
export type { AnswerQuestion, ApprovalAnswer, ApprovalRequest, Approve, Arbitrate } from "./app/callbackApprover.ts"
export { Approver } from "./services/approvals/Approver.ts"
export { tool } from "./services/tools/Tool.ts"
export { ToolFailure } from "./domain/tools/ToolCall.ts"

/** The events and reports of work. */
export type { FlatEvent } from "./domain/runs/RunEvent.ts"
export { AskReport, exitCodeOf, RunReport, RunStatus } from "./domain/runs/RunReport.ts"
export type { CheckReport, DocumentKind, FixedDocument } from "./domain/documents/CheckReport.ts"

/** The errors of work. */
export { ModelUnchosen } from "./app/ModelUnchosen.ts"
export { TaskNotFound } from "./domain/history/RunEvidence.ts"
export { ModelError } from "./domain/models/ModelAnswer.ts"
export { RuleWithoutTool } from "./domain/permissions/RuleWithoutTool.ts"
export { NoValidPlan, UnknownSkill } from "./domain/runs/RunOrder.ts"
export { ConfigurationError } from "./services/configuration/ConfigurationError.ts"
export { UnknownTool } from "./services/conversation/AskSession.ts"
export { ConversationClosed } from "./services/conversation/MessageQueue.ts"
export { LockTaken, LockUnavailable } from "./services/files/ProcessLock.ts"
export { WorkspaceError } from "./services/files/Workspace.ts"
export { RunNotFound } from "./services/history/RunStore.ts"
export { JournalError } from "./services/journal/JournalError.ts"
export { PromptTemplateError } from "./services/models/Prompts.ts"
export { NoToolSupport } from "./services/models/ToolSupport.ts"
export { BriefingError } from "./services/pipeline/Briefer.ts"
export { McpProblem, PluginProblem } from "./services/tools/PluginProblem.ts"
