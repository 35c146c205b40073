/**
 * The warnings for a person who resumes a run: repairs of its journal, and files that changed after its tasks used
 * them. They are read from the reopened journal, and published once the run has started.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import { type FileTouch, fileTouches } from "../../domain/history/FileTouch.ts"
import { type ChangedFile, changedFiles } from "./ChangedFiles.ts"
import { type JournalLine, readRecords } from "../journal/JournalLine.ts"
import { leftOutNote } from "../journal/UnknownRecords.ts"
import type { JournalContent } from "../journal/JournalReader.ts"
import type { RunSettings } from "../runs/RunSettings.ts"
import type { Workspace } from "../files/Workspace.ts"

/** A warning; `code` says what it is about. */
export interface ResumeNote {
  readonly code: "journal-mended" | "files-changed" | "journal-unproven" | "records-unknown"
  readonly text: string
}

/** More files are counted and not named. */
const mostNamed = 10

const repaired = (lineEnds: number): ReadonlyArray<ResumeNote> => {
  if (lineEnds === 0) return []
  const what = lineEnds === 1 ? "The end of one line was" : `The ends of ${lineEnds} lines were`
  const text = `${what} damaged in the journal. No record is lost, and the journal is repaired. The disk or the memory of this machine may be failing.`
  return [{ code: "journal-mended", text }]
}

/** How far a journal is proven to be the person's own. */
interface Proven {
  /** The number of the record from which on it is. */
  readonly provenFrom: number
  /** Why there is no key to prove it with. */
  readonly problem: string | undefined
}

const keyMissing = (problem: string | undefined): ReadonlyArray<ResumeNote> => {
  if (problem === undefined) return []
  const text = `What this run is allowed will be asked again when it is resumed, because its journal cannot be proven to be yours. The key cannot be used: ${problem}.`
  return [{ code: "journal-unproven", text }]
}

const unproven = ({ problem, provenFrom }: Proven): ReadonlyArray<ResumeNote> => {
  if (provenFrom === 1) return keyMissing(problem)
  const which = problem === undefined ? "" : ` (the key cannot be used: ${problem})`
  const text = `The journal of this run is not proven to be yours${which}: another person, another machine or an older version of task-conductor wrote or changed it. Approvals in it do not count and are asked for again, and its host and plugins are not used.`
  return [{ code: "journal-unproven", text }]
}

const unknown = (lines: ReadonlyArray<JournalLine>): ReadonlyArray<ResumeNote> => {
  const text = leftOutNote(lines)
  return text === undefined ? [] : [{ code: "records-unknown", text }]
}

const changed = (runId: string, files: ReadonlyArray<ChangedFile>): ReadonlyArray<ResumeNote> => {
  const [first] = files
  if (first === undefined) return []
  const named = files.slice(0, mostNamed).map(({ how, path, task }) => `${path} (${how} by "${task}")`)
  const more = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : ""
  const text = `Files changed since this run used them: ${named.join(", ")}${more}. What finished tasks found may no longer hold. The run continues with the changed files. To do a task and all after it again: task-conductor fork ${runId} --from "${first.task}"`
  return [{ code: "files-changed", text }]
}

const referencesRead: RunEvent["type"] = "references.read"

/** Decodes only the records about files, since a journal is long. */
const touchesOf = (lines: ReadonlyArray<JournalLine>): ReadonlyArray<FileTouch> => {
  const started = new Set(lines.flatMap(({ key, type }) => (type === "intent" ? [key] : [])))
  const wanted = lines.filter((line) => started.has(line.key) || line.event === referencesRead)
  const settled = lines.flatMap(({ key, type }) => (type === "settled" ? [key] : []))
  return fileTouches(readRecords(wanted), settled)
}

const readNotes = ({ badEnds, lines, opened }: JournalContent, proven: Proven) =>
  Effect.map(
    Effect.suspend(() => changedFiles(touchesOf(lines))),
    (files): ReadonlyArray<ResumeNote> => [
      ...repaired(badEnds.length),
      ...unproven(proven),
      ...unknown(lines),
      ...changed(opened.order.runId, files)
    ]
  )

export class ResumeNotes extends Context.Service<
  ResumeNotes,
  { readonly read: Effect.Effect<ReadonlyArray<ResumeNote>, never, RunSettings | Workspace> }
>()("task-conductor/services/history/ResumeNotes") {
  /** For a new run, which has no earlier session. */
  static readonly layerNone = Layer.succeed(ResumeNotes)({ read: Effect.succeed([]) })

  /** For a new run with a journal; `problem` says why it cannot be proven later. */
  static readonly layerNew = (problem: string | undefined) =>
    Layer.succeed(ResumeNotes)({ read: Effect.succeed(keyMissing(problem)) })

  /** For a resumed run. */
  static readonly layer = (content: JournalContent, proven: Proven) =>
    Layer.succeed(ResumeNotes)({ read: readNotes(content, proven) })
}
