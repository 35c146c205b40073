/**
 * The entry point for tests, imported as "task-conductor/testing", for authors who do not write Effect. It contains a
 * scripted model, automatic approvers, a contract test for plugins, a function that runs one tool, and the tests of a
 * skill.
 */
import * as Effect from "effect/Effect"
import type { Arguments, ToolResult } from "./domain/tools/ToolCall.ts"
import {
  pluginProblems,
  type PluginSource,
  type PluginTrial,
  runOneTool,
  type ToolTrial
} from "./library/pluginTrial.ts"
import { parseRule } from "./domain/permissions/Permission.ts"
import type { Plugin } from "./services/tools/Plugin.ts"
import { onNode } from "./library/programSettings.ts"
import { type SkillTestResult, testSkill as runSkillTests } from "./plugins/check-tools/skillTests.ts"

export type { SkillTestResult } from "./plugins/check-tools/skillTests.ts"
export type { SkillTestProblem } from "./plugins/check-tools/SkillTest.ts"
export type { ToolResult } from "./domain/tools/ToolCall.ts"
export { Approver } from "./services/approvals/Approver.ts"
export type { PluginSource, PluginTrial, ToolTrial } from "./library/pluginTrial.ts"
export { HeldCalls, ScriptedModel } from "./services/providers/ScriptedModel.ts"
export { Workspace } from "./services/files/Workspace.ts"

/**
 * Finds the problems of a plugin. The list is empty if the program accepts the plugin. Checks the interface version,
 * names, descriptions, JSON schemas of parameters and examples. Also checks that loading has no side effects; for a
 * URL, loading includes the import. `trial` contains configuration and secrets. Runs no tool.
 */
export const checkPlugin = (plugin: PluginSource, trial: PluginTrial = {}): Promise<ReadonlyArray<string>> =>
  pluginProblems(plugin, trial).pipe(onNode, Effect.runPromise)

/**
 * Runs one tool behind the gate, as a task of a run does. Returns a result even if the tool fails. Rejects if the
 * program does not accept the plugin.
 */
export const runTool = (
  plugin: PluginSource,
  name: string,
  given: Arguments = {},
  trial: ToolTrial = {}
): Promise<ToolResult> => runOneTool(plugin, { name, arguments: given }, trial).pipe(onNode, Effect.runPromise)

/** What the tests beside a SKILL.md may use. */
export interface TestSkillOptions {
  /** Rules as `TOOL[:PATTERN]`. Without them, calls can only read and write the project of the test. */
  readonly allow?: ReadonlyArray<string>
  /** Plugins as values, in addition to the built-in tools. */
  readonly plugins?: ReadonlyArray<Plugin>
}

/** Runs the tests beside a SKILL.md. A test without problems has passed. Rejects if the file cannot be read. */
export const testSkill = (path: string, options: TestSkillOptions = {}): Promise<ReadonlyArray<SkillTestResult>> =>
  Effect.gen(function* () {
    const rules = yield* Effect.forEach(options.allow ?? [], (text) => Effect.fromResult(parseRule("allow", text)))
    return yield* runSkillTests(path, { rules, values: options.plugins ?? [] })
  }).pipe(onNode, Effect.runPromise)
