/**
 * What a person should know when a run goes on: what of its journal was mended, and which files are no longer as its tasks
 * saw them. The journal that is opened again says it; the pipeline tells it once the run has started.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type FileTouch, fileTouches } from "../../domain/history/FileTouch.ts"
import { type ChangedFile, changedFiles } from "./ChangedFiles.ts"
import { type JournalLine, recordOf } from "../journal/JournalLine.ts"
import type { JournalContent } from "../journal/JournalReader.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Workspace } from "../files/Workspace.ts"

/** A warning; `code` says what it is about. */
export interface ResumeNote {
  readonly code: "journal-mended" | "files-changed"
  readonly text: string
}

/** Nothing for a run that begins. */
export const ResumeNotes = Context.Reference<Effect.Effect<ReadonlyArray<ResumeNote>, never, RunSettings | Workspace>>(
  "task-conductor/services/history/ResumeNotes",
  { defaultValue: () => Effect.succeed([]) }
)

/** More files are counted and not named. */
const mostNamed = 10

const mended = ({ badEnds }: JournalContent): ReadonlyArray<ResumeNote> => {
  if (badEnds.length === 0) return []
  const what = badEnds.length === 1 ? "The end of one line was" : `The ends of ${badEnds.length} lines were`
  const text = `${what} damaged in the journal. No record is lost, and it is mended; the disk or the memory of this machine may be failing.`
  return [{ code: "journal-mended", text }]
}

const changed = (runId: string, files: ReadonlyArray<ChangedFile>): ReadonlyArray<ResumeNote> => {
  const [first] = files
  if (first === undefined) return []
  const named = files.slice(0, mostNamed).map(({ how, path, task }) => `${path} (${how} by "${task}")`)
  const more = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : ""
  const text = `Somebody changed what this run had read or written: ${named.join(", ")}${more}. What finished tasks found may no longer hold. The run goes on with it; to do a task and all after it anew: task-conductor fork ${runId} --from "${first.task}"`
  return [{ code: "files-changed", text }]
}

const isOfReferences = ({ json }: JournalLine): boolean =>
  json.startsWith('{"type":"event","event":{"type":"references.read"')

/** Only what tells of files is decoded: a journal is long. */
const sightingsOf = (lines: ReadonlyArray<JournalLine>): ReadonlyArray<FileTouch> => {
  const begun = new Set(lines.flatMap(({ key, type }) => (type === "intent" ? [key] : [])))
  const wanted = lines.filter((line) => begun.has(line.key) || isOfReferences(line))
  const settled = lines.flatMap(({ key, type }) => (type === "settled" ? [key] : []))
  return fileTouches(wanted.map(recordOf), settled)
}

/** What is to be known of a run whose journal was read. */
export const resumeNotes = (
  content: JournalContent
): Effect.Effect<ReadonlyArray<ResumeNote>, never, RunSettings | Workspace> =>
  Effect.map(
    Effect.suspend(() => changedFiles(sightingsOf(content.lines))),
    (files) => [...mended(content), ...changed(content.opened.order.runId, files)]
  )

/** Makes what tells the notes of this run. */
export const makeTellNotes = Effect.map(
  Effect.all([RunEvents, ResumeNotes, Effect.context<RunSettings | Workspace>()]),
  ([{ publish }, notes, world]) =>
    Effect.flatMap(Effect.provideContext(notes, world), (all) =>
      Effect.forEach(all, (note) => publish({ type: "message", level: "warning", ...note }), { discard: true })
    )
)
