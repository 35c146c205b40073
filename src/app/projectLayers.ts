/**
 * The ground of a run: the project, the gate, the tools and skills, and where events go. Part of the composition root;
 * app.ts puts the stages on it.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import { Approver } from "../services/approvals/Approver.ts"
import { layerTerminalArbiter } from "../services/approvals/Arbiter.ts"
import { Commands } from "../services/commands/Commands.ts"
import { commandPlugins } from "../services/plugins/CommandTools.ts"
import { layerDurable } from "../services/journal/DurableApprover.ts"
import { hostAndPort } from "../services/web/FetchTarget.ts"
import { Gate } from "../services/permissions/Gate.ts"
import type { GateOptions } from "../services/permissions/PolicyEvaluator.ts"
import { Journal } from "../services/journal/Journal.ts"
import type { JournalError } from "../services/journal/JournalError.ts"
import type { LockTaken, LockUnavailable } from "../services/journal/Lock.ts"
import { McpPlugins } from "../services/mcp/McpPlugins.ts"
import type { McpProblem, PluginProblem } from "../services/plugins/PluginProblem.ts"
import type { ModelSlots } from "../services/models/ModelSlots.ts"
import type { Plugin } from "../services/plugins/Plugin.ts"
import { PluginPackages } from "../services/plugins/PluginPackages.ts"
import { Policies } from "../services/permissions/Policies.ts"
import type { Replay } from "../services/history/Replay.ts"
import { RunEvents } from "../services/runs/RunEvents.ts"
import { RunSettings } from "../services/runs/RunSettings.ts"
import { Skills } from "../services/skills/Skills.ts"
import { ToolRegistry } from "../services/tools/ToolRegistry.ts"
import type { UsageMeter } from "../services/runs/UsageMeter.ts"
import { WebFetch } from "../services/web/WebFetch.ts"
import { Workspace } from "../services/files/Workspace.ts"
import { builtIns } from "./builtIns.ts"
import { version } from "./version.ts"
import type { Setup } from "./setup.ts"

/** What a worker brings to a run. */
export interface WorkerPorts {
  /** Waits for the answers that come from other machines, which keep them. */
  readonly answers: Layer.Layer<Approver>
  /** The places at the model server, which all runs of the worker share. */
  readonly slots: Layer.Layer<ModelSlots>
  /** Counts what the run costs on all machines. */
  readonly meter: Layer.Layer<UsageMeter>
}

/** What a door adds to the setup. */
export interface RunPorts {
  /** Receives every event, in order. */
  readonly listen: (recorded: RecordedEvent) => Effect.Effect<void>
  /** All steps are approved beforehand. */
  readonly approveSteps: boolean
  /** Who is asked; the terminal when absent. */
  readonly approver?: Layer.Layer<Approver>
  /** Who decides about calls in doubt; the terminal when nobody else approves, else nobody. */
  readonly arbiter?: Layer.Layer<never>
  /** Takes the place of the model that the settings name. */
  readonly model?: Layer.Layer<LanguageModel.LanguageModel>
  /** Plugins as values, beside those that the setup names. */
  readonly plugins?: ReadonlyArray<Plugin>
  /** Nothing may be changed. */
  readonly readOnly?: boolean
  /** What takes the place of model, tools, project and persons when a run that is kept is played again. */
  readonly replay?: Pick<Replay, "activities" | "decisions" | "workspace">
  /** What a worker brings to the runs that it shares with other machines. */
  readonly shared?: WorkerPorts
  /** Where the run is kept; nothing is kept when absent. */
  readonly journal?: Layer.Layer<Journal, JournalError | LockTaken | LockUnavailable, FileSystem.FileSystem | Path.Path>
}

/** What happens is kept, then told. */
const layerEvents = (listen: RunPorts["listen"]): Layer.Layer<RunEvents, never, Journal> =>
  Layer.unwrap(
    Effect.map(Journal, (journal) =>
      RunEvents.layerListener((recorded) => Effect.andThen(journal.tell(recorded.event), listen(recorded)))
    )
  )

/** What the gate of this setup is told. */
export const gateOptionsOf = ({ folders, rules }: Setup): GateOptions => ({
  rules,
  protectedPaths: [folders.own, folders.state]
})

/** The gate of this setup; it needs the world. */
const layerGate = (
  setup: Setup,
  approver: Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal>,
  readOnly = false
) => Gate.layer({ ...gateOptionsOf(setup), readOnly }).pipe(Layer.provide(approver))

/** What the person allowed for good. */
export const layerPolicies = ({ folders }: Setup) =>
  Layer.unwrap(
    Effect.map(Path.Path, (path) => Policies.layer(path.join(folders.own, "policies.json"), process.getuid?.()))
  )

/** The project, the web, and what the person allowed for good. */
const layerWorld = (setup: Setup, replay?: RunPorts["replay"]) => {
  const { configuration, project, settings } = setup
  return Layer.mergeAll(
    replay?.workspace ?? Workspace.layer(project),
    WebFetch.layer({
      allowed: configuration.fetchAllow ?? [],
      denied: settings.host === "" ? [] : [hostAndPort(new URL(settings.host))]
    }),
    layerPolicies(setup)
  )
}

/** Tools and skills; what has to be started for them passes the gate. */
const layerTools = (
  { configuration, folders, plugins, project, settings, tools }: Setup,
  values: ReadonlyArray<Plugin>
) =>
  Layer.merge(
    Layer.unwrap(
      Effect.gen(function* () {
        const packages = yield* PluginPackages
        const servers = yield* McpPlugins
        const commands = yield* commandPlugins(project, tools)
        const all = [packages, commands, servers]
        return ToolRegistry.layer(
          [...builtIns(settings.limits), ...all.flatMap((one): ReadonlyArray<Plugin> => one.plugins)],
          all.flatMap((one): ReadonlyArray<PluginProblem | McpProblem> => one.problems)
        )
      })
    ).pipe(
      Layer.provide(
        Commands.layer({
          environment: process.env,
          named: configuration.commandEnvironment ?? [],
          sandbox: configuration.sandbox ?? {},
          home: folders.home,
          hidden: [folders.own]
        })
      ),
      Layer.provideMerge(McpPlugins.layer({ project, own: configuration.mcpServers ?? {}, version })),
      Layer.provideMerge(PluginPackages.layer({ entries: plugins, values }))
    ),
    Skills.layer({ project, home: folders.home, config: folders.config })
  )

/** Tools and skills without a run, for the lists of them; nobody is asked. */
export const layerCatalogue = (setup: Setup) =>
  layerTools(setup, []).pipe(
    Layer.provideMerge(layerGate(setup, Approver.layerDenyAll)),
    Layer.provideMerge(
      Layer.merge(
        layerWorld(setup),
        RunEvents.layerListener(() => Effect.void)
      )
    )
  )

/** Tools, gate and world, on which runs and conversations stand. */
export const layerProject = (setup: Setup, doors: RunPorts) => {
  const asked = doors.shared?.answers ?? layerDurable(doors.approver ?? Approver.layerTerminal)
  return layerTools(setup, doors.plugins ?? []).pipe(
    Layer.provideMerge(
      layerGate(setup, doors.approveSteps ? Approver.layerApproveSteps(asked) : asked, doors.readOnly)
    ),
    Layer.provide(doors.arbiter ?? (doors.approver === undefined ? layerTerminalArbiter : Layer.empty)),
    Layer.provideMerge(
      Layer.mergeAll(layerWorld(setup, doors.replay), layerEvents(doors.listen), RunSettings.layer(setup.settings))
    ),
    Layer.provideMerge(doors.journal ?? Journal.layerNone)
  )
}
