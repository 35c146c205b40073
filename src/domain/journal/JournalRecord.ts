/**
 * Defines the records of a journal, one on each line. A resumed run takes the outcomes of finished stages and calls
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

/** The version of the format. It increases if an older program could misread a newer journal. */
export const journalVersion = 1

/** The first record: the order for the run, the version of the program, and the settings. */
export const RunOpened = Schema.Struct({
  type: Schema.tag("opened"),
  version: Schema.Int,
  program: Schema.String,
  /** The absolute path. */
  project: Schema.String,
  order: RunOrder,
  /** The settings of the run, without permissions. A resumed run uses them too. */
  settings: Configuration
})
export type RunOpened = typeof RunOpened.Type

/**
 * A file that a call is about to change. `before` is the SHA-256 of its text, or another string that identifies content
 * other than text. `null` if there is no file.
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
  /** The folder around the file, if the call removes or moves this folder as a whole. */
  goes: Schema.optionalKey(Schema.String)
})
export type FileState = typeof FileState.Type

/** What a call is about to do. It is on disk before the tool starts, unless the call can be repeated without harm. */
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

/** A call that began and has no outcome. `seq` is the number of its intent's record. */
export interface UncertainCall extends CallIntent {
  readonly seq: number
  /**
   * The outcome of the call; `null` if unknown. Present only if the journal lacks the answer that asked for this call.
   * The model then answers again. If its new answer has a different call here, that call is not made, and its result
   * shows this outcome.
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

/** The values come from a schema or from JSON, and need no check. */
const AnyJson = Schema.declare((_value): _value is Schema.Json => true)

const recordedValue = { key: Schema.String, value: AnyJson }

/** A record of a journal. Its values are encoded. */
export const JournalRecord = Schema.Union([
  RunOpened,
  /**
   * Another process resumed the run. `settings` apply from this record on. If they are absent, the earlier settings
   * still apply.
   */
  Schema.Struct({
    type: Schema.tag("resumed"),
    program: Schema.String,
    settings: Schema.optional(Configuration),
    /** The new absolute path of the project, if the user moved it. */
    project: Schema.optional(Schema.String)
  }),
  CallIntent,
  PromptSent,
  /** A call succeeded. */
  Schema.Struct({ type: Schema.tag("outcome"), ...recordedValue }),
  /** A call failed. Only `show` reads this, because a resumed run repeats the call. */
  Schema.Struct({ type: Schema.tag("failure"), key: Schema.String, error: AnyJson }),
  /** A stage ended. */
  Schema.Struct({ type: Schema.tag("settled"), ...recordedValue }),
  /**
   * The user answered a question: with a decision, with the change that the user wants instead, or with words. A
   * resumed run does not ask again.
   */
  Schema.Struct({ type: Schema.tag("answer"), ...recordedValue }),
  /**
   * Content that a stage read from the project or the web. Only a replay uses it; a resumed run reads the content
   * again.
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
  /** True if the user approved all steps and calls in advance, except accesses that always need an answer. */
  yes: Schema.optionalKey(Schema.Boolean),
  /** Runs of a higher priority come first; 0 if absent. */
  priority: Schema.optionalKey(Schema.Int)
})
export type ClusterRun = typeof ClusterRun.Type

/** How a run ended: its report, or the reason and exit code if it could not start. */
export const ClusterRunEnding = Schema.Union([
  RunReport,
  Schema.Struct({ refused: Schema.String, exitCode: Schema.Int })
])
export type ClusterRunEnding = typeof ClusterRunEnding.Type

/**
 * Makes a function that removes a system text which an earlier prompt has too. This saves much space, because all
 * prompts of a stage begin with the same long text. It must receive the records in order.
 */
export const makeSharedPrompts = (): ((record: JournalRecord) => JournalRecord) => {
  const keys = new Map<string, string>()
  return (record) => {
    if (record.type !== "prompt" || record.system === undefined) return record
    const { key, system, user } = record
    const first = keys.get(system)
    /** A text stays if it is not longer than the key that would replace it. */
    if (first !== undefined && first.length < system.length) return { type: "prompt", key, systemOf: first, user }
    keys.set(system, key)
    return record
  }
}

/** Makes a function that puts removed system texts back. It must receive all records of a journal in order. */
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
