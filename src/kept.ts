/**
 * Where runs are kept: the layers for the journal of a run and for the store of all of them. Part of the composition
 * root; the doors hand a journal to `layerRun`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { JournalRecord } from "./domain/JournalRecord.ts"
import { secretValues } from "./domain/Redaction.ts"
import type { RunOrder } from "./domain/RunOrder.ts"
import { layerNewRun, layerResumedRun } from "./services/RunJournal.ts"
import { RunStore } from "./services/RunStore.ts"
import { userFolders } from "./services/UserFolders.ts"
import { keptSettings, type Setup } from "./setup.ts"
import { version } from "./version.ts"

const placeOf = ({ folders, project }: Setup, { readOnly = false, runId }: RunOrder) => ({
  state: folders.state,
  runId,
  project,
  program: version,
  secrets: secretValues(process.env),
  readOnly
})

/** The journal of a new run; `begin` is what it knows from a run that it is forked from. */
export const layerJournal = (setup: Setup, order: RunOrder, begin: ReadonlyArray<JournalRecord> = []) =>
  layerNewRun(placeOf(setup, order), { project: setup.project, order, settings: keptSettings(setup) }, begin)

/** The journal of a run that goes on. */
export const layerReopenedJournal = (setup: Setup, order: RunOrder) => layerResumedRun(placeOf(setup, order))

/** The runs that are kept. */
export const layerRuns = Layer.unwrap(Effect.map(userFolders, ({ state }) => RunStore.layer(state)))
