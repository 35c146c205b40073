/**
 * The door for tests, imported as "task-conductor/testing": a model that says what a script tells it, gates that answer
 * by themselves, a contract test for plugins, and a way to run one tool, for people who do not write Effect.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import type { Arguments, ToolResult } from "./domain/ToolCall.ts"
import builtIns from "./plugins/builtIns.ts"
import { pluginProblems, type PluginSource, runOneTool, type ToolTrial } from "./services/PluginTrial.ts"

export type { ToolResult } from "./domain/ToolCall.ts"
export { Approver } from "./services/Approver.ts"
export type { PluginSource, ToolTrial } from "./services/PluginTrial.ts"
export { HeldCalls, ScriptedModel } from "./services/ScriptedModel.ts"
export { Workspace } from "./services/Workspace.ts"

/**
 * Finds what is wrong with a plugin; an empty list means that the host uses it. Checks the version of the interface,
 * names, descriptions, that parameters have a JSON schema, that every example is a call that could be made, and that
 * loading touches nothing: for a URL also the import. Runs no tool.
 */
export const checkPlugin = (plugin: PluginSource): Promise<ReadonlyArray<string>> =>
  pluginProblems(plugin, builtIns).pipe(Effect.provide(NodeServices.layer), Effect.runPromise)

/**
 * Runs one tool as a task of a run would, behind the gate, and gives the result envelope, whatever happens to the call.
 * Rejects when the host would not use the plugin at all.
 */
export const runTool = (
  plugin: PluginSource,
  name: string,
  given: Arguments = {},
  trial: ToolTrial = {}
): Promise<ToolResult> =>
  runOneTool(plugin, builtIns, { name, arguments: given }, trial).pipe(
    Effect.provide(NodeServices.layer),
    Effect.runPromise
  )
