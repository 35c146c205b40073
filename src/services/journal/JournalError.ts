/** The problems of a journal, with messages that tell the user what to do. */
import * as Schema from "effect/Schema"

export const JournalReason = Schema.Union([
  Schema.TaggedStruct("Missing", {}),
  Schema.TaggedStruct("NotAFile", {}),
  Schema.TaggedStruct("Unreadable", { code: Schema.String }),
  Schema.TaggedStruct("Empty", {}),
  /** The journal is larger than the limit. Sizes are in bytes. */
  Schema.TaggedStruct("TooLarge", { bytes: Schema.Number, most: Schema.Number }),
  Schema.TaggedStruct("OtherVersion", { found: Schema.Int, supported: Schema.Int }),
  /** The run needs a record that this version cannot read. `program` is the version that wrote it. */
  Schema.TaggedStruct("UnknownRecord", { line: Schema.Int, kind: Schema.String, program: Schema.String }),
  /** The journal is in the folder of another run. `found` is the run to which the journal belongs. */
  Schema.TaggedStruct("Misplaced", { found: Schema.String }),
  /** The file does not begin like a journal. */
  Schema.TaggedStruct("Foreign", {}),
  /** A line is damaged. All lines before it are intact. */
  Schema.TaggedStruct("Damaged", { line: Schema.Int, what: Schema.Literals(["shape", "sequence", "sum"]) }),
  /** The database with the journal does not respond. */
  Schema.TaggedStruct("DatabaseFailed", { what: Schema.String }),
  /** The file can no longer be written. `safe` is the number of records on disk. */
  Schema.TaggedStruct("WriteFailed", { code: Schema.String, safe: Schema.Int })
])
export type JournalReason = typeof JournalReason.Type

const damages = {
  shape: "is not a record",
  sequence: "is out of order: a line is missing, doubled, moved or foreign",
  sum: "was changed: its checksum does not hold"
} as const

/** The cause of each error code of a write, and what the user can do. */
const writeRemedies: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. Make room",
  EDQUOT: "Your share of the disk is used up. Make room",
  EFBIG: "The file would be larger than the system allows. Raise the limit (ulimit -f)",
  EROFS: "The file system is read-only. Make it writable, or set XDG_STATE_HOME to another folder",
  EACCES: "You may not write there. Make the folder yours (chown, chmod), or set XDG_STATE_HOME to a folder of yours",
  EPERM: "You may not write there. Make the folder yours (chown, chmod), or set XDG_STATE_HOME to a folder of yours",
  ENOENT: "The folder cannot be made there. Set XDG_STATE_HOME to a folder of yours",
  ENOTDIR: "A part of the path is a file, not a folder. Move it, or set XDG_STATE_HOME to a folder of yours",
  EIO: "The disk is failing. Save what you have"
}

const writeRemedy = (code: string, safe: number): string => {
  const remedy = writeRemedies[code] ?? "Look at the folder and the disk"
  return `${remedy}, then ${safe === 0 ? "start" : "resume"} the run.`
}

const text = (reason: JournalReason): string => {
  switch (reason._tag) {
    case "Missing":
      return 'is not there. "task-conductor runs" lists the runs that are.'
    case "NotAFile":
      return "is not a regular file. Remove it, or put the file back."
    case "Unreadable":
      return `cannot be read: the system says ${reason.code}. Look at the permissions of the file and its folders.`
    case "Empty":
      return "is empty: the run ended before anything was written. Start it anew."
    case "TooLarge":
      return `has ${reason.bytes} bytes, at most ${reason.most} are read. It was not written by this program, or it is damaged.`
    case "OtherVersion":
      return `has version ${reason.found} of the format, this program reads ${reason.supported}. Use the version of task-conductor that wrote it.`
    case "UnknownRecord":
      return `has a record in line ${reason.line} (${reason.kind}) that was written by task-conductor ${reason.program} and that this version cannot read. Go on with that version or a newer one. "task-conductor show" shows what can be read.`
    case "Misplaced":
      return `is that of the run ${reason.found}. Give the folder of the run back its name.`
    case "Foreign":
      return "does not begin as a journal of task-conductor does. Nothing of it is used."
    case "Damaged":
      return `is damaged: line ${reason.line} ${damages[reason.what]}. The ${reason.line - 1} lines before it are intact. "task-conductor runs repair" sets the rest aside, so that the run can be resumed from there.`
    case "DatabaseFailed":
      return `is not available: ${reason.what}. The records in the database are safe, and no work after them was begun. Try again when the database answers.`
    case "WriteFailed":
      return `cannot be written: the system says ${reason.code}. ${reason.safe} records are safe, nothing after them was begun. ${writeRemedy(reason.code, reason.safe)}`
  }
}

/** Says that the journal at `path` cannot be used. */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  path: Schema.String,
  reason: JournalReason
}) {
  override get message(): string {
    return `The journal ${this.path} ${text(this.reason)}`
  }
}
