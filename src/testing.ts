/**
 * The entry point for tests, imported as "task-conductor/testing": a model that says what a script tells it, gates that
 * answer by themselves, a contract test for plugins, a way to run one tool, and the tests of a skill, for people who do
 * not write Effect.
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
 * Finds what is wrong with a plugin; an empty list means that the host uses it. Checks the version of the interface,
 * names, descriptions, that parameters have a JSON schema, that every example is a call that could be made, and that
 * loading touches nothing: for a URL also the import. `trial` has what a configuration would set. Runs no tool.
 */
export const checkPlugin = (plugin: PluginSource, trial: PluginTrial = {}): Promise<ReadonlyArray<string>> =>
  pluginProblems(plugin, trial).pipe(onNode, Effect.runPromise)

/**
 * Runs one tool as a task of a run would, behind the gate, and gives the result envelope, whatever happens to the call.
 * Rejects when the host would not use the plugin at all.
 */
export const runTool = (
  plugin: PluginSource,
  name: string,
  given: Arguments = {},
  trial: ToolTrial = {}
): Promise<ToolResult> => runOneTool(plugin, { name, arguments: given }, trial).pipe(onNode, Effect.runPromise)

/** How tests of a skill run; `allow` holds rules as `TOOL[:PATTERN]` for calls that need more than the test's own project. */
export interface TestSkillOptions {
  /** Rules as `TOOL[:PATTERN]`; without them only the project of the test is read and written. */
  readonly allow?: ReadonlyArray<string>
  /** Plugins as values, beside the built-in tools. */
  readonly plugins?: ReadonlyArray<Plugin>
}

/** Runs the tests beside a SKILL.md. A test has passed when it has no problems. Rejects when the file cannot be read. */
export const testSkill = (path: string, options: TestSkillOptions = {}): Promise<ReadonlyArray<SkillTestResult>> =>
  Effect.gen(function* () {
    const rules = yield* Effect.forEach(options.allow ?? [], (text) => Effect.fromResult(parseRule("allow", text)))
    return yield* runSkillTests(path, { rules, values: options.plugins ?? [] })
  }).pipe(onNode, Effect.runPromise)
