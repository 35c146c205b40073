/**
 * Runs that are kept: how one is begun, goes on, is forked and is played again, for every door in the same way. Part of
 * the composition root; the doors say who listens and who is asked.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { layerRun } from "./app.ts"
import type { RunDoors } from "./ground.ts"
import type { Configuration } from "./domain/Configuration.ts"
import { forkRecords } from "./domain/ForkRecords.ts"
import type { JournalRecord } from "./domain/JournalRecord.ts"
import { secretValues } from "./domain/Redaction.ts"
import { runDifferences } from "./domain/RunDifference.ts"
import { taskEvidence, taskNames } from "./domain/RunEvidence.ts"
import type { RunEvent } from "./domain/RunEvent.ts"
import type { RunOrder } from "./domain/RunOrder.ts"
import { TaskNotFound } from "./domain/TaskNotFound.ts"
import { slugOf } from "./domain/TaskName.ts"
import { ConfigurationError } from "./services/ConfigurationFile.ts"
import { recordOf } from "./services/JournalLine.ts"
import { makeReplay } from "./services/Replay.ts"
import { makeRunId } from "./services/RunId.ts"
import { layerNewRun, layerResumedRun, layerUnkeptRun } from "./services/RunJournal.ts"
import { RunStore } from "./services/RunStore.ts"
import { conduct } from "./services/RunWorkflow.ts"
import { userFolders } from "./services/UserFolders.ts"
import { keptSettings, reopenSetup, type Setup } from "./setup.ts"
import { version } from "./version.ts"

/** The runs that are kept. */
export const layerRuns: Layer.Layer<RunStore, never, FileSystem.FileSystem | Path.Path> = Layer.unwrap(
  Effect.map(userFolders, ({ state }) => RunStore.layer(state))
)

/** A run whose layers stand, before it begins. */
export interface ReadyRun {
  readonly setup: Setup
  readonly order: RunOrder
  /** A crash left half a record behind: it is set aside, and what it told is done again. */
  readonly isTorn: boolean
}

/** What a door brings to a run. */
export interface KeptDoors<E, R> extends Omit<RunDoors, "activities" | "journal" | "readOnly"> {
  /** What is done, with the layers of the run, before it begins. */
  readonly before: (ready: ReadyRun) => Effect.Effect<void, E, R>
}

const placeOf = ({ folders, project }: Setup, { readOnly = false, runId }: RunOrder) => ({
  state: folders.state,
  runId,
  project,
  program: version,
  secrets: secretValues(process.env),
  readOnly
})

/** The journal of a new run; `begin` is what it knows from a run that it is forked from. A model that is a value has no name to keep. */
const layerJournal = (
  setup: Setup,
  order: RunOrder,
  { model: value }: Pick<RunDoors, "model">,
  begin: ReadonlyArray<JournalRecord> = []
) => {
  const { model, ...settings } = keptSettings(setup)
  const kept: Configuration = value === undefined && model !== undefined ? { model, ...settings } : settings
  return layerNewRun(placeOf(setup, order), { project: setup.project, order, settings: kept }, begin)
}

const carryOut = <E, R>(
  ready: ReadyRun,
  { before, ...doors }: KeptDoors<E, R>,
  journal: NonNullable<RunDoors["journal"]>
) =>
  Effect.andThen(before(ready), conduct(ready.order)).pipe(
    Effect.provide(layerRun(ready.setup, { ...doors, readOnly: ready.order.readOnly ?? false, journal }))
  )

/** Carries out a new run to its report. One that is not kept has no journal; it takes the lock on its project all the same. */
export const beginRun = <E, R>(
  setup: Setup,
  order: RunOrder,
  { keep = true, ...doors }: KeptDoors<E, R> & { readonly keep?: boolean }
) =>
  carryOut(
    { setup, order, isTorn: false },
    doors,
    keep ? layerJournal(setup, order, doors) : layerUnkeptRun(placeOf(setup, order))
  )

/** How a run was begun, with `given` laid over its settings. Fails when it had a model that could not be kept and none is given. */
const reopen = Effect.fnUntraced(function* (run: string, given: Configuration, { model }: Pick<RunDoors, "model">) {
  const reopened = yield* reopenSetup(run, given)
  const { order, settings } = reopened.opened
  if (settings.model !== undefined || given.model !== undefined || model !== undefined) return reopened
  return yield* new ConfigurationError({
    source: `The run ${order.runId}`,
    problems: [
      { what: "a script began it with a model that is a value. Give a model: --model NAME, or in the script." }
    ]
  })
})

/** Goes on with a run to its report; `given` is laid over the settings that it was begun with. */
export const resumeRun = Effect.fn("resumeRun")(function* <E, R>(
  run: string,
  given: Configuration,
  doors: KeptDoors<E, R>
) {
  const { isTorn, opened, setup } = yield* reopen(run, given, doors)
  return yield* carryOut({ setup, order: opened.order, isTorn }, doors, layerResumedRun(placeOf(setup, opened.order)))
})

/** Everything that the journal of the run that is meant holds. */
export const readRun = Effect.fn("readRun")(function* (run: string) {
  const store = yield* RunStore
  const runId = yield* store.find(run)
  const { lines } = yield* store.read(runId)
  return { runId, records: lines.map(recordOf) }
})

/** What one task of a run saw, said, called and found. */
export const readTask = Effect.fn("readTask")(function* (run: string, task: string) {
  const { records, runId } = yield* readRun(run)
  const names = taskNames(records)
  const name = names.find((one) => slugOf(one) === slugOf(task))
  if (name === undefined) return yield* new TaskNotFound({ runId, given: task, names })
  return taskEvidence(records, name)
})

/** Begins a new run with what another had finished before a task, to its report. `runId` names the new one. */
export const forkRun = Effect.fn("forkRun")(function* <E, R>(
  run: string,
  from: string,
  given: Configuration,
  { runId, ...doors }: KeptDoors<E, R> & { readonly runId?: string }
) {
  const { records, runId: forked } = yield* readRun(run)
  const begin = forkRecords(records, from)
  if (begin === undefined) {
    return yield* new TaskNotFound({ runId: forked, given: from, names: taskNames(records) })
  }
  const { opened, setup } = yield* reopen(run, given, doors)
  const order: RunOrder = { ...opened.order, runId: runId ?? (yield* makeRunId) }
  return yield* carryOut({ setup, order, isTorn: false }, doors, layerJournal(setup, order, doors, begin))
})

/** Plays a run once more, from its journal alone, and compares what is told. */
export const replayRun = Effect.fn("replayRun")(function* (run: string) {
  const { records } = yield* readRun(run)
  const { opened, setup } = yield* reopenSetup(run, {})
  const replay = yield* makeReplay(records)
  const told: Array<RunEvent> = []
  const layer = layerRun(setup, {
    listen: ({ event }) => Effect.sync(() => void told.push(event)),
    approveSteps: false,
    approver: replay.approver,
    activities: replay.activities
  })
  const missing = yield* Effect.raceFirst(
    Effect.as(Effect.provide(conduct(opened.order), layer), undefined),
    replay.missing
  )
  const before = records.flatMap((record) => (record.type === "event" ? [record.event] : []))
  const differences = missing === undefined ? runDifferences(before, told) : [missing]
  return { runId: opened.order.runId, differences: [...replay.changed(), ...differences], events: told.length }
})
