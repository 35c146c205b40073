/**
 * Starts, resumes and forks runs, for the command line and the library in the same way. Part of the composition root:
 * reads the setup, chooses the journal, and carries out the order with the layers of a run.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { forkRecords } from "../domain/history/JournalParts.ts"
import type { JournalRecord } from "../domain/journal/JournalRecord.ts"
import { runOf, TaskNotFound } from "../domain/history/RunEvidence.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import { secretValues } from "../domain/text/Redaction.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { layerNewRun, layerResumedRun, layerUnsavedRun } from "../services/history/RunJournal.ts"
import { RunStore } from "../services/history/RunStore.ts"
import { Pipeline } from "../services/pipeline/Pipeline.ts"
import { makeRunId, startOfRun } from "../services/runs/RunId.ts"
import { type FittedSetup, fitWindow } from "./modelWindow.ts"
import { observed } from "./observed.ts"
import type { RunContext } from "./RunContext.ts"
import { layerRun } from "./runLayers.ts"
import { readRun } from "./savedRuns.ts"
import { reopenSetup, type SavedRun } from "./reopenedRun.ts"
import { readSetup, savedSettings, type Setup } from "./setup.ts"
import { tellStartup } from "./startup.ts"
import { version } from "./version.ts"

/** An order for a project. `given` are the flags or options that override its configuration. */
export interface NewRun {
  readonly project: string
  readonly given: Configuration
  readonly order: RunOrder
  /** False: nothing of the run is saved. It takes the lock on its project all the same. */
  readonly keep?: boolean
}

/** A run whose setup is read. */
interface ReadyRun extends FittedSetup {
  readonly order: RunOrder
  readonly given: Configuration
  readonly isTorn?: boolean
}

/** Where a run of this setup is saved and what it locks. */
export const placeOf = (
  { folders, project }: Setup,
  { readOnly = false, runId }: Pick<RunOrder, "readOnly" | "runId">
) => ({
  state: folders.state,
  locks: folders.locks,
  runId,
  project,
  program: version,
  secrets: secretValues(process.env),
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
  ports: Pick<RunContext, "model">,
  begin: ReadonlyArray<JournalRecord> = []
) =>
  layerNewRun(placeOf(setup, order), { project: setup.project, order, settings: settingsToSave(setup, ports) }, begin)

const carryOut = (ready: ReadyRun, { warn, ...ports }: RunContext, journal: NonNullable<RunContext["journal"]>) =>
  observed(ready.setup, ports.listen, (listen, setup) =>
    tellStartup({ ...ready, setup }, ready.given, warn).pipe(
      Effect.andThen(Pipeline.use((pipeline) => pipeline.run(ready.order))),
      Effect.provide(layerRun(setup, { ...ports, listen, readOnly: ready.order.readOnly ?? false, journal }))
    )
  )

/** Removes what was saved of a run that never began. */
const forgetRun = (state: string, runId: string) =>
  Effect.ignore(
    Effect.provide(
      RunStore.use((store) => store.remove(runId)),
      RunStore.layer(state)
    )
  )

/** Carries out a new run to its report. */
export const beginRun = Effect.fn("beginRun")(function* (
  { given, keep = true, order, project }: NewRun,
  ports: RunContext
) {
  const ready = { ...(yield* fitWindow(yield* readSetup(project, given), ports)), order, given }
  const { folders } = ready.setup
  let hasBegun = false
  const listen: RunContext["listen"] = (recorded) => {
    hasBegun ||= recorded.event.type === "run.started"
    return ports.listen(recorded)
  }
  const journal = keep ? layerJournal(ready, ports) : layerUnsavedRun(placeOf(ready.setup, order))
  /* What could not begin, by a mistake in what was given, leaves nothing to resume. */
  return yield* carryOut(ready, { ...ports, listen }, journal).pipe(
    Effect.tapError(() => (hasBegun || !keep ? Effect.void : forgetRun(folders.state, order.runId)))
  )
})

/** Makes the task list for an order and checks it; nothing of it is done, and nothing is saved. */
export const planRun = Effect.fn("planRun")(function* (
  { given, order, project }: Omit<NewRun, "keep">,
  { warn, ...ports }: RunContext
) {
  const fitted = yield* fitWindow(yield* readSetup(project, given), { ...ports, warn })
  return yield* tellStartup(fitted, given, warn).pipe(
    Effect.andThen(Pipeline.use((pipeline) => pipeline.plan(order))),
    Effect.provide(layerRun(fitted.setup, ports))
  )
})

/** How a run was started. Fails when it had a model that could not be saved and none is given. */
const reopen = Effect.fnUntraced(function* (saved: SavedRun, { model }: Pick<RunContext, "model">) {
  const reopened = yield* reopenSetup(saved, model !== undefined)
  const { given } = saved
  const { order, settings } = reopened.opened
  if (settings.model !== undefined || given.model !== undefined || model !== undefined) return reopened
  return yield* new ConfigurationError({
    source: `The run ${order.runId}`,
    problems: [
      { what: "a script started it with a model that is a value. Give a model: --model NAME, or in the script." }
    ]
  })
})

/** Resumes a saved run and carries it to its report. */
export const resumeRun = Effect.fn("resumeRun")(function* (saved: SavedRun, ports: RunContext) {
  const { isMoved, isTorn, opened, setup } = yield* reopen(saved, ports)
  const { order } = opened
  const fitted = yield* fitWindow(setup, ports)
  const place = { ...placeOf(fitted.setup, order), settings: settingsToSave(fitted.setup, ports), isMoved }
  const since = startOfRun(order.runId)
  return yield* carryOut({ ...fitted, order, given: saved.given, isTorn }, { ...ports, since }, layerResumedRun(place))
})

/**
 * Starts a new run that reuses what another had finished before the task `from`, to its report. `runId` names the new
 * one.
 */
export const forkRun = Effect.fn("forkRun")(function* (
  { from, runId, ...saved }: SavedRun & { readonly from: string; readonly runId?: string },
  ports: RunContext
) {
  const { records, runId: forked } = yield* readRun(saved.run, saved.project)
  const begin = forkRecords(records, from)
  if (begin === undefined) {
    return yield* new TaskNotFound({ runId: forked, given: from, names: runOf(records).names })
  }
  const { opened, setup } = yield* reopen(saved, ports)
  const order: RunOrder = { ...opened.order, runId: runId ?? (yield* makeRunId) }
  const ready = { ...(yield* fitWindow(setup, ports)), order, given: saved.given }
  return yield* carryOut(ready, ports, layerJournal(ready, ports, begin))
})
