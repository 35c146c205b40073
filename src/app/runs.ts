/**
 * Runs that are kept: how one is begun, goes on, is forked and is played again, for every door in the same way. Part of
 * the composition root; the doors say who listens and who is asked.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { layerRun } from "./runLayers.ts"
import type { RunPorts } from "./projectLayers.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import {
  forkRecords,
  eventsTold,
  hasEnded,
  type ReplaySession,
  replaySessions
} from "../domain/history/JournalParts.ts"
import type { JournalRecord, RunOpened } from "../domain/history/JournalRecord.ts"
import { secretValues } from "../domain/text/Redaction.ts"
import { inOrder, type RunDifference, runDifferences } from "../domain/history/RunDifference.ts"
import { taskEvidence, taskNames, TaskNotFound } from "../domain/history/RunEvidence.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import { slugOf } from "../domain/text/Slug.ts"
import { Approver } from "../services/approvals/Approver.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationFile.ts"
import { type JournalLine, recordOf } from "../services/journal/JournalLine.ts"
import { makeReplay } from "../services/history/Replay.ts"
import { makeRunId } from "../services/runs/RunId.ts"
import { layerNewRun, layerResumedRun, layerUnsavedRun } from "../services/history/RunJournal.ts"
import { RunStore } from "../services/history/RunStore.ts"
import { conduct } from "../services/pipeline/RunWorkflow.ts"
import { userFolders } from "../services/configuration/UserFolders.ts"
import { savedSettings, readSetup, reopenSetup, type Setup } from "./setup.ts"
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
export interface StartPorts<E, R> extends Omit<RunPorts, "journal" | "readOnly" | "replay"> {
  /** What is done, with the layers of the run, before it begins. */
  readonly before: (ready: ReadyRun) => Effect.Effect<void, E, R>
}

const placeOf = ({ folders, project }: Setup, { readOnly = false, runId }: RunOrder) => ({
  state: folders.state,
  locks: folders.locks,
  runId,
  project,
  program: version,
  secrets: secretValues(process.env),
  readOnly
})

/** A model that is a value has no name to keep. */
const nameable = ({ model, ...settings }: Configuration, { model: value }: Pick<RunPorts, "model">): Configuration =>
  value === undefined && model !== undefined ? { model, ...settings } : settings

/** The journal of a new run; `begin` is what it knows from a run that it is forked from. */
const layerJournal = (
  setup: Setup,
  order: RunOrder,
  doors: Pick<RunPorts, "model">,
  begin: ReadonlyArray<JournalRecord> = []
) => {
  const settings = nameable(savedSettings(setup), doors)
  return layerNewRun(placeOf(setup, order), { project: setup.project, order, settings }, begin)
}

const carryOut = <E, R>(
  ready: ReadyRun,
  { before, ...doors }: StartPorts<E, R>,
  journal: NonNullable<RunPorts["journal"]>
) =>
  Effect.andThen(before(ready), conduct(ready.order)).pipe(
    Effect.provide(layerRun(ready.setup, { ...doors, readOnly: ready.order.readOnly ?? false, journal }))
  )

/** Carries out a new run to its report. One that is not kept has no journal; it takes the lock on its project all the same. */
export const beginRun = <E, R>(
  setup: Setup,
  order: RunOrder,
  { keep = true, ...doors }: StartPorts<E, R> & { readonly keep?: boolean }
) =>
  carryOut(
    { setup, order, isTorn: false },
    doors,
    keep ? layerJournal(setup, order, doors) : layerUnsavedRun(placeOf(setup, order))
  )

/** How a run was begun, with `given` laid over its settings. Fails when it had a model that could not be kept and none is given. */
const reopen = Effect.fnUntraced(function* (run: string, given: Configuration, { model }: Pick<RunPorts, "model">) {
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
  doors: StartPorts<E, R>
) {
  const { isTorn, opened, setup } = yield* reopen(run, given, doors)
  const place = { ...placeOf(setup, opened.order), settings: nameable(savedSettings(setup), doors) }
  return yield* carryOut({ setup, order: opened.order, isTorn }, doors, layerResumedRun(place))
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
  { runId, ...doors }: StartPorts<E, R> & { readonly runId?: string }
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

/** Plays one session of a run; `lines` are those of the journal up to its end. */
const replaySession = Effect.fnUntraced(function* (
  { order, project, settings }: RunOpened,
  lines: ReadonlyArray<JournalLine>,
  session: ReplaySession,
  values: Pick<RunPorts, "plugins">
) {
  const setup = yield* readSetup(project, session.settings ?? settings)
  const replay = yield* makeReplay(lines, session)
  const layer = layerRun(setup, {
    listen: replay.listen,
    approveSteps: false,
    approver: Approver.layerDenyAll,
    readOnly: order.readOnly ?? false,
    replay,
    ...values
  })
  const conducted = Effect.as(Effect.provide(conduct(order), layer), [])
  const missing = yield* Effect.raceFirst(conducted, replay.stopped)
  const before = eventsTold(session.own)
  const isWhole = hasEnded(before)
  const unknown = isWhole ? missing.map((key): RunDifference => ({ about: `${key} is not in the journal` })) : []
  const told = runDifferences(before, replay.told, missing.length > 0)
  return { isWhole, events: before.length, differences: [...inOrder([...replay.changed, ...told]), ...unknown] }
})

/**
 * Plays a run once more, from its journal alone, one session after another, and compares what is told. `isWhole` is false
 * for a run that was killed, interrupted or stopped in the end: it is played as far as its journal goes.
 */
export const replayRun = Effect.fn("replayRun")(function* (run: string, values: Pick<RunPorts, "plugins"> = {}) {
  const store = yield* RunStore
  const { lines, opened } = yield* store.read(yield* store.find(run))
  const sessions = replaySessions(lines.map(recordOf))
  const played = yield* Effect.forEach(sessions, (session) =>
    replaySession(opened, lines.slice(0, session.known + session.own.length), session, values)
  )
  return {
    runId: opened.order.runId,
    isWhole: played.at(-1)?.isWhole ?? false,
    events: played.reduce((sum, { events }) => sum + events, 0),
    differences: played.flatMap(({ differences }, index) =>
      played.length === 1
        ? differences
        : differences.map((one) => ({ ...one, about: `session ${index + 1}: ${one.about}` }))
    )
  }
})
