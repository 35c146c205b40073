/**
 * The setup of a saved run. A journal is input: what it says counts as far as this person provably wrote it, and nothing
 * in it permits anything.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { type Configuration, mergeConfigurations } from "../domain/configuration/Configuration.ts"
import { countedSettings } from "../domain/history/SavedSettings.ts"
import { leavesMachine } from "../services/providers/providers.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { userFolders } from "../services/configuration/UserFolders.ts"
import { readProof } from "../services/history/RunJournal.ts"
import { RunStore } from "../services/history/RunStore.ts"
import { readRecords } from "../services/journal/JournalLine.ts"
import type { JournalContent } from "../services/journal/JournalReader.ts"
import { readSetup } from "./setup.ts"

/** A saved run, as a person names it. `given` overrides the settings that it was started with. */
export interface SavedRun {
  readonly run: string
  readonly given: Configuration
  /** Where the project is now; where it was when the run last worked on it when absent. */
  readonly project?: string
}

/** Where the run worked last, by the records that are proven. */
const projectOf = ({ lines, opened }: JournalContent, provenFrom: number): string => {
  const resumed = readRecords(lines.filter(({ seq, type }) => type === "resumed" && seq >= provenFrom))
  const moves = resumed.flatMap((record) => (record.type === "resumed" ? (record.project ?? []) : []))
  return moves.at(-1) ?? opened.project
}

const unusable = (runId: string, what: string) =>
  new ConfigurationError({ source: `The run ${runId}`, problems: [{ what }] })

/** The folder in which the run goes on. Somebody else's journal does not choose it. */
const chooseProject = Effect.fnUntraced(function* (content: JournalContent, provenFrom: number, given?: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const { runId } = content.opened.order
  const real = (folder: string) => Effect.orElseSucceed(fs.realPath(folder), () => path.resolve(folder))
  const isFolder = (folder: string) =>
    Effect.match(fs.stat(folder), { onFailure: () => false, onSuccess: ({ type }) => type === "Directory" })
  const recorded = projectOf(content, provenFrom)
  const project = given ?? recorded
  if (!(yield* isFolder(project))) {
    const where = `its project ${project} is not there`
    return yield* unusable(runId, `${where}. If it was moved, say where it is: --project FOLDER.`)
  }
  const isHere = (yield* real(project)) === (yield* real("."))
  if (given === undefined && provenFrom > 1 && !isHere) {
    const why = "its journal is not proven to be yours, so it does not choose the folder to work in"
    return yield* unusable(runId, `${why}. Say that it is this one: --project ${JSON.stringify(recorded)}.`)
  }
  return { project, isMoved: (yield* real(project)) !== (yield* real(content.opened.project)) }
})

/** The setup of a saved run, with flags that override its settings. */
export const reopenSetup = Effect.fn("reopenSetup")(function* (
  { given: flags, project: named, run }: SavedRun,
  hasModel: boolean
) {
  const store = yield* RunStore
  const content = yield* store.read(yield* store.find(run, named))
  const { opened, torn } = content
  const { locks } = yield* userFolders((yield* Path.Path).resolve())
  const proof = yield* readProof(content, locks)
  const from = proof?.from ?? content.lines.length + 1
  const { isMoved, project } = yield* chooseProject(content, from, named)
  const settings = countedSettings(opened.settings, from === 1, leavesMachine)
  if (settings.model === undefined && opened.settings.model !== undefined && flags.model === undefined && !hasModel) {
    const why = `its journal is not proven to be yours, and its model ${opened.settings.model} is a hosted one, to which your project would be sent`
    return yield* unusable(opened.order.runId, `${why}. Give a model: --model NAME.`)
  }
  const setup = yield* readSetup(project, mergeConfigurations(settings, flags))
  return { opened, setup, isMoved, isTorn: torn.length > 0 }
})
