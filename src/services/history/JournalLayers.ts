/**
 * Opens the journal of a run and takes the lock on the run. There is one layer for a new run and one for a resumed run.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import {
  type JournalRecord,
  journalVersion,
  makeSharedPrompts,
  type RunOpened
} from "../../domain/journal/JournalRecord.ts"
import { fileTools } from "../../domain/tools/ToolCall.ts"
import { makeSafeJson, type SecretValues } from "../../domain/text/Redaction.ts"
import { Journal } from "../journal/Journal.ts"
import { JournalError } from "../journal/JournalError.ts"
import { type JournalLine, readRecords } from "../journal/JournalLine.ts"
import { type JournalContent, readJournal } from "../journal/JournalReader.ts"
import { neededUnknown } from "../journal/UnknownRecords.ts"
import { journalKey, journalKeyFile, newProof, type Proof, proofOf, SealKey } from "../journal/JournalSeal.ts"
import { type JournalProtection, type JournalWriter, openJournal } from "../journal/JournalWriter.ts"
import { takeLock } from "../files/ProcessLock.ts"
import { takeProject } from "../files/ProjectWriteLock.ts"
import { ResumeNotes } from "../pipeline/ResumeNotes.ts"
import { inMovedProject } from "./MovedProject.ts"
import { journalPath, lockFolder, runLock, versionsFolder } from "./RunStore.ts"
import { codeOf } from "../files/FileFailure.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { makeFolders } from "../files/PrivateFile.ts"
import { removeTemporaryFiles } from "../files/AtomicWrite.ts"
import { filesIn, KeptFiles } from "../files/KeptFiles.ts"
import { type EarlierChanges, FileVersions, versionsIn } from "../files/FileVersions.ts"

/** The place where a run is saved, and the values that its journal needs. */
export interface RunPlace {
  /** The state folder of the program. */
  readonly state: string
  /**
   * The folder for lock files of projects, on systems that need such files. The key for the MACs of journals lies
   * beside this folder.
   */
  readonly locks: string
  readonly runId: string
  /** The absolute path of the project. */
  readonly project: string
  readonly program: string
  /** Secret values, which are never saved. */
  readonly secrets: SecretValues
  /** True for a run that changes nothing. */
  readonly readOnly: boolean
  /** The settings of a resumed run. */
  readonly settings?: Configuration
  /** True if the project was moved after the run began. */
  readonly isMoved?: boolean
}

const folderMode = 0o700

/** Takes the lock on the run, because only one process may write its journal. */
const takeRun = Effect.fnUntraced(function* (place: RunPlace) {
  const path = yield* Path.Path
  const folder = lockFolder(path, place.state)
  yield* takeLock(runLock(journalPath(path, place)), { folder, runId: place.runId, what: `The run ${place.runId}` })
})

const makeFolder = Effect.fnUntraced(function* (journal: string) {
  const path = yield* Path.Path
  const folder = path.dirname(journal)
  yield* Effect.mapError(
    makeFolders(folder, folderMode),
    (error) => new JournalError({ path: journal, reason: { _tag: "WriteFailed", code: codeOf(error), safe: 0 } })
  )
})

/**
 * Protects the journal: redacts secrets, and continues the MACs of `lines` in new lines. `problem` says why there are
 * no MACs.
 */
const protectionOf = Effect.fnUntraced(function* (
  { locks, runId, secrets }: RunPlace,
  lines: ReadonlyArray<JournalLine>
): Effect.fn.Return<JournalProtection & { readonly problem?: string }, never, FileSystem.FileSystem | Path.Path> {
  const file = yield* journalKeyFile(locks)
  const journalKeyRead = yield* journalKey(file, "write")
  const write = makeSafeJson(secrets)
  if ("problem" in journalKeyRead) return { write, problem: `${file}: ${journalKeyRead.problem}` }
  const key = new SealKey(journalKeyRead.key, runId)
  return { write, seal: { key, proof: lines.length === 0 ? newProof : proofOf(lines, key) } }
})

/** What the MACs of a saved journal prove with the user's current key. Undefined if there is no key. */
export const readProof = Effect.fn("readProof")(function* (
  { lines, opened }: JournalContent,
  locks: string
): Effect.fn.Return<Proof | undefined, never, FileSystem.FileSystem | Path.Path> {
  const found = yield* journalKey(yield* journalKeyFile(locks), "read")
  return "problem" in found ? undefined : proofOf(lines, new SealKey(found.key, opened.order.runId))
})

/** Appends a record. If the journal cannot be written, fails with the reason. */
const appendFirst = ({ append, failed }: JournalWriter, record: JournalRecord) =>
  Effect.raceFirst(append(record), failed)

/** The file changes of the calls in these lines. `isWhole` is false if other tools may have changed further files. */
const changesOf = (lines: ReadonlyArray<JournalLine>): EarlierChanges => {
  const intents = readRecords(lines.filter(({ type }) => type === "intent")).filter(
    (record) => record.type === "intent"
  )
  return {
    changes: intents.flatMap(({ files }) => files),
    isWhole: intents.every(({ call }) => fileTools.has(call.name))
  }
}

/** Stores file versions and result files in the folder of the run, beside its journal. */
const layerKept = (journal: string, lines: ReadonlyArray<JournalLine> = []) =>
  Layer.unwrap(
    Effect.map(Path.Path, (path) =>
      Layer.merge(
        Layer.effect(FileVersions, versionsIn(versionsFolder(path, journal), changesOf(lines))),
        Layer.effect(KeptFiles, filesIn(path.dirname(journal)))
      )
    )
  )

/** The journal of a new run. If the run was forked from another run, `begin` contains records of that run. */
export const layerNewRun = (
  place: RunPlace,
  opened: Omit<RunOpened, "type" | "version" | "program">,
  begin: ReadonlyArray<JournalRecord> = []
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* takeRun(place)
      const file = journalPath(yield* Path.Path, place)
      yield* makeFolder(file)
      const protection = yield* protectionOf(place, [])
      const writer = yield* openJournal(file, undefined, protection)
      yield* appendFirst(writer, { type: "opened", version: journalVersion, program: place.program, ...opened })
      yield* Effect.forEach(begin.map(makeSharedPrompts()), writer.enqueue, { discard: true })
      yield* Effect.raceFirst(writer.flush, writer.failed)
      const { lines } = begin.length === 0 ? { lines: [] } : yield* readJournal(file)
      return Layer.mergeAll(Journal.layer(lines, 1, writer), ResumeNotes.layerNew(protection.problem), layerKept(file))
    })
  )

/** The unfinished writes to the project: writes that have begun, but have no recorded outcome. */
const unfinishedWrites = Effect.fnUntraced(function* (lines: ReadonlyArray<JournalLine>, project: string) {
  const fs = yield* FileSystem.FileSystem
  const root = yield* Effect.orElseSucceed(fs.realPath(project), () => project)
  const ended = new Set(lines.flatMap(({ key, type }) => (type === "outcome" ? [key] : [])))
  return changesOf(lines.filter(({ key }) => !ended.has(key))).changes.filter((file) => isWithin(root, file.path))
})

/**
 * Removes the temporary files of writes whose process was killed. Does nothing while another process changes the
 * project.
 */
const removeUnfinished = Effect.fnUntraced(function* (lines: ReadonlyArray<JournalLine>, place: RunPlace) {
  const files = yield* unfinishedWrites(lines, place.project)
  const { locks, project, runId } = place
  const removed = Effect.andThen(takeProject({ locks, project, runId }), removeTemporaryFiles(files))
  if (files.length > 0) yield* Effect.catchTag(Effect.scoped(removed), "LockTaken", () => Effect.void)
})

/**
 * The journal of a resumed run. Takes the lock before reading, because another process could continue the run
 * meanwhile.
 */
export const layerResumedRun = (place: RunPlace) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* takeRun(place)
      const file = journalPath(yield* Path.Path, place)
      const content: JournalContent = yield* readJournal(file)
      const unknown = neededUnknown(content.lines, file)
      if (unknown !== undefined) return yield* unknown
      const protection = yield* protectionOf(place, content.lines)
      const writer = yield* openJournal(file, content, protection)
      yield* appendFirst(writer, {
        type: "resumed",
        program: place.program,
        settings: place.settings,
        project: place.isMoved === true ? place.project : undefined
      })
      const lines = yield* inMovedProject(content.lines, place.project)
      if (!place.readOnly) yield* removeUnfinished(lines, place)
      const provenFrom = protection.seal?.proof.from ?? content.lines.length + 1
      return Layer.mergeAll(
        Journal.layer(lines, provenFrom, writer),
        ResumeNotes.layer({ ...content, lines }, { provenFrom, problem: protection.problem }),
        layerKept(file, lines)
      )
    })
  )

/** The layer for a run that saves nothing. */
export const layerUnsaved = Layer.merge(Journal.layerNone, ResumeNotes.layerNone)
