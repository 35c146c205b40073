/**
 * The composition root: every layer of a run is chosen here and nowhere else. The doors bring what a person or a script
 * said; from here on it is settings, rules and layers.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { type Configuration, mergeConfigurations } from "./domain/Configuration.ts"
import { readConfiguration } from "./domain/ConfigurationText.ts"
import { defaultLimits } from "./domain/Limits.ts"
import type { Rule, Verdict } from "./domain/Permission.ts"
import { parseRule } from "./domain/RuleText.ts"
import type { RecordedEvent } from "./domain/RunEvent.ts"
import type { RunOrder } from "./domain/RunOrder.ts"
import { answerReserve } from "./domain/TokenEstimate.ts"
import { builtInPlugins } from "./plugins/builtIns.ts"
import { Activities } from "./services/Activities.ts"
import { Approver } from "./services/Approver.ts"
import { Attempts } from "./services/Attempts.ts"
import { Briefer } from "./services/Briefer.ts"
import { Concluder } from "./services/Concluder.ts"
import { ConfigurationError, ConfigurationFile } from "./services/ConfigurationFile.ts"
import { EmbeddedModel } from "./services/EmbeddedModel.ts"
import { Gate } from "./services/Gate.ts"
import { Journal } from "./services/Journal.ts"
import { layerJournalEngine } from "./services/JournalEngine.ts"
import type { JournalError } from "./services/JournalError.ts"
import type { LockTaken } from "./services/Lock.ts"
import { ModelCaller } from "./services/ModelCaller.ts"
import { ModelSlots } from "./services/ModelSlots.ts"
import { hostProblem, resolveHost } from "./services/OllamaHost.ts"
import { OllamaModel } from "./services/OllamaModel.ts"
import { Pipeline } from "./services/Pipeline.ts"
import { PlanChecker } from "./services/PlanChecker.ts"
import { Planner } from "./services/Planner.ts"
import type { Plugin } from "./services/Plugin.ts"
import { Policies } from "./services/Policies.ts"
import { Prompts } from "./services/Prompts.ts"
import { References } from "./services/References.ts"
import { Refiner } from "./services/Refiner.ts"
import { Reviser } from "./services/Reviser.ts"
import { RunEvents } from "./services/RunEvents.ts"
import { defaultSettings, RunSettings, type Settings } from "./services/RunSettings.ts"
import { layerNewRun, layerResumedRun } from "./services/RunJournal.ts"
import { RunStore } from "./services/RunStore.ts"
import { layerRunWorkflow } from "./services/RunWorkflow.ts"
import { Scheduler } from "./services/Scheduler.ts"
import { Skills } from "./services/Skills.ts"
import { TaskRunner } from "./services/TaskRunner.ts"
import { TokenCalibration } from "./services/TokenCalibration.ts"
import { ToolRegistry } from "./services/ToolRegistry.ts"
import { ToolRunner } from "./services/ToolRunner.ts"
import { UsageMeter } from "./services/UsageMeter.ts"
import { environmentVariable, userFolders, type UserFolders } from "./services/UserFolders.ts"
import { WebFetch } from "./services/WebFetch.ts"
import { Workspace } from "./services/Workspace.ts"

/** Everything that was said about a run, merged: project file, user file, environment, flags. */
export interface Setup {
  /** Absolute. */
  readonly project: string
  readonly configuration: Configuration
  readonly settings: Settings
  /** The rules of files and flags. */
  readonly rules: ReadonlyArray<Rule>
  readonly folders: UserFolders
  /** Where the person's own configuration is, or would be. */
  readonly userFile: string
  /** True when nobody chose a model. */
  readonly usesDefaultModel: boolean
  readonly apiKey: Redacted.Redacted | undefined
}

const settingsOf = (given: Configuration): Settings => {
  const model = given.model ?? defaultSettings.model
  const contextWindow = given.contextWindow ?? defaultSettings.contextWindow
  return {
    limits: { ...defaultLimits, ...given.limits },
    model,
    host: model === "embedded" ? "" : resolveHost(given.host),
    contextWindow,
    slots: given.parallel ?? defaultSettings.slots,
    /** Half of the window, at four characters a token. */
    referenceBudget: given.referenceBudget ?? contextWindow * 2
  }
}

const rulesOf = (verdict: Verdict, texts: ReadonlyArray<string> = []): ReadonlyArray<Rule> =>
  texts.flatMap((text) => Result.match(parseRule(verdict, text), { onSuccess: (rule) => [rule], onFailure: () => [] }))

/** What flags or options set is held to the rules of a file, so that no rule is dropped in silence. */
const requireValid = (given: Configuration) =>
  Result.match(readConfiguration(JSON.stringify(given), "user"), {
    onSuccess: Effect.succeed,
    onFailure: (problems) =>
      Effect.fail(new ConfigurationError({ source: "options", problems: problems.map(({ what }) => ({ what })) }))
  })

/** Reads the configuration for a project and lays flags or options on top. */
export const readSetup = Effect.fn("readSetup")(function* (project: string, given: Configuration) {
  const flags = yield* requireValid(given)
  const file = yield* ConfigurationFile
  const folder = (yield* Path.Path).resolve(project)
  const configuration = mergeConfigurations(yield* file.load(folder), flags)
  const settings = settingsOf(configuration)
  const misplaced = settings.model === "embedded" ? undefined : hostProblem(settings.host)
  if (misplaced !== undefined) {
    return yield* new ConfigurationError({ source: "OLLAMA_HOST or host", problems: [{ what: misplaced }] })
  }
  const apiKey = yield* environmentVariable("OLLAMA_API_KEY")
  const setup: Setup = {
    project: folder,
    configuration,
    settings,
    rules: [...rulesOf("allow", configuration.allow), ...rulesOf("deny", configuration.deny)],
    folders: yield* userFolders,
    userFile: file.userFile,
    usesDefaultModel: configuration.model === undefined,
    apiKey: apiKey === undefined ? undefined : Redacted.make(apiKey)
  }
  return setup
}, Effect.provide(ConfigurationFile.layer))

/** What a run keeps of its setup, so that it goes on in the same way; what was allowed is not among it. */
const keptSettings = ({ configuration, settings }: Setup): Configuration => {
  const { contextWindow, host, limits, model, referenceBudget, slots: parallel } = settings
  const { deny = [], keepAlive, think } = configuration
  return {
    model,
    contextWindow,
    parallel,
    limits,
    referenceBudget,
    deny,
    ...(host === "" ? {} : { host }),
    ...(keepAlive === undefined ? {} : { keepAlive }),
    ...(think === undefined ? {} : { think })
  }
}

/** The journal of a new run. */
export const layerJournal = (setup: Setup, order: RunOrder) =>
  layerNewRun(
    { state: setup.folders.state, runId: order.runId, project: setup.project, readOnly: false },
    { project: setup.project, order, settings: keptSettings(setup) }
  )

/** The journal of a run that goes on. */
export const layerReopenedJournal = (setup: Setup, { runId }: RunOrder) =>
  layerResumedRun({ state: setup.folders.state, runId, project: setup.project, readOnly: false })

/** The runs that are kept. */
export const layerRuns = Layer.unwrap(Effect.map(userFolders, ({ state }) => RunStore.layer(state)))

/** How a run was begun, with flags laid over its settings. */
export const reopenSetup = Effect.fn("reopenSetup")(function* (given: string, flags: Configuration) {
  const store = yield* RunStore
  const { opened } = yield* store.read(yield* store.find(given))
  const setup = yield* readSetup(opened.project, mergeConfigurations(opened.settings, flags))
  return { opened, setup }
}, Effect.provide(layerRuns))

/** What a door adds to the setup. */
export interface RunDoors {
  /** Receives every event, in order. */
  readonly listen: (recorded: RecordedEvent) => Effect.Effect<void>
  /** All steps are approved beforehand. */
  readonly approveSteps: boolean
  /** Who is asked; the terminal when absent. */
  readonly approver?: Layer.Layer<Approver>
  /** Takes the place of the model that the settings name. */
  readonly model?: Layer.Layer<LanguageModel.LanguageModel>
  readonly plugins?: ReadonlyArray<Plugin>
  /** Where the run is kept; nothing is kept when absent. */
  readonly journal?: Layer.Layer<Journal, JournalError | LockTaken, FileSystem.FileSystem | Path.Path>
}

/** What happens is kept, then told. */
const layerEvents = (listen: RunDoors["listen"]): Layer.Layer<RunEvents, never, Journal> =>
  Layer.unwrap(
    Effect.map(Journal, (journal) =>
      RunEvents.layerListener((recorded) => Effect.andThen(journal.tell(recorded.event), listen(recorded)))
    )
  )

/** The gate of this setup; it needs the world. */
const layerGate = (
  { folders, rules }: Setup,
  approver: Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal>
) => Gate.layer({ rules, protectedPaths: [folders.own] }).pipe(Layer.provide(approver))

/** The project, the web, and what the person allowed for good. */
const layerWorld = ({ configuration, folders, project }: Setup) =>
  Layer.mergeAll(
    Workspace.layer(project),
    WebFetch.layer({ allowed: configuration.fetchAllow ?? [] }),
    Layer.unwrap(
      Effect.map(Path.Path, (path) => Policies.layer(path.join(folders.own, "policies.json"), process.getuid?.()))
    )
  )

/** Tools and skills; what has to be started for them passes the gate. */
const layerTools = ({ folders, project, settings }: Setup, plugins: ReadonlyArray<Plugin>) =>
  Layer.merge(
    ToolRegistry.layer([...builtInPlugins(settings.limits), ...plugins]),
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

const layerModel = ({ apiKey, configuration: { keepAlive, think }, settings }: Setup) =>
  settings.model === "embedded"
    ? EmbeddedModel.layer
    : OllamaModel.layer({
        host: settings.host,
        model: settings.model,
        contextWindow: settings.contextWindow,
        maxAnswerTokens: answerReserve(settings.contextWindow),
        ...(keepAlive === undefined ? {} : { keepAlive }),
        ...(think === undefined ? {} : { think }),
        ...(apiKey === undefined ? {} : { apiKey })
      })

/** The stages from the model call up to the pipeline, without what they stand on. */
const layerStages = layerRunWorkflow.pipe(
  Layer.provideMerge(layerJournalEngine),
  Layer.provideMerge(Pipeline.layer),
  Layer.provide(Layer.mergeAll(Planner.layer, Reviser.layer, Scheduler.layer, Concluder.layer)),
  Layer.provide(Layer.mergeAll(PlanChecker.layer, Refiner.layer, TaskRunner.layer)),
  Layer.provide(Layer.mergeAll(Attempts.layer, References.layer, ToolRunner.layer(), Briefer.layer)),
  Layer.provide(ModelCaller.layer),
  Layer.provide(
    Layer.mergeAll(ModelSlots.layer, TokenCalibration.layer, UsageMeter.layer, Activities.layerWorkflow, Prompts.layer)
  )
)

/** Everything a run needs. */
export const layerRun = (setup: Setup, doors: RunDoors) => {
  const asked = doors.approver ?? Approver.layerTerminal
  return layerStages.pipe(
    Layer.provide(doors.model ?? layerModel(setup)),
    Layer.provideMerge(layerTools(setup, doors.plugins ?? [])),
    Layer.provideMerge(layerGate(setup, doors.approveSteps ? Approver.layerApproveSteps(asked) : asked)),
    Layer.provideMerge(Layer.mergeAll(layerWorld(setup), layerEvents(doors.listen), RunSettings.layer(setup.settings))),
    Layer.provideMerge(doors.journal ?? Journal.layerNone)
  )
}
