/**
 * The outcome of a task's turns: the calls so far, the calls that still need approval, and the report.
 */
import * as Schema from "effect/Schema"
import { CheckOutcome } from "../checks/CheckOutcome.ts"
import { FileFact, SeenFact } from "../checks/Facts.ts"
import { ProposedFile } from "../files/ProposedFile.ts"
import { ItemResult } from "../plan/ForEach.ts"
import { Task } from "../plan/Task.ts"
import { ResultDocument } from "../plan/TaskResult.ts"
import { CallOutcome, ToolCall } from "../tools/ToolCall.ts"
import { AnsweredBy } from "../permissions/Answer.ts"

/** A number for `number`, a boolean for `yes-no`, and otherwise text of one line. */
export const InputValue = Schema.Struct({
  name: Schema.String,
  value: Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
})
export type InputValue = typeof InputValue.Type

/** The state of a file before a proposed change. Holds the change itself where its call is incomplete. */
const FileBase = Schema.Struct({
  path: Schema.String,
  /** Null for an absent file, and for one that is not text. */
  text: Schema.NullOr(Schema.String),
  now: Schema.optionalKey(
    Schema.Struct({
      text: ProposedFile.fields.text,
      kind: ProposedFile.fields.kind,
      holds: ProposedFile.fields.holds,
      from: ProposedFile.fields.from,
      folder: ProposedFile.fields.folder
    })
  )
})
export type FileBase = typeof FileBase.Type

/** The typed inputs of the skill of a task in its order; absent when it has none. */
export const TaskInputs = Schema.optionalKey(Schema.NonEmptyArray(InputValue))

export const TaskOutcome = Schema.Struct({
  task: Task,
  inputs: TaskInputs,
  /** The calls of the turns with their outcomes; absent without calls. They do not run again. */
  priorCalls: Schema.optionalKey(Schema.NonEmptyArray(CallOutcome)),
  /** The calls that write the working copy to the project. */
  calls: Schema.Array(ToolCall),
  /** The texts of the files before the calls, null for an absent file. */
  bases: Schema.optionalKey(Schema.Array(FileBase)),
  /** Who declined a further change, for a task that had already changed something. */
  declined: Schema.optionalKey(AnsweredBy),
  turns: Schema.optionalKey(Schema.Int),
  /** How often the changes were merged with others of the same files, and how often they clashed; absent for never. */
  joined: Schema.optionalKey(Schema.Struct({ times: Schema.Int, clashes: Schema.Int })),
  /** The files that the calls change. */
  files: Schema.optionalKey(Schema.Array(FileFact)),
  /** The checks of the last changes; absent without changes or without a known check. */
  checks: Schema.optionalKey(Schema.Array(CheckOutcome)),
  /** The references that the model saw only in part. */
  seen: Schema.optionalKey(Schema.NonEmptyArray(SeenFact)),
  /** True for a report about the project whose model looked at nothing. */
  unfounded: Schema.optionalKey(Schema.Boolean),
  /** The result of each item of a for-each task. */
  items: Schema.optionalKey(Schema.Array(ItemResult)),
  /** The report; absent when a user wrote the calls, which have not run. */
  result: Schema.optionalKey(ResultDocument)
}).pipe(Schema.encodeKeys({ priorCalls: "looks" }))
export type TaskOutcome = typeof TaskOutcome.Type

/** Equal for calls that do the same. */
export const callSign = ({ arguments: given, name }: ToolCall): string => JSON.stringify([name, given])
