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
import { type JournalLine, recordOf } from "../journal/JournalLine.ts"
import type { JournalContent } from "../journal/JournalReader.ts"
import type { RunSettings } from "../runs/RunSettings.ts"
import type { Workspace } from "../files/Workspace.ts"

/** A warning; `code` says what it is about. */
export interface ResumeNote {
  readonly code: "journal-mended" | "files-changed"
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

const changed = (runId: string, files: ReadonlyArray<ChangedFile>): ReadonlyArray<ResumeNote> => {
  const [first] = files
  if (first === undefined) return []
  const named = files.slice(0, mostNamed).map(({ how, path, task }) => `${path} (${how} by "${task}")`)
  const more = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : ""
  const text = `Somebody changed what this run had read or written: ${named.join(", ")}${more}. What finished tasks found may no longer hold. The run continues with the changed files. To do a task and all after it again: task-conductor fork ${runId} --from "${first.task}"`
  return [{ code: "files-changed", text }]
}

const referencesRead: RunEvent["type"] = "references.read"

/** Decodes only the records about files, since a journal is long. */
const touchesOf = (lines: ReadonlyArray<JournalLine>): ReadonlyArray<FileTouch> => {
  const started = new Set(lines.flatMap(({ key, type }) => (type === "intent" ? [key] : [])))
  const wanted = lines.filter((line) => started.has(line.key) || line.event === referencesRead)
  const settled = lines.flatMap(({ key, type }) => (type === "settled" ? [key] : []))
  return fileTouches(wanted.map(recordOf), settled)
}

const readNotes = ({ badEnds, lines, opened }: JournalContent) =>
  Effect.map(
    Effect.suspend(() => changedFiles(touchesOf(lines))),
    (files): ReadonlyArray<ResumeNote> => [...repaired(badEnds.length), ...changed(opened.order.runId, files)]
  )

export class ResumeNotes extends Context.Service<
  ResumeNotes,
  { readonly read: Effect.Effect<ReadonlyArray<ResumeNote>, never, RunSettings | Workspace> }
>()("task-conductor/services/history/ResumeNotes") {
  /** For a new run, which has no earlier session. */
  static readonly layerNone = Layer.succeed(ResumeNotes)({ read: Effect.succeed([]) })

  /** For a resumed run. */
  static readonly layer = (content: JournalContent) => Layer.succeed(ResumeNotes)({ read: readNotes(content) })
}
