/** Handles records that this version does not know: which version wrote them, and what they mean for the run. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { recordKinds } from "../../domain/journal/JournalRecord.ts"
import { JournalError } from "./JournalError.ts"
import { type JournalLine, readRecord } from "./JournalLine.ts"

const decodeProgram = Schema.decodeUnknownOption(Schema.Struct({ program: Schema.String }))

/** The version of the program that wrote a line, recorded at the beginning of its session. */
const programOf = (lines: ReadonlyArray<JournalLine>, { seq }: JournalLine): string => {
  const session = lines.findLast((line) => line.seq <= seq && (line.type === "opened" || line.type === "resumed"))
  const found = session === undefined ? Option.none() : decodeProgram(session.json)
  return Option.match(found, { onNone: () => "of an unknown version", onSome: ({ program }) => program })
}

/** The error for an unreadable record that the run needs. */
const errorOf = (lines: ReadonlyArray<JournalLine>, line: JournalLine, path: string): JournalError =>
  new JournalError({
    path,
    reason: { _tag: "UnknownRecord", line: line.seq, kind: line.type, program: programOf(lines, line) }
  })

/** The error for an unreadable record with this key. */
export const unknownRecord = (lines: ReadonlyArray<JournalLine>, key: string): JournalError => {
  const line = lines.findLast((one) => one.key === key)
  const reason = { _tag: "UnknownRecord" as const, line: 0, kind: "unknown", program: "of an unknown version" }
  return line === undefined ? new JournalError({ path: "of the run", reason }) : errorOf(lines, line, "of the run")
}

/** Records that a run needs: without an intent, for example, a call could happen twice. */
const needed: ReadonlySet<string> = new Set(["opened", "resumed", "intent"])

/** The error for the first unreadable record that the run needs, if any. */
export const neededUnknown = (lines: ReadonlyArray<JournalLine>, path: string): JournalError | undefined => {
  const line = lines.find((one) => needed.has(one.type) && readRecord(one) === undefined)
  return line === undefined ? undefined : errorOf(lines, line, path)
}

/** A sentence about skipped records; undefined if there are none. `isUnknown` decides which lines count. */
export const leftOutNote = (
  lines: ReadonlyArray<JournalLine>,
  isUnknown: (line: JournalLine) => boolean = ({ type }) => !recordKinds.has(type)
): string | undefined => {
  const unknown = lines.filter(isUnknown)
  if (unknown.length === 0) return undefined
  const kinds = [...new Set(unknown.map(({ event, type }) => (event === "" ? type : `${type} ${event}`)))].slice(0, 5)
  const programs = [...new Set(unknown.map((line) => programOf(lines, line)))].slice(0, 5)
  const records = unknown.length === 1 ? "One record" : `${unknown.length} records`
  return `${records} of this journal (${kinds.join(", ")}) cannot be read by this version and ${unknown.length === 1 ? "is" : "are"} left out: task-conductor ${programs.join(", ")} wrote them. Use that version or a newer one to see all.`
}
