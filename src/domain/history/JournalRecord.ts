/**
 * What the journal of a run holds, one record a line: what was asked, what was begun, what came of it. A finished stage
 * or call is never done twice, because its outcome is read from here.
 */
import * as Schema from "effect/Schema"
import { Configuration } from "../configuration/Configuration.ts"
import { EffectClass } from "../tools/Risk.ts"
import { RunEvent } from "../runs/RunEvent.ts"
import { RunOrder } from "../runs/RunOrder.ts"
import { ToolCall } from "../tools/ToolCall.ts"

/** The version of the journal; it grows when an older program could misread a newer one. */
export const journalVersion = 1

/** The first record: what was asked, of which program, with which settings. */
export const RunOpened = Schema.Struct({
  type: Schema.tag("opened"),
  version: Schema.Int,
  program: Schema.String,
  /** Absolute. */
  project: Schema.String,
  order: RunOrder,
  /** What was in force when the run began, so that it goes on in the same way; grants are not among it. */
  settings: Configuration
})
export type RunOpened = typeof RunOpened.Type

/** The run goes on in another process. */
const RunResumed = Schema.Struct({
  type: Schema.tag("resumed"),
  program: Schema.String,
  /** What is in force from here on; what the run was begun with, when absent. */
  settings: Schema.optionalKey(Configuration)
})

/** A file that a call is about to write: the SHA-256 of its text in hex now, `null` when there is none, and then. */
export const FileState = Schema.Struct({
  path: Schema.String,
  before: Schema.NullOr(Schema.String),
  after: Schema.String
})
export type FileState = typeof FileState.Type

/** What a tool is about to do. It is on the disk before the tool starts. */
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

/** A call that was begun and has no outcome; `seq` is the number of the record that says so. */
export interface InDoubtCall extends CallIntent {
  readonly seq: number
}

/** The prompt of a model call, as it was sent. */
export const PromptSent = Schema.Struct({
  type: Schema.tag("prompt"),
  key: Schema.String,
  system: Schema.String,
  user: Schema.String
})
export type PromptSent = typeof PromptSent.Type

/** A call succeeded; `value` is its encoded outcome. */
const CallOutcomeRecord = Schema.Struct({
  type: Schema.tag("outcome"),
  key: Schema.String,
  value: Schema.Json
})

/** A call failed. It may go otherwise the next time, so this is evidence only. */
const CallFailureRecord = Schema.Struct({
  type: Schema.tag("failure"),
  key: Schema.String,
  error: Schema.Json
})

/** A stage came to its end; `value` is its encoded outcome. */
const StageSettled = Schema.Struct({
  type: Schema.tag("settled"),
  key: Schema.String,
  value: Schema.Json
})

/** A question about an approval was answered with yes; `value` is the encoded answer. It is not asked again. */
const QuestionAnswered = Schema.Struct({
  type: Schema.tag("answer"),
  key: Schema.String,
  value: Schema.Json
})

/** What a stage found in the project or the web. The replay of the run finds the same; a run that goes on looks again. */
const WorldSeen = Schema.Struct({
  type: Schema.tag("seen"),
  key: Schema.String,
  value: Schema.Json
})

/** What was told while the run went on. */
export const EventTold = Schema.Struct({ type: Schema.tag("event"), event: RunEvent })

export const JournalRecord = Schema.Union([
  RunOpened,
  RunResumed,
  CallIntent,
  PromptSent,
  CallOutcomeRecord,
  CallFailureRecord,
  StageSettled,
  QuestionAnswered,
  WorldSeen,
  EventTold
])
export type JournalRecord = typeof JournalRecord.Type
