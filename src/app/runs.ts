/**
 * Starts, resumes and forks runs for the command line and the library. Part of the composition root: it reads the
 * setup, chooses the journal, and carries out the order.
 *
 * The journal of a saved run is untrusted input. Only records that this user provably wrote are used. No record grants
 * a permission.
 */
import * as Effect from "effect/Effect"
import { knownSecrets } from "../services/runs/KnownSecrets.ts"
import * as Path from "effect/Path"
import { type Configuration, mergeConfigurations } from "../domain/configuration/Configuration.ts"
import { countedSettings } from "../domain/history/SavedSettings.ts"
import { leavesMachine } from "./providers.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { userFolders } from "../services/configuration/UserFolders.ts"
import { readProof, layerNewRun, layerResumedRun, layerUnsaved } from "../services/history/JournalLayers.ts"
import { movedTo } from "../services/history/MovedProject.ts"
import { RunStore } from "../services/history/RunStore.ts"
import type { JournalContent } from "../services/journal/JournalReader.ts"
import { readSetup, savedSettings, type Setup } from "./setup.ts"
import { ProjectWriteLock } from "../services/files/ProjectWriteLock.ts"
import { forkRecords } from "../domain/history/JournalParts.ts"
import type { JournalRecord } from "../domain/journal/JournalRecord.ts"
import { runOf, TaskNotFound } from "../domain/history/RunEvidence.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import { Pipeline } from "../services/pipeline/Pipeline.ts"
import { makeRunId, startOfRun } from "../services/runs/RunId.ts"
import { type FittedSetup, fitSetup } from "./modelChoice.ts"
import { isFolder, realPath } from "../services/files/FileLook.ts"
import { accompanied, reportStartup, runEndHooks } from "./startup.ts"
import { noticing } from "./notices.ts"
import type { NewRun, RunConditions, RunContext, SavedRun } from "./RunContext.ts"
import { layerRun } from "./layers.ts"
import { type EarlierRun, requireParts } from "./missingParts.ts"
import { readRun } from "./savedRuns.ts"
import { build } from "./build.ts"
import { expandCommand } from "../domain/conversation/CustomCommand.ts"
import { customCommands } from "../services/conversation/CustomCommands.ts"

const unusable = (runId: string, what: string) =>
  new ConfigurationError({ source: `The run ${runId}`, problems: [{ what }] })

/**
 * The folder in which the run continues. A folder from the journal is used only if this user provably wrote the
 * journal, or if the folder is the current one.
 */
const chooseProject = Effect.fnUntraced(function* (content: JournalContent, provenFrom: number, requested?: string) {
  const path = yield* Path.Path
  const { runId } = content.opened.order
  const real = (folder: string) => Effect.map(realPath(folder), (found) => found ?? path.resolve(folder))
  const { lines, opened } = content
  const recorded = movedTo(lines.filter(({ seq }) => seq >= provenFrom)) ?? opened.project
  const project = requested ?? recorded
  if (!(yield* isFolder(project))) {
    const where = `its project ${project} was not found`
    return yield* unusable(runId, `${where}. If it was moved, say where it is: --project FOLDER.`)
  }
  const isHere = (yield* real(project)) === (yield* real("."))
  if (requested === undefined && provenFrom > 1 && !isHere) {
    const why = "its journal may come from somebody else, so it cannot choose the folder to work in"
    return yield* unusable(runId, `${why}. Name the folder yourself: --project ${JSON.stringify(recorded)}.`)
  }
  return { project, isMoved: (yield* real(project)) !== (yield* real(content.opened.project)) }
})

interface ReadyRun extends FittedSetup {
  readonly order: RunOrder
  readonly configuration: Configuration
  readonly isTorn?: boolean
  /** The saved run that this run resumes or forks. */
  readonly before?: EarlierRun
}

/** Where a run is saved, and its locks. */
export const placeOf = (
  { folders, project }: Pick<Setup, "folders" | "project">,
  { readOnly = false, runId }: Pick<RunOrder, "readOnly" | "runId">
) => ({
  state: folders.state,
  locks: folders.locks,
  runId,
  project,
  program: build,
  secrets: knownSecrets,
  readOnly
})

/** The settings to save. A model object has no name, so it is left out. */
const settingsToSave = (setup: Setup, { model: value }: Pick<RunContext, "model">): Configuration => {
  const { model, ...settings } = savedSettings(setup)
  return value === undefined && model !== undefined ? { model, ...settings } : settings
}

/** The journal of a new run. `begin` contains the records that a fork copies. */
const layerJournal = (
  { order, setup }: ReadyRun,
  context: Pick<RunContext, "model">,
  begin: ReadonlyArray<JournalRecord> = []
) =>
  layerNewRun(placeOf(setup, order), { project: setup.project, order, settings: settingsToSave(setup, context) }, begin)

const carryOut = (ready: ReadyRun, context: RunContext, saved: Pick<RunConditions, "journal" | "since">) =>
  accompanied(
    ready.setup,
    { ...context, listen: noticing(ready.setup.configuration, context) },
    (whole, unobserved) => {
      const { before, configuration: flags, order, setup } = ready
      const conditions = {
        ...saved,
        readOnly: order.readOnly ?? false,
        lock: ProjectWriteLock.layer(placeOf(setup, order))
      }
      return (before === undefined ? Effect.void : requireParts(before)).pipe(
        Effect.andThen(reportStartup({ ...ready, unobserved }, flags, context.warn)),
        Effect.andThen(Pipeline.use((pipeline) => pipeline.run(order))),
        Effect.tap((report) => runEndHooks(report, context.warn)),
        Effect.provide(layerRun(setup, whole, conditions))
      )
    }
  )

/** Expands a custom command of the user or the project in the prompt. */
const expanded = (setup: Setup, order: RunOrder) =>
  Effect.map(customCommands(setup), (commands): RunOrder => ({
    ...order,
    prompt: expandCommand(order.prompt, commands)
  }))

export const beginRun = Effect.fn("beginRun")(function* (
  { configuration: flags, keep = true, order, project }: NewRun,
  context: RunContext
) {
  const fitted = yield* fitSetup(yield* readSetup(project, flags), context, flags)
  const ready = { ...fitted, order: yield* expanded(fitted.setup, order), configuration: flags }
  const { state } = ready.setup.folders
  let hasBegun = false
  const listen: RunContext["listen"] = (recorded) => {
    hasBegun ||= recorded.event.type === "run.started"
    return context.listen(recorded)
  }
  const journal = keep ? layerJournal(ready, context) : layerUnsaved
  const forget = Effect.provide(
    RunStore.use((store) => store.remove(order.runId)),
    RunStore.layer(state)
  )
  /* A run that fails before it begins leaves no files, because there is nothing to resume. */
  return yield* carryOut(ready, { ...context, listen }, { journal }).pipe(
    Effect.tapError(() => (hasBegun || !keep ? Effect.void : Effect.ignore(forget)))
  )
})

/** Makes and checks a task list, without executing or saving it. */
export const planRun = Effect.fn("planRun")(function* (
  { configuration: flags, order, project }: Omit<NewRun, "keep">,
  context: RunContext
) {
  const fitted = yield* fitSetup(yield* readSetup(project, flags), context, flags)
  return yield* reportStartup(fitted, flags, context.warn).pipe(
    Effect.andThen(expanded(fitted.setup, order)),
    Effect.flatMap((whole) => Pipeline.use((pipeline) => pipeline.plan(whole))),
    Effect.provide(layerRun(fitted.setup, context))
  )
})

/**
 * Reads a saved run and its setup. Flags override the saved settings. Fails if the user must name a model, for example
 * because a script ran with a model object of its own.
 */
const reopen = Effect.fnUntraced(function* (
  { configuration: flags, project: requested, run }: SavedRun,
  { model: value }: Pick<RunContext, "model">
) {
  const store = yield* RunStore
  const content = yield* store.read(yield* store.find(run, requested))
  const { opened, torn } = content
  const { runId } = opened.order
  const { locks } = yield* userFolders((yield* Path.Path).resolve())
  const proof = yield* readProof(content, locks)
  const from = proof?.from ?? content.lines.length + 1
  const { isMoved, project } = yield* chooseProject(content, from, requested)
  const settings = countedSettings(opened.settings, from === 1, leavesMachine)
  const before = opened.settings.model
  const isNamed = flags.model !== undefined || value !== undefined
  if (before !== undefined && settings.model === undefined && !isNamed) {
    const why = `its journal may come from somebody else, and its model ${before} is hosted, so your project would be sent there`
    return yield* unusable(runId, `${why}. Give a model: --model NAME.`)
  }
  const setup = yield* readSetup(project, mergeConfigurations(settings, flags))
  if (before === undefined && !isNamed) {
    const what = "a script started it with a model object of its own"
    return yield* unusable(runId, `${what}. Give a model: --model NAME, or in the script.`)
  }
  return { opened, setup, isMoved, isTorn: torn.length > 0, before: { runId, lines: content.lines } }
})

export const resumeRun = Effect.fn("resumeRun")(function* (saved: SavedRun, context: RunContext) {
  const { before, isMoved, isTorn, opened, setup } = yield* reopen(saved, context)
  const { order } = opened
  const fitted = yield* fitSetup(setup, context, saved.configuration)
  const place = { ...placeOf(fitted.setup, order), settings: settingsToSave(fitted.setup, context), isMoved }
  const ready = { ...fitted, order, configuration: saved.configuration, isTorn, before }
  return yield* carryOut(ready, context, { journal: layerResumedRun(place), since: startOfRun(order.runId) })
})

/** Starts the run `runId` with the results that another run had before the task `from`. */
export const forkRun = Effect.fn("forkRun")(function* (
  { from, runId, ...saved }: SavedRun & { readonly from: string; readonly runId?: string },
  context: RunContext
) {
  const { records, runId: forked } = yield* readRun(saved.run, saved.project)
  const begin = forkRecords(records, from)
  if (begin === undefined) {
    return yield* new TaskNotFound({ runId: forked, given: from, names: runOf(records).names })
  }
  const { before, opened, setup } = yield* reopen(saved, context)
  const order: RunOrder = { ...opened.order, runId: runId ?? (yield* makeRunId) }
  const ready = {
    ...(yield* fitSetup(setup, context, saved.configuration)),
    order,
    configuration: saved.configuration,
    before
  }
  return yield* carryOut(ready, context, { journal: layerJournal(ready, context, begin) })
})
