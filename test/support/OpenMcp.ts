/**
 * The servers of a project and of a person, started as a run starts them, behind the real gate.
 */
import * as Arr from "effect/Array"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { McpServerEntry } from "../../src/domain/configuration/McpServerEntry.ts"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import type { Arguments } from "../../src/domain/tools/ToolCall.ts"
import { builtIns } from "../../src/app/layers.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { layerNoCommands } from "./NoCommands.ts"
import { Gate } from "../../src/services/permissions/Gate.ts"
import { discoverServers } from "../../src/plugins/mcp/McpPlugins.ts"
import { Policies } from "../../src/services/permissions/Policies.ts"
import { ToolRegistry } from "../../src/services/tools/ToolRegistry.ts"
import { defaultSettings } from "../../src/services/runs/RunSettings.ts"
import { defaultLimits } from "../../src/domain/configuration/Limits.ts"
import type { CallLimits } from "../../src/services/tools/CallLimits.ts"
import { ToolRunner } from "../../src/services/tools/ToolRunner.ts"
import { EventLog } from "./EventLog.ts"
import { layerWorld } from "./layerWorld.ts"
import { callOf } from "./OpenTools.ts"
import { makeProject } from "./Project.ts"

export interface OpenMcp {
  /** Absolute; a project of its own when absent. */
  readonly project?: string
  /** The project's `.mcp.json`, written into a project of its own. */
  readonly file?: unknown
  readonly own?: Readonly<Record<string, McpServerEntry>>
  /** Denies everything when absent. */
  readonly approver?: Layer.Layer<Approver>
  /** Allows every call of a tool when absent, so that only starts are asked about. */
  readonly rules?: ReadonlyArray<Rule>
  readonly policies?: Layer.Layer<Policies>
  readonly limits?: Partial<CallLimits>
}

const callable = ["say", "erase", "look"].map((tool): Rule => ({ verdict: "allow", tool: `mcp__s__${tool}` }))

/** Starts the servers; they end with the scope. */
export const openMcp = Effect.fnUntraced(function* (given: OpenMcp = {}) {
  const text = typeof given.file === "string" ? given.file : JSON.stringify(given.file)
  const project = given.project ?? (yield* makeProject(given.file === undefined ? {} : { ".mcp.json": text }))
  const tools = Layer.unwrap(
    Effect.map(
      discoverServers({ project, settings: { ...defaultSettings, mcpServers: given.own ?? {} }, version: "0" }),
      ({ plugins, problems }) =>
        ToolRegistry.layer([builtIns, ...Arr.partition(plugins, ({ outcome }) => outcome)[0]], problems)
    )
  )
  const context = yield* ToolRunner.layer({ ...defaultLimits, ...given.limits }).pipe(
    Layer.provideMerge(tools),
    Layer.provideMerge(Gate.layer({ rules: given.rules ?? callable })),
    Layer.provideMerge(layerNoCommands),
    Layer.provideMerge(layerWorld(project, { ...given, approver: given.approver ?? Approver.layerDenyAll })),
    Layer.build
  )
  return yield* Effect.provideContext(
    Effect.gen(function* () {
      const runner = yield* ToolRunner
      const registry = yield* ToolRegistry
      /** Runs one call as task `T`; gives its data, or the kind of failure and the message. */
      const call = (name: string, args: Arguments = {}) =>
        Effect.map(runner.run({ round: 1, task: "T", uid: "call-1" }, callOf(name, args), "project"), (result) =>
          result.success ? result.data : [result.error_type, result.error_message]
        )
      const problems = registry.problems.map(({ message }) => message.replaceAll(project, "<project>"))
      const names = registry.tools.filter(({ origin }) => origin !== "built-in").map(({ name }) => name)
      const { events } = yield* EventLog
      return { project, registry, problems, names, call, events, gate: yield* Gate, policies: yield* Policies }
    }),
    context
  )
})

/** With these environment variables besides those that programs need. */
export const withEnvironment = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnv({ env: { PATH: process.env["PATH"] ?? "", ...env } })
  )
