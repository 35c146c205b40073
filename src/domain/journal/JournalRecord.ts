/**
 * The records of a journal, one per line. A finished stage or call is not repeated in a resumed run, because its outcome
 * is read from here.
 */
import * as Schema from "effect/Schema"
import { FileKind } from "../files/FileKind.ts"
import { Configuration } from "../configuration/Configuration.ts"
import { EffectClass } from "../tools/Access.ts"
import { SavedEvent } from "../runs/RunEvent.ts"
import { RunOrder } from "../runs/RunOrder.ts"
import { ToolCall } from "../tools/ToolCall.ts"
import { RunReport } from "../runs/RunReport.ts"

/** The version of the journal; it grows when an older program could misread a newer journal. */
export const journalVersion = 1

/** The first record: the order, the version of the program, the settings. */
export const RunOpened = Schema.Struct({
  type: Schema.tag("opened"),
  version: Schema.Int,
  program: Schema.String,
  /** Absolute. */
  project: Schema.String,
  order: RunOrder,
  /** The settings at the start, without permissions, so that a resumed run has the same. */
  settings: Configuration
})
export type RunOpened = typeof RunOpened.Type

/**
 * A file that a call is about to change: the SHA-256 of its text before and after, or what identifies a content without a text;
 * `null` when there is none.
 */
export const FileState = Schema.Struct({
  path: Schema.String,
  before: Schema.NullOr(Schema.String),
  /** `null` when the file is removed. */
  after: Schema.NullOr(Schema.String),
  /** The SHA-256 of the bytes before, which are kept; `null` when there was no file. Absent when nothing is kept. */
  was: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The mode before; absent when there was no file, and when it stays. */
  mode: Schema.optionalKey(Schema.Int),
  /** What the file becomes, when that is not what it was. */
  kind: Schema.optionalKey(FileKind),
  /** The outermost folder that is made for the file. */
  folder: Schema.optionalKey(Schema.String),
  /** The SHA-256 of the text of bytes that are moved here. */
  reads: Schema.optionalKey(Schema.String),
  /** The folder that goes as a whole with the file. */
  goes: Schema.optionalKey(Schema.String)
})
export type FileState = typeof FileState.Type

/** What a tool is about to do. It is written to the disk before the tool starts, unless the call can simply be repeated. */
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

/** A call that was begun and has no outcome; `seq` is the number of its intent record. */
export interface UncertainCall extends CallIntent {
  readonly seq: number
  /** The outcome of a call in whose place another one stands now, since its answer was not kept. */
  readonly outcome?: Schema.Json
}

/** The prompt of a model call as it was sent. */
export const PromptSent = Schema.Struct({
  type: Schema.tag("prompt"),
  key: Schema.String,
  /** Absent when it is that of an earlier prompt. */
  system: Schema.optionalKey(Schema.String),
  /** The key of that prompt. */
  systemOf: Schema.optionalKey(Schema.String),
  user: Schema.String
})
export type PromptSent = typeof PromptSent.Type

export const EventPublished = Schema.Struct({ type: Schema.tag("event"), event: SavedEvent })

/** Values come from a schema or from JSON: nothing in them has to be looked at again. */
const AnyJson = Schema.declare((_value): _value is Schema.Json => true)

const recordedValue = { key: Schema.String, value: AnyJson }

/** One record. Values are encoded. */
export const JournalRecord = Schema.Union([
  RunOpened,
  /** The run was resumed in another process. `settings` are those from here on; those of `opened`, when absent. */
  Schema.Struct({
    type: Schema.tag("resumed"),
    program: Schema.String,
    settings: Schema.optional(Configuration),
    /** Where the project is from here on, when it was moved. Absolute. */
    project: Schema.optional(Schema.String)
  }),
  CallIntent,
  PromptSent,
  /** A call succeeded. */
  Schema.Struct({ type: Schema.tag("outcome"), ...recordedValue }),
  /** A call failed. It is repeated in a resumed run, so this is for `show` only. */
  Schema.Struct({ type: Schema.tag("failure"), key: Schema.String, error: AnyJson }),
  /** A stage ended. */
  Schema.Struct({ type: Schema.tag("settled"), ...recordedValue }),
  /** A question was answered: with an approval, with what to do instead of what was declined, or in words. It is not asked again. */
  Schema.Struct({ type: Schema.tag("answer"), ...recordedValue }),
  /** What a stage read from the project or the web. A replay uses it; a resumed run reads again. */
  Schema.Struct({ type: Schema.tag("seen"), ...recordedValue }),
  EventPublished
])
export type JournalRecord = typeof JournalRecord.Type

/** The kinds of records that this version knows. */
export const recordKinds: ReadonlySet<string> = new Set(
  JournalRecord.members.map(({ fields }) => fields.type.schema.literal)
)

/** A run on several machines as the database stores it. */
export const ClusterRun = Schema.Struct({
  opened: RunOpened,
  /** The `--allow` rules of the client. */
  allow: Schema.Array(Schema.String),
  /** All steps were approved beforehand. */
  approveSteps: Schema.Boolean,
  /** Steps and calls were approved beforehand, but for what only a person may allow. */
  yes: Schema.optionalKey(Schema.Boolean),
  /** Runs of a higher priority come first; 0 when absent. */
  priority: Schema.optionalKey(Schema.Int)
})
export type ClusterRun = typeof ClusterRun.Type

/** The report, or why the run could not be started, with the exit code. */
export const ClusterRunEnding = Schema.Union([
  RunReport,
  Schema.Struct({ refused: Schema.String, exitCode: Schema.Int })
])
export type ClusterRunEnding = typeof ClusterRunEnding.Type

/**
 * Makes the function that leaves out of the prompts of one session, in their order, what an earlier one began with: the
 * prompts of a stage begin with the same long text.
 */
export const makeSharedPrompts = (): ((record: JournalRecord) => JournalRecord) => {
  const keys = new Map<string, string>()
  return (record) => {
    if (record.type !== "prompt" || record.system === undefined) return record
    const { key, system, user } = record
    const first = keys.get(system)
    /* A name can be longer than the text that it stands for. */
    if (first !== undefined && first.length < system.length) return { type: "prompt", key, systemOf: first, user }
    keys.set(system, key)
    return record
  }
}

/** Makes the function that gives each prompt its whole text. It is called with all records of a journal in their order. */
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

/** A record and when it was written, in milliseconds since 1970. */
export interface TimedRecord {
  readonly at: number
  readonly record: JournalRecord
}
