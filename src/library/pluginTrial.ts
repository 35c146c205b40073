/**
 * Tests a plugin without a run: lists what task-conductor would reject, or runs one tool call. The plugin is loaded
 * with the built-in plugins, behind the real gate. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { fileURLToPath } from "node:url"
import type { PluginConfig } from "../domain/configuration/Configuration.ts"
import { issueText } from "../domain/findings/Issue.ts"
import { type Rule, parseRule } from "../domain/permissions/Permission.ts"
import { type Arguments, type ToolCall, type ToolResult, builtInOrigin } from "../domain/tools/ToolCall.ts"
import { Activities } from "../services/journal/Activities.ts"
import { Journal } from "../services/journal/Journal.ts"
import { Approver } from "../services/approvals/Approver.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { Gate } from "../services/permissions/Gate.ts"
import { ProjectWriteLock } from "../services/files/ProjectWriteLock.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import { putFiles } from "../app/trialSetup.ts"
import { layerCommands, layerRegistry, layerWeb } from "../app/layers.ts"
import { PluginPackages } from "../services/plugins/PluginPackages.ts"
import { providersOf } from "../services/plugins/PluginProviders.ts"
import type { PluginProblem } from "../services/tools/PluginProblem.ts"
import { leavesMachine } from "../app/providers.ts"
import { Skills } from "../services/skills/Skills.ts"
import type { SecretReader } from "../services/plugins/Secrets.ts"
import { RunAnswers } from "../services/permissions/RunAnswers.ts"
import { Policies } from "../services/permissions/Policies.ts"
import { RunEvents } from "../services/runs/RunEvents.ts"
import { ToolRegistry } from "../services/tools/ToolRegistry.ts"
import { ToolRunner } from "../services/tools/ToolRunner.ts"
import { environmentVariable, userFolders } from "../services/configuration/UserFolders.ts"
import { Workspace } from "../services/files/Workspace.ts"

/** A plugin object, or the `file:` URL of its module. */
export type PluginSource = Plugin | URL

/** Configuration and secrets for the plugin under test. */
export interface PluginTrial {
  /** The configuration of the plugin, as the user would write it. The plugin's schema checks it. */
  readonly config?: PluginConfig
  /** Values of declared secrets. Other secrets come from the environment. */
  readonly secrets?: Readonly<Record<string, string>>
}

/** Files and rules for one tool call. */
export interface ToolTrial extends PluginTrial {
  /** Texts of files by their paths in the temporary project. */
  readonly files?: Readonly<Record<string, string>>
  /** An existing project folder. Default: a temporary one. */
  readonly project?: string
  /** Rules that allow calls, in the form `TOOL[:PATTERN]`. Without a rule, only safe calls run. */
  readonly allow?: ReadonlyArray<string>
}

const rulesOf = (texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) =>
    Effect.mapError(
      Effect.fromResult(parseRule("allow", text)),
      (what) => new ConfigurationError({ source: "allow", problems: [{ what }] })
    )
  )

const trialSecret =
  (values: Readonly<Record<string, string>>): SecretReader =>
  (name) =>
    Effect.map(environmentVariable(name), (value) => {
      const secret = Object.hasOwn(values, name) ? values[name] : value
      if (secret !== undefined) return Result.succeed(secret)
      return Result.fail(`pass { secrets: { ${name}: "..." } }, or set the environment variable ${name}`)
    })

interface TrialPlace {
  readonly source: PluginSource
  readonly trial: ToolTrial
  readonly project: string
  readonly rules: ReadonlyArray<Rule>
}

/** The services that a tool needs in this project. */
const layerTrial = ({ project, rules, source, trial: { config, secrets = {} } }: TrialPlace) => {
  const from = "the options of the test"
  const set = config === undefined ? {} : { configuration: { value: config, source: from, path: ["config"] } }
  const order =
    source instanceof URL
      ? { entries: [{ text: fileURLToPath(source), scope: "given" as const, folder: project, ...set }], values: [] }
      : { entries: [], values: [{ ...source, ...set }] }
  return ToolRunner.layer().pipe(
    Layer.provideMerge(Layer.unwrap(Effect.map(PluginPackages, (packages) => layerRegistry([packages])))),
    Layer.provideMerge(PluginPackages.layer({ ...order, secret: trialSecret(secrets) })),
    Layer.provide(Layer.unwrap(Effect.map(userFolders(project), (folders) => layerCommands(folders)))),
    Layer.provideMerge(Gate.layer({ rules })),
    Layer.provide(
      Layer.mergeAll(
        Workspace.layer(project),
        layerWeb({}),
        Policies.layerMemory(),
        Approver.layerDenyAll,
        Activities.layerUnsaved,
        Journal.layerNone,
        RunEvents.layerSilent,
        ProjectWriteLock.layerHeld
      )
    )
  )
}

const makeProject = Effect.fnUntraced(function* ({ files = {}, project }: ToolTrial) {
  const fs = yield* FileSystem.FileSystem
  const folder = project ?? (yield* fs.makeTempDirectoryScoped({ prefix: "task-conductor-plugin-" }))
  yield* putFiles(folder, files)
  return folder
})

/** Checks each tool's example like a call of a model, but runs no tool. */
const exampleProblems = Effect.fnUntraced(function* (registry: ToolRegistry["Service"]) {
  const pluginTools = registry.tools.filter((tool) => tool.origin !== builtInOrigin)
  const problems = yield* Effect.forEach(pluginTools, ({ example, name }) => {
    const call: ToolCall = { uid: "example", name, arguments: example }
    const { issues } = registry.check(call, new Set([name]))
    const prepared: Effect.Effect<ReadonlyArray<string>> =
      issues.length > 0
        ? Effect.succeed(issues.map(issueText))
        : Effect.match(registry.prepare(call), { onSuccess: () => [], onFailure: ({ message }) => [message] })
    return Effect.map(prepared, (all) => all.map((text) => `the example of "${name}": ${text}`))
  })
  return { hasTools: pluginTools.length > 0, problems: problems.flat() }
})

/** Reads the plugin's skills beside the shipped skills, as a run does. */
const skillProblems = Effect.fnUntraced(function* (project: string) {
  const { skillFolders } = yield* PluginPackages
  const folders = { project, home: project, config: project, plugins: skillFolders }
  const { all, notes } = yield* Effect.provide(Skills, Skills.layer(folders, leavesMachine))
  return { hasSkills: all.some(({ origin }) => origin === "plugin"), problems: notes }
})

/** True for a plugin with more than tools and skills. */
const bringsMore = ({ approver, commands = {}, discover, listener, providers = [], web }: Plugin): boolean =>
  typeof providers === "function" ||
  providers.length > 0 ||
  Object.keys(commands).length > 0 ||
  [approver, discover, listener, web].some(Predicate.isNotUndefined)

const onlyProblem = { onFailure: (problem: PluginProblem) => [problem], onSuccess: () => [] }

/** The problems of a plugin, one sentence each. Runs no tool. */
export const pluginProblems = Effect.fn("pluginProblems")(function* (source: PluginSource, trial: PluginTrial) {
  const fs = yield* FileSystem.FileSystem
  const project = yield* makeProject({})
  return yield* Effect.gen(function* () {
    const registry = yield* ToolRegistry
    const touched = (yield* fs.readDirectory(project)).length > 0
    const examples = yield* exampleProblems(registry)
    const skills = yield* skillProblems(project)
    const { plugins } = yield* PluginPackages
    const brings = examples.hasTools || skills.hasSkills || plugins.some(bringsMore)
    const isEmpty = registry.problems.length === 0 && !brings
    const problems = [...registry.problems, ...plugins.map(providersOf).flatMap(Result.match(onlyProblem))]
    return [
      ...new Set(problems.map((problem) => problem.message)),
      ...(touched ? ["the plugin changes the project while it loads"] : []),
      ...(isEmpty ? ["the plugin has no tools"] : []),
      ...examples.problems,
      ...skills.problems
    ]
  }).pipe(Effect.provide(layerTrial({ source, trial, project, rules: [] })))
}, Effect.scoped)

/** Runs one tool call and returns its result. Fails if the plugin or a rule cannot be used. */
export const runOneTool = Effect.fn("runOneTool")(function* (
  source: PluginSource,
  call: { readonly name: string; readonly arguments: Arguments },
  trial: ToolTrial
) {
  const rules = yield* rulesOf(trial.allow ?? [])
  const project = yield* makeProject(trial)
  return yield* Effect.gen(function* () {
    const { problems } = yield* ToolRegistry
    const problem = problems.find(({ isUsed }) => isUsed !== true)
    if (problem !== undefined) return yield* problem
    const runner = yield* ToolRunner
    const id = { round: 1, task: "Test", uid: "call" }
    const result: ToolResult = yield* runner.run(id, { uid: id.uid, ...call }, "project")
    const denied = (yield* (yield* RunAnswers).denials).at(-1)
    return result.error_type === "permission_denied" && denied?.rules !== undefined
      ? { ...result, error_message: `${denied.forModel} In a test: allow: ${JSON.stringify(denied.rules)}.` }
      : result
  }).pipe(Effect.provide(layerTrial({ source, trial, project, rules })))
}, Effect.scoped)
