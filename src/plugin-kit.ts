/**
 * The door for plugin authors, imported as "task-conductor/plugin": everything that a package of tools needs.
 */
export { type Access, type CanonicalAccess } from "./domain/Access.ts"
export { EffectClass, Risk } from "./domain/Permission.ts"
export { Arguments, ToolErrorType } from "./domain/ToolCall.ts"
export { ToolFailure } from "./domain/ToolFailure.ts"
export { type CanonicalCommand, Commands } from "./services/Commands.ts"
export { FileReads } from "./services/FileReads.ts"
export { PageFetch } from "./services/PageFetch.ts"
export {
  definePlugin,
  type HostServices,
  type Plugin,
  pluginApiVersion,
  PluginTools,
  type Tool,
  tool,
  type Tools
} from "./services/Plugin.ts"
export { Workspace } from "./services/Workspace.ts"
