/**
 * Composition root of what runs, conversations and checks share: the project, its tools and skills, and the gate.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { defaultLimits, type Limits } from "../domain/configuration/Limits.ts"
import { builtInOrigin } from "../domain/tools/ToolCall.ts"
import { builtInPlugin } from "../plugins/builtIns.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import { isHeartbeat, isTransient } from "../domain/runs/RunEvent.ts"
import { hostAndPort, unfetchable } from "../domain/commands/NetworkAddress.ts"
import { Approver } from "../services/approvals/Approver.ts"
import { Commands } from "../services/commands/Commands.ts"
import { commandPlugins } from "../services/tools/CommandTools.ts"
import { type OwnService, layerPublicWeb } from "../services/web/PublicWeb.ts"
import { Gate } from "../services/permissions/Gate.ts"
import { ProjectWriteLock } from "../services/permissions/ProjectWriteLock.ts"
import { layerRecordedAnswers } from "../services/journal/RecordedAnswers.ts"
import type { GateOptions } from "../services/permissions/Policy.ts"
import { Journal } from "../services/journal/Journal.ts"
import { layerProjectChecks, layerProjectMap } from "../services/map/MapReader.ts"
import { McpPlugins } from "../services/mcp/McpPlugins.ts"
import { Hooks, layerChangeHooks } from "../services/plugins/Hooks.ts"
import { PluginPackages } from "../services/plugins/PluginPackages.ts"
import { Policies } from "../services/permissions/Policies.ts"
import { layerUnsaved } from "../services/history/RunJournal.ts"
import { RunEvents } from "../services/runs/RunEvents.ts"
import { defaultSettings, RunSettings, type Settings } from "../services/runs/RunSettings.ts"
import { Skills } from "../services/skills/Skills.ts"
import type { McpProblem, PluginProblem } from "../services/tools/PluginProblem.ts"
import { ToolRegistry } from "../services/tools/ToolRegistry.ts"
import { type CallLimits, secondsOfTool } from "../services/tools/ToolRunner.ts"
import type { UserFolders } from "../services/configuration/UserFolders.ts"
import { Workspace } from "../services/files/Workspace.ts"
import { version } from "./version.ts"
import type { RunContext } from "./RunContext.ts"
import { type Setup, readSetup } from "./setup.ts"
import { leavesMachine } from "../services/providers/providers.ts"

/**
 * The plugins in `src/plugins`, marked as built in. The mark is their name, which is given here and nowhere else:
 * `PluginPackages` leaves out every other plugin of this name.
 */
export const builtIns = (
  limits: Pick<Limits, "commandSeconds" | "fetchSeconds" | "readFileBytes"> & Partial<CallLimits> = defaultLimits
): ReadonlyArray<Plugin> => {
  const { commandSeconds, fetchSeconds, readFileBytes } = limits
  const { name: setting, value: seconds } = secondsOfTool({ ...defaultLimits, ...limits }, "search_files")
  const searchTime = { seconds, setting }
  return [builtInPlugin(builtInOrigin, { commandSeconds, fetchSeconds, maxFileBytes: readFileBytes, searchTime })]
}

/**
 * Events are saved first, then published. Heartbeats are only saved in a database, from which clients of a shared run read
 * them, and there only those that do not come every second.
 */
const layerEvents = ({ listen, worker }: RunContext): Layer.Layer<RunEvents, never, Journal> =>
  Layer.unwrap(
    Effect.map(Journal, (journal) =>
      RunEvents.layerListener((recorded) =>
        isTransient(recorded.event) || (worker === undefined && isHeartbeat(recorded.event))
          ? listen(recorded)
          : Effect.andThen(journal.enqueue({ type: "event", event: recorded.event }), listen(recorded))
      )
    )
  )

/** The inputs of the gate of this setup. */
export const gateOptionsOf = ({ folders, rules, settings }: Setup): GateOptions => ({
  rules,
  ...(settings.askFirst === true ? { askFirst: true } : {}),
  unfetchable: (url) =>
    unfetchable(url, {
      allowed: settings.fetchAllow ?? [],
      denied: settings.host === "" ? [] : [hostAndPort(new URL(settings.host))]
    }),
  /* The folder above that of the locks is the person's own state folder, with the key of their journals. */
  protectedPaths: [folders.own, folders.state, `${folders.locks}/..`]
})

/** The gate of this setup; it needs the project, the web and the saved permissions. */
const layerGate = <R>(
  setup: Setup,
  approver: Layer.Layer<Approver, never, R>,
  { readOnly = false, since, worker }: Pick<RunContext, "readOnly" | "since" | "worker"> = {}
) =>
  Gate.layer({ ...gateOptionsOf(setup), readOnly, since, doubtNote: worker?.doubtNote }).pipe(Layer.provide(approver))

/** What the person allowed permanently. */
export const layerPolicies = ({ folders }: Setup) =>
  Layer.unwrap(
    Effect.map(Path.Path, (path) => Policies.layer(path.join(folders.own, "policies.json"), process.getuid?.()))
  )

/** What this program connects to itself. */
const servicesOf = ({ settings: { host, mcpServers = {} } }: Setup): ReadonlyArray<OwnService> => [
  ...(host === "" ? [] : [{ target: hostAndPort(new URL(host)), what: "model server" }]),
  ...Object.values(mcpServers).flatMap(({ url }) => {
    const parsed = url === undefined ? null : URL.parse(url)
    return parsed === null ? [] : [{ target: hostAndPort(parsed), what: "MCP server", isPublic: true }]
  })
]

/** The project, the web, and what the person allowed permanently. */
const layerWorld = (setup: Setup, replay?: RunContext["replay"]) => {
  const { project, settings } = setup
  return Layer.mergeAll(
    replay?.workspace ?? Workspace.layer(project),
    layerPublicWeb({
      allowed: settings.fetchAllow ?? [],
      services: servicesOf(setup),
      timeout: Duration.seconds(settings.limits.fetchSeconds)
    }),
    layerPolicies(setup),
    layerProjectMap(process.env["PATH"] ?? ""),
    layerProjectChecks(process.env["PATH"] ?? "")
  )
}

/** Commands in the sandbox, as this configuration says. */
export const layerCommands = (
  { candidates, home, locks, own, state }: UserFolders,
  {
    commandEnvironment = [],
    limits,
    sandbox = {}
  }: Pick<Settings, "commandEnvironment" | "limits" | "sandbox"> = defaultSettings
) =>
  /* Locks lie beside the runs that are saved where most are. */
  Commands.layer({
    environment: process.env,
    named: commandEnvironment,
    sandbox,
    home,
    hidden: [own, state, `${locks}/..`, ...candidates],
    caches: `${state}/caches`,
    scratch: `${state}/copies`,
    usualSeconds: limits.commandSeconds,
    limits
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
  Skills.layer({ project, home, config }, leavesMachine)

/** Tools and skills; what has to be started for them passes the gate. */
const layerTools = (setup: Setup, { plugins: values = [], recorded }: Pick<RunContext, "plugins" | "recorded">) => {
  const { folders, hooks, plugins, project, settings, tools } = setup
  const { config, home } = folders
  const layerServers = McpPlugins.layer({ project, own: settings.mcpServers ?? {}, version })
  const registry = Effect.gen(function* () {
    const packages = yield* PluginPackages
    const servers = yield* McpPlugins
    const commands = yield* commandPlugins(project, tools)
    const { problems } = yield* Hooks
    return layerRegistry(builtIns(settings.limits), [
      packages,
      commands,
      servers,
      { plugins: recorded ?? [], problems }
    ])
  })
  return Skills.layerWithTools({ project, home, config }, settings.contextWindow, leavesMachine).pipe(
    Layer.provideMerge(Layer.unwrap(registry)),
    Layer.provideMerge(layerChangeHooks),
    Layer.provideMerge(hooks === undefined || recorded !== undefined ? Hooks.layerNone : Hooks.layer(project, hooks)),
    Layer.provideMerge(layerCommands(folders, settings)),
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
  context: RunContext,
  lock: Layer.Layer<ProjectWriteLock, never, FileSystem.FileSystem | Path.Path>
) => {
  const decided =
    context.inDoubt === undefined ? context.approver : Approver.layerInDoubt(context.inDoubt)(context.approver)
  /* Answers from other machines are saved there. */
  const asked = context.worker === undefined ? layerRecordedAnswers(decided) : decided
  const approver = context.approveSteps ? Approver.layerApproveSteps(asked) : asked
  return layerTools(setup, context).pipe(
    Layer.provideMerge(layerGate(setup, context.yes === true ? Approver.layerYes(asked) : approver, context)),
    Layer.provideMerge(
      Layer.mergeAll(layerWorld(setup, context.replay), layerEvents(context), RunSettings.layer(setup.settings), lock)
    ),
    Layer.provideMerge(context.journal ?? layerUnsaved)
  )
}

/** The tools, plugins and skills that a run in this project would have. */
export const readCatalogue = Effect.fn("readCatalogue")(function* (
  project: string,
  plugins: ReadonlyArray<string> = []
) {
  const setup = yield* readSetup(project, { plugins })
  return yield* Effect.gen(function* () {
    const { problems, tools } = yield* ToolRegistry
    const { known } = yield* PluginPackages
    const { known: servers, notes: serverNotes } = yield* McpPlugins
    const { all, notes } = yield* Skills
    return { tools, problems, known, servers, serverNotes, skills: all, notes: [...setup.folders.notes, ...notes] }
  }).pipe(Effect.provide(layerCatalogue(setup)))
})
