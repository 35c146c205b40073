/**
 * The door for plugin authors, imported as "task-conductor/plugin": everything that a package of tools needs.
 */
export { type Access, type CanonicalAccess } from "./domain/tools/Access.ts"
export { EffectClass, Risk } from "./domain/tools/Risk.ts"
export { Arguments, ToolErrorType } from "./domain/tools/ToolCall.ts"
export { ToolFailure } from "./domain/tools/ToolFailure.ts"
export { type CanonicalCommand, Commands } from "./services/commands/Commands.ts"
export { FileReads } from "./services/plugins/FileReads.ts"
export { PageFetch } from "./services/plugins/PageFetch.ts"
export {
  definePlugin,
  type HostServices,
  type Plugin,
  pluginApiVersion,
  PluginTools,
  type Tool,
  tool,
  type Tools
} from "./services/plugins/Plugin.ts"
export { Workspace } from "./services/files/Workspace.ts"
