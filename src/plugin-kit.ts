/**
 * The interface for authors of plugins, imported as "task-conductor/plugin". The tools in src/plugins/tools import
 * nothing else of this program. Other features also import src/kit. docs/reference/plugins.md explains the parts.
 */

/** Defining a plugin. */
export { definePlugin, type Plugin, type PluginParts, pluginApiVersion, PluginTools } from "./services/tools/Plugin.ts"
export type { ProviderSetup, ProviderSource } from "./services/tools/Plugin.ts"
export type { SecretNeed } from "./services/tools/PluginSettings.ts"
export { type Tool, tool, type Tools } from "./services/tools/Tool.ts"
export { toolkitPlugin, type ToolkitParts } from "./services/tools/ToolkitPlugin.ts"

/** The parts of a plugin beside tools. */
export type { Discovered, DiscoveredPlugin, Discovery, DiscoveryPlace } from "./services/tools/Plugin.ts"
export type { EventListener, ListenedWork, MetricSender, TakeEvent } from "./services/tools/EventListener.ts"
export type { PluginCommand, PluginCommands } from "./services/tools/PluginCommand.ts"
export type { LayerWeb, WebOptions } from "./services/tools/WebFetch.ts"

/** Answering the questions of runs. */
export type { AnyAnswer, Answered } from "./domain/permissions/Answer.ts"
export { ApprovalItem } from "./domain/permissions/ApprovalItem.ts"
export { Approver } from "./services/approvals/Approver.ts"

/** The declarations, inputs and failures of a tool. */
export { type CallContext, type HostFunctions } from "./services/tools/CallContext.ts"
export { type PluginSetup, type ToolSource } from "./services/tools/ToolSource.ts"
export { type SchemaSource, type StandardJsonSchema, type ValueOf } from "./domain/tools/SchemaSource.ts"
export { FileKind } from "./domain/files/FileKind.ts"
export { type Access, type CanonicalAccess } from "./domain/tools/Access.ts"
export { EffectClass, Risk } from "./domain/tools/Access.ts"
export { Arguments, ToolErrorType, ToolFailure } from "./domain/tools/ToolCall.ts"
export { type OutputFile, type OutputImage, ToolOutput } from "./domain/tools/ToolOutput.ts"
export { CommandLine } from "./domain/commands/CommandText.ts"
export { commandSeconds } from "./domain/commands/CommandSettings.ts"
export { secondsOfTool } from "./services/tools/CallLimits.ts"
export { ToolLimits } from "./services/tools/ToolLimits.ts"
export type { TextEdit } from "./domain/files/TextEdit.ts"
export type { LineRange } from "./domain/text/LineRange.ts"

/** The parts of a model provider, and the settings of its calls. */
export type { ModelCapacity } from "./domain/models/ContextWindow.ts"
export type { ModelAbilities } from "./domain/models/InstalledModel.ts"
export type { ModelFacts, ModelServer, Provider, ServerLocation } from "./services/providers/Provider.ts"
export { type Bound, CallOptions, type CallSettings } from "./services/providers/CallOptions.ts"
export type { ModelOptions } from "./services/providers/Provider.ts"
export { ModelError } from "./domain/models/ModelAnswer.ts"

/** The services of the program. */
export { type CanonicalCommand, Commands, runGranted } from "./services/commands/Commands.ts"
export {
  type CallQuestion,
  CallQuestions,
  FileReads,
  type HostServices,
  PageFetch
} from "./services/tools/HostServices.ts"
export { isFileAt, Workspace } from "./services/files/Workspace.ts"

/** Fitting texts and lists to the window of a model, and messages that the model can act on. */
export { changePreview } from "./domain/files/ChangePreview.ts"
export {
  foldersOf,
  nearestHint,
  nearestPaths,
  fitTree,
  type TreeBudget,
  withoutEscapes
} from "./domain/files/PathList.ts"
export { fitLines, type LinePlace } from "./domain/text/Excerpt.ts"
export { numberLines } from "./domain/text/NumberedLines.ts"
export { encodingName, encodingNote } from "./domain/text/TextEncoding.ts"

/** Searching files. */
export { languageOf } from "./domain/files/Language.ts"
export { chooseRows, type SearchRows } from "./domain/excerpts/SearchRank.ts"
export { enclosingNames, hasNames } from "./domain/excerpts/EnclosingLines.ts"
export {
  findMatches,
  type LineMatch,
  type SearchPattern,
  searchPattern,
  showMatches
} from "./domain/files/LineSearch.ts"
export { matchesGlob } from "./domain/files/PathList.ts"
export { type SkippedFile, skippedText } from "./domain/files/SkippedFiles.ts"
export { isSecretLike } from "./domain/files/SensitivePath.ts"

/** Receiving events. */
export { type ModelCallId, modelCallKey, type Stage, type ToolCallId, toolCallKey } from "./domain/runs/ActivityKey.ts"
export type { EventOf, RecordedEvent, RunEvent } from "./domain/runs/RunEvent.ts"
export { redactSecrets } from "./services/runs/KnownSecrets.ts"
export { dataText } from "./domain/tools/ToolCall.ts"
export { environmentVariable } from "./services/configuration/UserFolders.ts"

/** Providers of models on a server: requests, responses and failures. */
export { defaultLimits } from "./domain/configuration/Limits.ts"
export type { Sampling, Think } from "./domain/models/Generation.ts"
export type { InstalledModel } from "./domain/models/InstalledModel.ts"
export { counted } from "./domain/text/Format.ts"
export type { Spoken } from "./services/providers/ModelErrors.ts"
export {
  closedJsonSchema,
  sentId,
  sentMessages,
  sentTools,
  textOf,
  toolResultText
} from "./services/providers/PromptText.ts"
export { type ServerConnection, unknownFacts } from "./services/providers/Provider.ts"
export {
  badLine,
  badShape,
  brokenOff,
  endedForAnother,
  reportedError,
  ServerError
} from "./services/providers/ServerFailure.ts"
export { openQuestions } from "./services/providers/ServerQuestions.ts"
export { authorization, drain, linesOf, maxBytes, openAnswer } from "./services/providers/ServerTransport.ts"
export {
  finishPart,
  idOrNew,
  layerStreamed,
  makeBlocks,
  paramsOf,
  type PartReader,
  type Parts,
  type PromptOptions
} from "./services/providers/StreamedModel.ts"
