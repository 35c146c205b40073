/**
 * Defines the records of a journal, one for each line. A resumed run takes the outcomes of finished stages and calls
 * from these records, and does not repeat the work.
 */
import * as Schema from "effect/Schema"
import { FileKind } from "../files/FileKind.ts"
import { Configuration } from "../configuration/Configuration.ts"
import { EffectClass } from "../tools/Access.ts"
import { SavedEvent } from "../runs/RunEvent.ts"
import { RunOrder } from "../runs/RunOrder.ts"
import { ToolCall } from "../tools/ToolCall.ts"
import { RunReport } from "../runs/RunReport.ts"

/** The version of the journal format. It increases if an older program could misread a newer journal. */
export const journalVersion = 1

/** The first record of a journal: the order for the run, the version of the program, and the settings. */
export const RunOpened = Schema.Struct({
  type: Schema.tag("opened"),
  version: Schema.Int,
  program: Schema.String,
  /** The absolute path. */
  project: Schema.String,
  order: RunOrder,
  /** The settings with which the run started, without permissions. A resumed run uses the same settings. */
  settings: Configuration
})
export type RunOpened = typeof RunOpened.Type

/**
 * A file that a call is about to change. `before` is the SHA-256 of its text before the call. If the content is not
 * text, `before` is another string that identifies the content. `before` is `null` if there is no file.
 */
export const FileState = Schema.Struct({
  path: Schema.String,
  before: Schema.NullOr(Schema.String),
  /** The content after the call, in the same form as `before`. `null` if the call removes the file. */
  after: Schema.NullOr(Schema.String),
  /** The SHA-256 of the bytes before the call; `null` if there was no file. Absent if the bytes are not stored. */
  was: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The mode before the call. Absent if there was no file, or if the call keeps the mode. */
  mode: Schema.optionalKey(Schema.Int),
  /** The new kind of the file, if the call changes it. */
  kind: Schema.optionalKey(FileKind),
  /** The outermost folder that the call creates for the file. */
  folder: Schema.optionalKey(Schema.String),
  /** For a moved file, the SHA-256 of the file's text. */
  reads: Schema.optionalKey(Schema.String),
  /** The folder that contains the file, if the call removes or moves this folder as a whole. */
  goes: Schema.optionalKey(Schema.String)
})
export type FileState = typeof FileState.Type

/**
 * What a call is about to do. This record is on disk before the tool starts, unless the call can be repeated without
 * harm.
 */
export const CallIntent = Schema.Struct({
  type: Schema.tag("intent"),
  key: Schema.String,
  call: ToolCall,
  task: Schema.String,
  effect: EffectClass,
  targets: Schema.Array(Schema.String),
  files: Schema.Array(FileState)
})
export type CallIntent = typeof CallIntent.Type

/** A call that began and has no outcome. `seq` is the number of the record of its intent. */
export interface UncertainCall extends CallIntent {
  readonly seq: number
  /**
   * The outcome of the call; `null` if it is unknown. Set only if the journal lacks the answer in which the model asked
   * for this call. If a new answer asks for another call instead, the program does not make that other call. The model
   * gets this outcome as the result of the other call.
   */
  readonly outcome?: Schema.Json
}

/** A prompt as the program sent it to a model. */
export const PromptSent = Schema.Struct({
  type: Schema.tag("prompt"),
  key: Schema.String,
  /** The system text of the prompt. Absent if an earlier prompt has the same text. */
  system: Schema.optionalKey(Schema.String),
  /** The key of that earlier prompt. */
  systemOf: Schema.optionalKey(Schema.String),
  user: Schema.String
})
export type PromptSent = typeof PromptSent.Type

export const EventPublished = Schema.Struct({ type: Schema.tag("event"), event: SavedEvent })

/** The values come from a schema or from JSON, so they need no further check. */
const AnyJson = Schema.declare((_value): _value is Schema.Json => true)

const recordedValue = { key: Schema.String, value: AnyJson }

/** A record of a journal. Its values are encoded. */
export const JournalRecord = Schema.Union([
  RunOpened,
  /**
   * Another process resumed the run. `settings` apply from here on. If they are absent, the settings of `opened` still
   * apply.
   */
  Schema.Struct({
    type: Schema.tag("resumed"),
    program: Schema.String,
    settings: Schema.optional(Configuration),
    /** The absolute path of the project from here on, if the user has moved it. */
    project: Schema.optional(Schema.String)
  }),
  CallIntent,
  PromptSent,
  /** A call succeeded. */
  Schema.Struct({ type: Schema.tag("outcome"), ...recordedValue }),
  /** A call failed. Only `show` reads this record, because a resumed run repeats the call. */
  Schema.Struct({ type: Schema.tag("failure"), key: Schema.String, error: AnyJson }),
  /** A stage ended. */
  Schema.Struct({ type: Schema.tag("settled"), ...recordedValue }),
  /**
   * The user answered a question: with a decision, with the change that the user wants instead, or with words. A
   * resumed run does not ask again.
   */
  Schema.Struct({ type: Schema.tag("answer"), ...recordedValue }),
  /**
   * Content that a stage read from the project or the web. A replay uses this record. A resumed run does not, and reads
   * the content again.
   */
  Schema.Struct({ type: Schema.tag("seen"), ...recordedValue }),
  EventPublished
])
export type JournalRecord = typeof JournalRecord.Type

/** The kinds of records that this version knows. */
export const recordKinds: ReadonlySet<string> = new Set(
  JournalRecord.members.map(({ fields }) => fields.type.schema.literal)
)

/** A run that several machines execute, as the database stores it. */
export const ClusterRun = Schema.Struct({
  opened: RunOpened,
  /** The `--allow` rules of the client. */
  allow: Schema.Array(Schema.String),
  /** True if the user approved all steps in advance. */
  approveSteps: Schema.Boolean,
  /**
   * True if the user approved all steps and calls in advance. Accesses that always need the answer of a user are not
   * included.
   */
  yes: Schema.optionalKey(Schema.Boolean),
  /** Runs of a higher priority come first; 0 if absent. */
  priority: Schema.optionalKey(Schema.Int)
})
export type ClusterRun = typeof ClusterRun.Type

/** How a run ended: the report of the run, or the reason and the exit code of a run that could not start. */
export const ClusterRunEnding = Schema.Union([
  RunReport,
  Schema.Struct({ refused: Schema.String, exitCode: Schema.Int })
])
export type ClusterRunEnding = typeof ClusterRunEnding.Type

/**
 * Returns a function that removes a system text from a record if an earlier prompt of the session contains the same
 * text. This saves much space, because all prompts of a stage begin with the same long text. The function must receive
 * the records in order.
 */
export const makeSharedPrompts = (): ((record: JournalRecord) => JournalRecord) => {
  const keys = new Map<string, string>()
  return (record) => {
    if (record.type !== "prompt" || record.system === undefined) return record
    const { key, system, user } = record
    const first = keys.get(system)
    /** A short text is not removed, because the key that would take its place can be longer. */
    if (first !== undefined && first.length < system.length) return { type: "prompt", key, systemOf: first, user }
    keys.set(system, key)
    return record
  }
}

/** Returns a function that puts the removed system texts back. It must receive all records of a journal in order. */
export const makeWholePrompts = (): ((record: JournalRecord) => JournalRecord) => {
  const texts = new Map<string, string>()
  return (record) => {
    if (record.type !== "prompt") return record
    const { key, system, systemOf = "", user } = record
    if (system !== undefined) texts.set(key, system)
    const whole = system ?? texts.get(systemOf)
    return whole === undefined ? record : { type: "prompt", key, system: whole, user }
  }
}

/** A record and the time of its writing, in milliseconds since 1970. */
export interface TimedRecord {
  readonly at: number
  readonly record: JournalRecord
}
