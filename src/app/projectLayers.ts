/**
 * The layers that runs and conversations share: the project, the gate, the tools and skills, and where events go. Part
 * of the composition root.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { type RecordedEvent, isFleeting, isSignOfLife } from "../domain/runs/RunEvent.ts"
import { unfetchable } from "../domain/web/Unfetchable.ts"
import { Approver } from "../services/approvals/Approver.ts"
import { layerTerminal } from "../services/approvals/TerminalApprover.ts"
import { Commands } from "../services/commands/Commands.ts"
import { commandPlugins } from "../services/plugins/CommandTools.ts"
import { layerDurable } from "../services/journal/DurableApprover.ts"
import { hostAndPort } from "../services/web/FetchTarget.ts"
import { Gate } from "../services/permissions/Gate.ts"
import type { GateOptions } from "../services/permissions/PolicyEvaluator.ts"
import { Journal } from "../services/journal/Journal.ts"
import type { JournalError } from "../services/journal/JournalError.ts"
import type { LockTaken, LockUnavailable } from "../services/files/Lock.ts"
import { McpPlugins } from "../services/mcp/McpPlugins.ts"
import type { McpProblem, PluginProblem } from "../services/plugins/PluginProblem.ts"
import type { ModelSlots } from "../services/models/ModelSlots.ts"
import type { Plugin } from "../services/plugins/Plugin.ts"
import { PluginPackages } from "../services/plugins/PluginPackages.ts"
import { Policies } from "../services/permissions/Policies.ts"
import { ProjectWriteLock } from "../services/permissions/ProjectWriteLock.ts"
import type { Replay } from "../services/history/Replay.ts"
import type { ResumeNotes } from "../services/history/ResumeNotes.ts"
import { layerUnsaved } from "../services/history/RunJournal.ts"
import { RunEvents } from "../services/runs/RunEvents.ts"
import { RunSettings } from "../services/runs/RunSettings.ts"
import { Skills } from "../services/skills/Skills.ts"
import { ToolRegistry } from "../services/tools/ToolRegistry.ts"
import type { UserFolders } from "../services/configuration/UserFolders.ts"
import type { Finish } from "../services/cluster/ClusterActivities.ts"
import type { Secrets } from "../services/cluster/WithoutSecrets.ts"
import type { UsageMeter } from "../services/runs/UsageMeter.ts"
import type { OwnService } from "../services/web/OwnServices.ts"
import { WebFetch } from "../services/web/WebFetch.ts"
import { Workspace } from "../services/files/Workspace.ts"
import { builtIns } from "./builtIns.ts"
import { version } from "./version.ts"
import type { Setup } from "./setup.ts"

/** What a worker provides for a cluster run. */
export interface WorkerPorts {
  /** Waits for the answers that come from other machines, which save them. */
  readonly answers: Layer.Layer<Approver>
  /** The slots of the model server, which all runs of the worker share. */
  readonly slots: Layer.Layer<ModelSlots>
  /** Counts what the run costs on all machines. */
  readonly meter: Layer.Layer<UsageMeter>
  readonly secrets: Secrets
  /** Runs a call, and lets it end when the work that it belongs to moves to another worker. */
  readonly finish: Finish
}

/** What a caller adds to the setup. */
export interface RunPorts {
  /** Receives every event, in order. */
  readonly listen: (recorded: RecordedEvent) => Effect.Effect<void>
  /** All steps are approved beforehand. */
  readonly approveSteps: boolean
  /** Steps and calls are approved beforehand, but for what only a person may allow. */
  readonly yes?: boolean
  /** Whether questions on the terminal have colours. */
  readonly isColoured?: boolean
  /** Who is asked; the terminal when absent. */
  readonly approver?: Layer.Layer<Approver>
  /** Takes the place of the model that the settings name. */
  readonly model?: Layer.Layer<LanguageModel.LanguageModel>
  /** Plugins as values, beside those that the setup names. */
  readonly plugins?: ReadonlyArray<Plugin>
  /** Nothing may be changed. */
  readonly readOnly?: boolean
  /** When the run began, in milliseconds, for one that another process began. */
  readonly since?: number | undefined
  /** What takes the place of model, tools, project and persons when a saved run is replayed. */
  readonly replay?: Pick<Replay, "activities" | "decisions" | "workspace">
  /** The tools of a replay that are not built in; plugins of the configuration are not loaded, and no server is started. */
  readonly recorded?: ReadonlyArray<Plugin>
  /** What a worker provides for cluster runs. */
  readonly worker?: WorkerPorts
  /** Where the run is saved; nothing is saved when absent. */
  readonly journal?: Layer.Layer<
    Journal | ResumeNotes,
    JournalError | LockTaken | LockUnavailable,
    FileSystem.FileSystem | Path.Path
  >
}

/**
 * Events are saved first, then published. Signs of life are only saved in a database, from which clients of a shared run read
 * them, and there only those that do not come every second.
 */
const layerEvents = ({ listen, worker }: RunPorts): Layer.Layer<RunEvents, never, Journal> =>
  Layer.unwrap(
    Effect.map(Journal, (journal) =>
      RunEvents.layerListener((recorded) =>
        isFleeting(recorded.event) || (worker === undefined && isSignOfLife(recorded.event))
          ? listen(recorded)
          : Effect.andThen(journal.tell(recorded.event), listen(recorded))
      )
    )
  )

/** The inputs of the gate of this setup. */
export const gateOptionsOf = ({ configuration, folders, rules, settings }: Setup): GateOptions => ({
  rules,
  unfetchable: (url) =>
    unfetchable(url, {
      allowed: configuration.fetchAllow ?? [],
      denied: settings.host === "" ? [] : [hostAndPort(new URL(settings.host))]
    }),
  /* The folder above that of the locks is the person's own state folder, with the key of their journals. */
  protectedPaths: [folders.own, folders.state, `${folders.locks}/..`]
})

/** The gate of this setup; it needs the project, the web and the saved permissions. */
const layerGate = (
  setup: Setup,
  approver: Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal>,
  { readOnly = false, since }: Pick<RunPorts, "readOnly" | "since"> = {}
) =>
  Gate.layer({ ...gateOptionsOf(setup), readOnly, ...(since === undefined ? {} : { since }) }).pipe(
    Layer.provide(approver)
  )

/** What the person allowed permanently. */
export const layerPolicies = ({ folders }: Setup) =>
  Layer.unwrap(
    Effect.map(Path.Path, (path) => Policies.layer(path.join(folders.own, "policies.json"), process.getuid?.()))
  )

/** What this program connects to itself. */
const servicesOf = ({ configuration: { mcpServers = {} }, settings: { host } }: Setup): ReadonlyArray<OwnService> => [
  ...(host === "" ? [] : [{ target: hostAndPort(new URL(host)), what: "model server" }]),
  ...Object.values(mcpServers).flatMap(({ url }) => {
    const parsed = url === undefined ? null : URL.parse(url)
    return parsed === null ? [] : [{ target: hostAndPort(parsed), what: "server of tools", isPublic: true }]
  })
]

/** The project, the web, and what the person allowed permanently. */
const layerWorld = (setup: Setup, replay?: RunPorts["replay"]) => {
  const { configuration, project, settings } = setup
  return Layer.mergeAll(
    replay?.workspace ?? Workspace.layer(project),
    WebFetch.layer({
      allowed: configuration.fetchAllow ?? [],
      services: servicesOf(setup),
      timeout: Duration.seconds(settings.limits.fetchSeconds)
    }),
    layerPolicies(setup)
  )
}

/** Commands in the sandbox, as this configuration says. */
export const layerCommands = (
  { home, locks, own, state }: Pick<UserFolders, "home" | "locks" | "own" | "state">,
  {
    commandEnvironment = [],
    limits,
    sandbox = {}
  }: Pick<Configuration, "commandEnvironment" | "limits" | "sandbox"> = {}
) =>
  /* Locks lie beside the runs that are saved where most are. */
  Commands.layer({
    environment: process.env,
    named: commandEnvironment,
    sandbox,
    home,
    hidden: [own, state, `${locks}/..`],
    ...(limits?.commandSeconds === undefined ? {} : { usualSeconds: limits.commandSeconds })
  })

/** What was found of plugins, and what of them cannot be used. */
interface PluginSource {
  readonly plugins: ReadonlyArray<Plugin>
  readonly problems: ReadonlyArray<PluginProblem | McpProblem>
}

/** The tools of the built-in plugins and of these sources, in this order. */
export const layerRegistry = (builtIns: ReadonlyArray<Plugin>, sources: ReadonlyArray<PluginSource>) =>
  ToolRegistry.layer(
    [...builtIns, ...sources.flatMap(({ plugins }) => plugins)],
    sources.flatMap(({ problems }) => problems)
  )

/** The skills of this setup that have a file. */
export const layerSkills = ({ folders: { config, home }, project }: Pick<Setup, "folders" | "project">) =>
  Skills.layer({ project, home, config })

/** Tools and skills; what has to be started for them passes the gate. */
const layerTools = (setup: Setup, { plugins: values = [], recorded }: Pick<RunPorts, "plugins" | "recorded">) => {
  const { configuration, folders, plugins, project, settings, tools } = setup
  const { config, home } = folders
  const layerServers = McpPlugins.layer({ project, own: configuration.mcpServers ?? {}, version })
  const registry = Effect.gen(function* () {
    const packages = yield* PluginPackages
    const servers = yield* McpPlugins
    const commands = yield* commandPlugins(project, tools)
    return layerRegistry(builtIns(settings.limits), [
      packages,
      commands,
      servers,
      { plugins: recorded ?? [], problems: [] }
    ])
  })
  return Skills.layerWithTools({ project, home, config }, settings.contextWindow).pipe(
    Layer.provideMerge(Layer.unwrap(registry)),
    Layer.provide(layerCommands(folders, configuration)),
    Layer.provideMerge(recorded === undefined ? layerServers : McpPlugins.layerNone),
    Layer.provideMerge(PluginPackages.layer({ entries: plugins, values }))
  )
}

/** Tools and skills without a run, for lists and checks; nobody is asked. `values` are plugins beside those of the setup. */
export const layerCatalogue = (setup: Setup, values: ReadonlyArray<Plugin> = []) =>
  layerTools(setup, { plugins: values }).pipe(
    Layer.provideMerge(layerGate(setup, Approver.layerNotAsked)),
    Layer.provide(ProjectWriteLock.layerHeld),
    Layer.provideMerge(Layer.merge(layerWorld(setup), RunEvents.layerSilent))
  )

/** Tools, gate and project, which runs and conversations share. `lock` decides who may change the project, and when. */
export const layerProject = (
  setup: Setup,
  ports: RunPorts,
  lock: Layer.Layer<ProjectWriteLock, never, FileSystem.FileSystem | Path.Path>
) => {
  const style = { bell: setup.configuration.bell ?? true, isColoured: ports.isColoured ?? false }
  const asked = ports.worker?.answers ?? layerDurable(ports.approver ?? layerTerminal(style))
  const approver = ports.approveSteps ? Approver.layerApproveSteps(asked) : asked
  return layerTools(setup, ports).pipe(
    Layer.provideMerge(layerGate(setup, ports.yes === true ? Approver.layerYes(asked) : approver, ports)),
    Layer.provideMerge(
      Layer.mergeAll(layerWorld(setup, ports.replay), layerEvents(ports), RunSettings.layer(setup.settings), lock)
    ),
    Layer.provideMerge(ports.journal ?? layerUnsaved)
  )
}
