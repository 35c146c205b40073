/**
 * Composition root: chooses the implementation of each service, from the project to the pipeline. The services are for
 * runs, conversations, single stages and lists.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { hostAndPort, unfetchable } from "../domain/commands/NetworkAddress.ts"
import { stageModel, toolCallsFor } from "../domain/models/Generation.ts"
import { answerReserve } from "../domain/models/PromptSize.ts"
import { isHeartbeat, isTransient } from "../domain/runs/RunEvent.ts"
import { builtInOrigin } from "../domain/tools/ToolCall.ts"
import { Agent } from "../services/agent/Agent.ts"
import { Approver } from "../services/approvals/Approver.ts"
import { Checks } from "../services/checks/Checks.ts"
import { Commands } from "../services/commands/Commands.ts"
import type { UserFolders } from "../services/configuration/UserFolders.ts"
import { Asker } from "../services/conversation/Asker.ts"
import { Workspace } from "../services/files/Workspace.ts"
import { layerUnsaved } from "../services/history/JournalLayers.ts"
import { Activities } from "../services/journal/Activities.ts"
import { Journal } from "../services/journal/Journal.ts"
import { layerRecordedAnswers } from "../services/journal/RecordedAnswers.ts"
import { layerProjectChecks, layerProjectMap } from "../services/map/MapReader.ts"
import { ModelCaller } from "../services/models/ModelCaller.ts"
import { ModelSlots } from "../services/models/ModelSlots.ts"
import { Prompts } from "../services/models/Prompts.ts"
import { TokenCalibration } from "../services/models/TokenCalibration.ts"
import { ToolSupport } from "../services/models/ToolSupport.ts"
import { Gate } from "../services/permissions/Gate.ts"
import { Policies } from "../services/permissions/Policies.ts"
import type { GateOptions } from "../services/permissions/Policy.ts"
import { ProjectWriteLock } from "../services/files/ProjectWriteLock.ts"
import { Attempts } from "../services/pipeline/Attempts.ts"
import { Briefer } from "../services/pipeline/Briefer.ts"
import { PlanChecker } from "../services/pipeline/PlanChecker.ts"
import { Reviser } from "../services/pipeline/Reviser.ts"
import { layerRunFlow } from "../services/pipeline/RunFlow.ts"
import { Scheduler } from "../services/pipeline/Scheduler.ts"
import { TaskAgent } from "../services/pipeline/TaskAgent.ts"
import { ChangeApplier } from "../services/pipeline/ChangeApplier.ts"
import { Hooks, layerChangeGuard } from "../services/plugins/Hooks.ts"
import { PluginPackages } from "../services/plugins/PluginPackages.ts"
import { secretReaderOf } from "./ownPlugins.ts"
import { CurrentServer, layerCurrentServer, unknownFacts } from "../services/providers/Provider.ts"
import { leavesMachine, providerOf } from "./providers.ts"
import { Evidence } from "../services/references/Evidence.ts"
import { References } from "../services/references/References.ts"
import { RunEvents } from "../services/runs/RunEvents.ts"
import { defaultSettings, RunSettings, type Settings } from "../services/runs/RunSettings.ts"
import { UsageMeter } from "../services/runs/UsageMeter.ts"
import { Skills } from "../services/skills/Skills.ts"
import { commandPlugins } from "../services/tools/CommandTools.ts"
import { DiscoveredPlugins } from "../services/tools/Discovery.ts"
import { definePlugin, type Plugin, PluginTools } from "../services/tools/Plugin.ts"
import type { McpProblem, PluginProblem } from "../services/tools/PluginProblem.ts"
import { ToolRegistry } from "../services/tools/ToolRegistry.ts"
import { ToolLimits } from "../services/tools/ToolLimits.ts"
import { ToolRunner } from "../services/tools/ToolRunner.ts"
import { type LayerWeb, type OwnService, WebFetch } from "../services/tools/WebFetch.ts"
import { features } from "./features.ts"
import type { RunConditions, RunContext } from "./RunContext.ts"
import { addressOf, providerOfRun, readSetup, type Setup } from "./setup.ts"
import { version } from "./version.ts"

/** The servers that the program itself connects to. */
const ownServices = ({ host, mcpServers = {} }: Settings): ReadonlyArray<OwnService> => [
  ...(host === "" ? [] : [{ target: hostAndPort(new URL(host)), what: "model server" }]),
  ...Object.values(mcpServers).flatMap(({ url }) => {
    const parsed = url === undefined ? null : URL.parse(url)
    return parsed === null ? [] : [{ target: hostAndPort(parsed), what: "MCP server", isPublic: true }]
  })
]

export const layerWeb: LayerWeb = (options) =>
  features.find(({ web }) => web !== undefined)?.web?.(options) ?? WebFetch.layerNone

export const layerPolicies = ({ settings }: UserFolders) =>
  Layer.unwrap(
    Effect.map(Path.Path, (path) => Policies.layer(path.join(settings, "policies.json"), process.getuid?.()))
  )

/** The layers for the project, the web, and the user's permanent rules. */
const layerWorld = (
  { folders, project, settings }: Pick<Setup, "folders" | "project" | "settings">,
  replay?: RunConditions["replay"]
) =>
  Layer.mergeAll(
    replay?.workspace ?? Workspace.layer(project),
    layerWeb({
      allowed: settings.fetchAllow ?? [],
      services: ownServices(settings),
      timeout: Duration.seconds(settings.limits.fetchSeconds)
    }),
    layerPolicies(folders),
    layerProjectMap(process.env["PATH"] ?? ""),
    layerProjectChecks(process.env["PATH"] ?? "")
  )

/**
 * Saves events, then publishes them. Transient events, which come each second, are never saved. Heartbeats are saved
 * only in the database of a shared run, because its clients read them there.
 */
const layerEvents = (listen: RunContext["listen"], isShared: boolean): Layer.Layer<RunEvents, never, Journal> =>
  Layer.unwrap(
    Effect.map(Journal, (journal) =>
      RunEvents.layerListener((recorded) =>
        isTransient(recorded.event) || (!isShared && isHeartbeat(recorded.event))
          ? listen(recorded)
          : Effect.andThen(journal.enqueue({ type: "event", event: recorded.event }), listen(recorded))
      )
    )
  )

export const layerCommands = (
  { candidates, home, locks, settings, state }: UserFolders,
  {
    commandEnvironment = [],
    limits,
    sandbox = {}
  }: Pick<Settings, "commandEnvironment" | "limits" | "sandbox"> = defaultSettings
) =>
  /*
   * The folder above the locks is the user's usual state folder, which may differ from `state`. It is hidden as well.
   */
  Commands.layer({
    environment: process.env,
    named: commandEnvironment,
    sandbox,
    home,
    hidden: [settings, state, `${locks}/..`, ...candidates],
    caches: `${state}/caches`,
    scratch: `${state}/copies`,
    usualSeconds: limits.commandSeconds,
    limits
  })

/**
 * The tools of all features as one plugin. Its name marks tools as built-in, so `PluginPackages` rejects another plugin
 * with this name.
 */
export const builtIns: Plugin = definePlugin({
  name: builtInOrigin,
  tools: Effect.map(
    Effect.forEach(features, ({ tools }) => Effect.map(Layer.build(tools), Context.get(PluginTools))),
    (all) => Object.assign({}, ...all)
  )
})

/** The plugins from one source, such as packages, and the problems of unusable plugins. */
interface LoadedPlugins {
  readonly plugins: ReadonlyArray<Plugin>
  readonly problems: ReadonlyArray<PluginProblem | McpProblem>
}

/** The tools: first the built-in tools, then the tools from each source. */
export const layerRegistry = (sources: ReadonlyArray<LoadedPlugins>, limits?: Settings["limits"]) =>
  ToolRegistry.layer(
    [builtIns, ...sources.flatMap(({ plugins }) => plugins)],
    sources.flatMap(({ problems }) => problems)
  ).pipe(Layer.provide(limits === undefined ? Layer.empty : Layer.succeed(ToolLimits)(limits)))

/** The plugins that features discover, such as MCP servers. */
const layerDiscovered = ({ project, settings }: Pick<Setup, "project" | "settings">) =>
  Layer.effect(
    DiscoveredPlugins,
    Effect.gen(function* () {
      const searches = features.flatMap(({ discover }) => discover ?? [])
      const discovered = yield* Effect.forEach(searches, (discover) => discover({ project, settings, version }))
      return {
        plugins: discovered.flatMap(({ plugins }) => plugins),
        problems: discovered.flatMap(({ problems }) => problems),
        notes: discovered.flatMap(({ notes }) => notes)
      }
    })
  )

export const layerSkills = ({ folders: { config, home }, project }: Pick<Setup, "folders" | "project">) =>
  Skills.layer({ project, home, config }, leavesMachine)

/**
 * Tools and skills. The gate decides about the programs that tools start. `values` are plugin objects in addition to
 * the plugins of the setup. With `recorded` tools, as in a replay, no plugin is loaded and no server is started.
 */
const layerTools = (setup: Setup, values: ReadonlyArray<Plugin> = [], recorded?: ReadonlyArray<Plugin>) => {
  const { extensions, folders, project, settings } = setup
  const { hooks, plugins, tools } = extensions
  const { config, home } = folders
  const registry = Effect.gen(function* () {
    const packages = yield* PluginPackages
    const { plugins: found, problems: notFound } = yield* DiscoveredPlugins
    const plugins = found.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : []))
    const commands = yield* commandPlugins(project, tools)
    const { problems } = yield* Hooks
    const sources = [packages, commands, { plugins, problems: notFound }, { plugins: recorded ?? [], problems }]
    return layerRegistry(sources, settings.limits)
  })
  const skills = Effect.map(PluginPackages, ({ skillFolders }) =>
    Skills.layerWithTools({ project, home, config, plugins: skillFolders }, settings.contextWindow, leavesMachine)
  )
  return Layer.unwrap(skills).pipe(
    Layer.provideMerge(Layer.unwrap(registry)),
    Layer.provideMerge(layerChangeGuard),
    Layer.provideMerge(hooks === undefined || recorded !== undefined ? Hooks.layerNone : Hooks.layer(project, hooks)),
    Layer.provideMerge(layerCommands(folders, settings)),
    Layer.provideMerge(recorded === undefined ? layerDiscovered(setup) : DiscoveredPlugins.layerNone),
    Layer.provideMerge(PluginPackages.layer({ entries: plugins, values, secret: secretReaderOf(setup) }))
  )
}

/** The rules and paths with which the gate decides. */
export const gateOptionsOf = ({
  folders,
  rules,
  settings
}: Pick<Setup, "folders" | "rules" | "settings">): GateOptions => ({
  rules,
  ...(settings.askFirst === true ? { askFirst: true } : {}),
  unfetchable: (url) =>
    unfetchable(url, {
      allowed: settings.fetchAllow ?? [],
      denied: settings.host === "" ? [] : [hostAndPort(new URL(settings.host))]
    }),
  /*
   * The folder above the locks is the user's usual state folder. It contains the key that proves who wrote a journal.
   */
  protectedPaths: [folders.settings, folders.state, `${folders.locks}/..`]
})

/**
 * Answers the questions of a run: by flags, or otherwise by the approver. The journal records the approver's answers,
 * except in a shared run, whose database already has them.
 */
const layerAnswers = (
  {
    approver,
    approveSteps,
    uncertainAnswer,
    yes = false
  }: Pick<RunContext, "approver" | "approveSteps" | "uncertainAnswer" | "yes">,
  isShared: boolean
) => {
  const decided = uncertainAnswer === undefined ? approver : Approver.layerUncertain(uncertainAnswer)(approver)
  const asked = isShared ? decided : layerRecordedAnswers(decided)
  if (yes) return Approver.layerYes(asked)
  return approveSteps ? Approver.layerApproveSteps(asked) : asked
}

/** The layers that runs and conversations share: tools, gate and project. */
export const layerProject = (setup: Setup, context: RunContext, conditions: RunConditions = {}) => {
  const { journal = layerUnsaved, lock = ProjectWriteLock.layerHeld, readOnly, replay, since, worker } = conditions
  const isShared = worker !== undefined
  const gate = Gate.layer({ ...gateOptionsOf(setup), readOnly, since, uncertainNote: worker?.doubtNote })
  const world = Layer.mergeAll(
    layerWorld(setup, replay),
    layerEvents(context.listen, isShared),
    RunSettings.layer(setup.settings),
    lock
  )
  return layerTools(setup, context.plugins, replay?.recorded).pipe(
    Layer.provideMerge(Layer.provide(gate, layerAnswers(context, isShared))),
    Layer.provideMerge(world),
    Layer.provideMerge(journal)
  )
}

/**
 * The tools and skills, to list or check them outside a run. The user is never asked. `values` are plugin objects in
 * addition to the plugins of the setup.
 */
export const layerCatalogue = (setup: Setup, values: ReadonlyArray<Plugin> = []) =>
  layerTools(setup, values).pipe(
    Layer.provideMerge(Layer.provide(Gate.layer(gateOptionsOf(setup)), Approver.layerNotAsked)),
    Layer.provide(ProjectWriteLock.layerHeld),
    Layer.provideMerge(Layer.merge(layerWorld(setup), RunEvents.layerSilent))
  )

/** The tools, plugins and skills that a run in this project would have. */
export const readCatalogue = Effect.fn("readCatalogue")(function* (
  project: string,
  plugins: ReadonlyArray<string> = []
) {
  const setup = yield* readSetup(project, { plugins })
  return yield* Effect.gen(function* () {
    const { problems, tools } = yield* ToolRegistry
    const { known: packages } = yield* PluginPackages
    const { plugins: discovered, notes: notesOfFound } = yield* DiscoveredPlugins
    const { all, notes } = yield* Skills
    return {
      tools,
      problems,
      known: packages,
      found: discovered,
      notesOfFound,
      skills: all,
      notes: [...setup.folders.notes, ...notes]
    }
  }).pipe(Effect.provide(layerCatalogue(setup)))
})

/** The model object of a script, or else the model of the settings with the facts of its server. */
export const layerModel = (setup: Setup, value?: RunContext["model"]) => {
  const { configuration, models, settings } = setup
  const provider = providerOfRun(setup)
  /** A script's model object serves every model name. */
  const serves = (name: string) => value !== undefined || providerOf(name, models.providers) === provider
  const model =
    value ??
    provider.model({
      ...addressOf(setup),
      model: settings.model,
      contextWindow: settings.contextWindow,
      maxAnswerTokens: answerReserve(settings.contextWindow),
      keepAlive: configuration.keepAlive
    })
  const server =
    value !== undefined || provider.connect === undefined
      ? Layer.succeed(CurrentServer)({ facts: () => Effect.succeed(unknownFacts), serves })
      : layerCurrentServer(provider.connect(addressOf(setup)), { knownFacts: models.facts, serves })
  return Layer.merge(model, server)
}

/** A service that tells whether the server lets the model of a conversation call tools and see pictures. */
const layerToolSupport = (setup: Setup): Layer.Layer<ToolSupport> => {
  const { settings } = setup
  const model = stageModel(settings, "ask") ?? settings.model
  const { connect } = providerOfRun(setup)
  if (connect === undefined) return ToolSupport.layerBlind(model)
  const isNeeded = toolCallsFor(settings, "ask") === "native"
  return Layer.unwrap(
    Effect.map(connect(addressOf(setup)), (server) => ToolSupport.layerServer(server, model, isNeeded))
  )
}

/** What every model call needs, except the model and the services of the run. */
export const layerCalls = ({ replay, worker }: Pick<RunConditions, "replay" | "worker"> = {}) =>
  ModelCaller.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        worker?.slots ?? ModelSlots.layer,
        TokenCalibration.layer,
        worker?.meter ?? UsageMeter.layer,
        Prompts.layer
      )
    ),
    Layer.provideMerge(replay?.activities ?? Activities.layer)
  )

/** Reads material and checks changes, for tasks and messages. */
const layerMaterial = Layer.mergeAll(
  Briefer.layer,
  Checks.layer,
  Evidence.layer,
  References.layer,
  ToolRunner.layerSettings
)

/** Carries out tasks in this process. */
export const layerTasks = Layer.mergeAll(PlanChecker.layer, TaskAgent.layer, ChangeApplier.layer).pipe(
  Layer.provide(Agent.layer),
  Layer.provideMerge(Layer.merge(Attempts.layer, layerMaterial))
)

/** The pipeline from the prompt to the answer, without the layers that carry out tasks. */
export const layerPipeline = layerRunFlow.pipe(Layer.provide(Layer.merge(Reviser.layer, Scheduler.layer)))

export const layerRun = (setup: Setup, context: RunContext, conditions: RunConditions = {}) =>
  layerPipeline.pipe(
    Layer.provide(layerTasks),
    Layer.provide(layerCalls(conditions)),
    Layer.provide(layerModel(setup, context.model)),
    Layer.provide(conditions.replay?.decisions ?? Layer.effectContext(Effect.context<Gate | ToolRegistry>())),
    Layer.provideMerge(layerProject(setup, context, conditions))
  )

/** The single stages of a run. */
export const layerStages = (setup: Setup, context: RunContext, conditions: RunConditions) =>
  Reviser.layer.pipe(
    Layer.provideMerge(layerTasks),
    Layer.provideMerge(layerCalls()),
    Layer.provide(layerModel(setup, context.model)),
    Layer.provideMerge(layerProject(setup, context, conditions))
  )

/**
 * A conversation with the model of this setup. Tools and project are not part of this layer, because they stay open
 * when the model changes.
 */
export const layerAskModel = (setup: Setup, model: RunContext["model"]) =>
  Asker.layer.pipe(
    Layer.provide(Layer.merge(Agent.layer, ChangeApplier.layer)),
    Layer.provide(layerMaterial),
    Layer.provide(layerCalls()),
    Layer.provide(layerModel(setup, model)),
    Layer.provideMerge(model === undefined ? layerToolSupport(setup) : ToolSupport.layerAssumed),
    Layer.provide(RunSettings.layer(setup.settings))
  )

export const layerAsk = (setup: Setup, context: RunContext, conditions: RunConditions = {}) =>
  layerAskModel(setup, context.model).pipe(Layer.provideMerge(layerProject(setup, context, conditions)))
