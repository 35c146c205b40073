/**
 * Tools and their calls, the web, permissions and questions. Imported as "task-conductor/kit/tools". Every version may
 * change it, so only features, and packages of exactly this version, may import it.
 */

/* Tools and their calls. */
export { higherRisk, RunScript, type Start } from "../domain/tools/Access.ts"
export { badExit, ToolCall, ToolResult } from "../domain/tools/ToolCall.ts"
export { progressText } from "../domain/tools/ToolProgress.ts"
export { jsonSchemaParameters, parameterSchema } from "../domain/tools/ToolSchema.ts"
export { WaitingNotice } from "../services/plugins/WaitingNotice.ts"
export { revealedFiles } from "../services/tools/FileAccess.ts"
export { causeText, runIsolated } from "../services/tools/ForeignCode.ts"
export { originOf } from "../services/tools/PluginLoader.ts"
export { McpProblem } from "../services/tools/PluginProblem.ts"
export { ToolRegistry } from "../services/tools/ToolRegistry.ts"
export { ToolRunner } from "../services/tools/ToolRunner.ts"

/* The web. */
export {
  FetchFailure,
  fetchFailure,
  type OwnService,
  type Page,
  parseTarget,
  WebFetch
} from "../services/tools/WebFetch.ts"

/* Permissions and questions. */
export {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approve,
  type Arbitrate,
  layerCallback
} from "../app/callbackApprover.ts"
export { AnsweredBy } from "../domain/permissions/Answer.ts"
export { decide } from "../domain/permissions/Decision.ts"
export { parseRule, Rule } from "../domain/permissions/Permission.ts"
export type { Target } from "../domain/permissions/TargetPattern.ts"
export { itemDoes, unsaidArgumentsText } from "../domain/permissions/UnsaidArguments.ts"
export { denyAll, isStart } from "../services/approvals/Approver.ts"
export { Gate, mayShow, type OpenQuestion } from "../services/permissions/Gate.ts"
export {
  beforeRun,
  type GateQuestion,
  isForUser,
  PermissionDenied,
  userQuestionId,
  questionOfAccess,
  questionOfCall,
  SavedDenial
} from "../services/permissions/GateQuestion.ts"
export { ReadTexts } from "../services/permissions/ReadTexts.ts"
export { AnswerSnapshot, RunAnswers } from "../services/permissions/RunAnswers.ts"

/* Entries of MCP servers. */
export {
  entryKeys,
  isPersonalEntryKey,
  McpServerEntry,
  ownEntry,
  ProjectMcpServerEntry
} from "../domain/configuration/McpServerEntry.ts"
