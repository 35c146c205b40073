/**
 * Starts, resumes and forks runs, for the command line and the library in the same way. Part of the composition root: reads the
 * setup, chooses the journal, and carries out the order with the layers of a run. The journal of a saved run is input: what
 * it says counts as far as this person provably wrote it, and nothing in it permits anything.
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
import { readRun } from "./savedRuns.ts"
import { build } from "./build.ts"
import { expandCommand } from "../domain/conversation/CustomCommand.ts"
import { customCommands } from "../services/conversation/CustomCommands.ts"

const unusable = (runId: string, what: string) =>
  new ConfigurationError({ source: `The run ${runId}`, problems: [{ what }] })

/** The folder in which the run goes on. Somebody else's journal does not choose it. */
const chooseProject = Effect.fnUntraced(function* (content: JournalContent, provenFrom: number, given?: string) {
  const path = yield* Path.Path
  const { runId } = content.opened.order
  const real = (folder: string) => Effect.map(realPath(folder), (found) => found ?? path.resolve(folder))
  const { lines, opened } = content
  const recorded = movedTo(lines.filter(({ seq }) => seq >= provenFrom)) ?? opened.project
  const project = given ?? recorded
  if (!(yield* isFolder(project))) {
    const where = `its project ${project} was not found`
    return yield* unusable(runId, `${where}. If it was moved, say where it is: --project FOLDER.`)
  }
  const isHere = (yield* real(project)) === (yield* real("."))
  if (given === undefined && provenFrom > 1 && !isHere) {
    const why = "its journal may come from somebody else, so it cannot choose the folder to work in"
    return yield* unusable(runId, `${why}. Name the folder yourself: --project ${JSON.stringify(recorded)}.`)
  }
  return { project, isMoved: (yield* real(project)) !== (yield* real(content.opened.project)) }
})

/** A run whose setup is read. */
interface ReadyRun extends FittedSetup {
  readonly order: RunOrder
  readonly given: Configuration
  readonly isTorn?: boolean
}

/** Where a run of this setup is saved and what it locks. */
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

/** The settings to save; a model that is a value has no name to save. */
const settingsToSave = (setup: Setup, { model: value }: Pick<RunContext, "model">): Configuration => {
  const { model, ...settings } = savedSettings(setup)
  return value === undefined && model !== undefined ? { model, ...settings } : settings
}

/** The journal of a new run; `begin` holds what it takes over from the run that it is forked from. */
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
      const { given, order, setup } = ready
      const conditions = {
        ...saved,
        readOnly: order.readOnly ?? false,
        lock: ProjectWriteLock.layer(placeOf(setup, order))
      }
      return reportStartup({ ...ready, unobserved }, given, context.warn).pipe(
        Effect.andThen(Pipeline.use((pipeline) => pipeline.run(order))),
        Effect.tap((report) => runEndHooks(report, context.warn)),
        Effect.provide(layerRun(setup, whole, conditions))
      )
    }
  )

/** The order with the message that its prompt means, when that names a command of the person or the project. */
const expanded = (setup: Setup, order: RunOrder) =>
  Effect.map(customCommands(setup), (commands): RunOrder => ({
    ...order,
    prompt: expandCommand(order.prompt, commands)
  }))

/** Carries out a new run to its report. */
export const beginRun = Effect.fn("beginRun")(function* (
  { given, keep = true, order, project }: NewRun,
  context: RunContext
) {
  const fitted = yield* fitSetup(yield* readSetup(project, given), context, given)
  const ready = { ...fitted, order: yield* expanded(fitted.setup, order), given }
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
  /* What could not begin, by a mistake in what was given, leaves nothing to resume. */
  return yield* carryOut(ready, { ...context, listen }, { journal }).pipe(
    Effect.tapError(() => (hasBegun || !keep ? Effect.void : Effect.ignore(forget)))
  )
})

/** Makes the task list for an order and checks it; nothing of it is done, and nothing is saved. */
export const planRun = Effect.fn("planRun")(function* (
  { given, order, project }: Omit<NewRun, "keep">,
  context: RunContext
) {
  const fitted = yield* fitSetup(yield* readSetup(project, given), context, given)
  return yield* reportStartup(fitted, given, context.warn).pipe(
    Effect.andThen(expanded(fitted.setup, order)),
    Effect.flatMap((whole) => Pipeline.use((pipeline) => pipeline.plan(whole))),
    Effect.provide(layerRun(fitted.setup, context))
  )
})

/** How a saved run was started, and its setup with flags that override its settings. Fails when it has no model any more. */
const reopen = Effect.fnUntraced(function* (
  { given: flags, project: named, run }: SavedRun,
  { model: value }: Pick<RunContext, "model">
) {
  const store = yield* RunStore
  const content = yield* store.read(yield* store.find(run, named))
  const { opened, torn } = content
  const { runId } = opened.order
  const { locks } = yield* userFolders((yield* Path.Path).resolve())
  const proof = yield* readProof(content, locks)
  const from = proof?.from ?? content.lines.length + 1
  const { isMoved, project } = yield* chooseProject(content, from, named)
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
  return { opened, setup, isMoved, isTorn: torn.length > 0 }
})

/** Resumes a saved run and carries it to its report. */
export const resumeRun = Effect.fn("resumeRun")(function* (saved: SavedRun, context: RunContext) {
  const { isMoved, isTorn, opened, setup } = yield* reopen(saved, context)
  const { order } = opened
  const fitted = yield* fitSetup(setup, context, saved.given)
  const place = { ...placeOf(fitted.setup, order), settings: settingsToSave(fitted.setup, context), isMoved }
  const ready = { ...fitted, order, given: saved.given, isTorn }
  return yield* carryOut(ready, context, { journal: layerResumedRun(place), since: startOfRun(order.runId) })
})

/**
 * Starts a new run that reuses what another had finished before the task `from`, to its report. `runId` names the new
 * one.
 */
export const forkRun = Effect.fn("forkRun")(function* (
  { from, runId, ...saved }: SavedRun & { readonly from: string; readonly runId?: string },
  context: RunContext
) {
  const { records, runId: forked } = yield* readRun(saved.run, saved.project)
  const begin = forkRecords(records, from)
  if (begin === undefined) {
    return yield* new TaskNotFound({ runId: forked, given: from, names: runOf(records).names })
  }
  const { opened, setup } = yield* reopen(saved, context)
  const order: RunOrder = { ...opened.order, runId: runId ?? (yield* makeRunId) }
  const ready = { ...(yield* fitSetup(setup, context, saved.given)), order, given: saved.given }
  return yield* carryOut(ready, context, { journal: layerJournal(ready, context, begin) })
})
