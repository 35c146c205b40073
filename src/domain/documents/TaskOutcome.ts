/**
 * What the turns of a task come to: what was called on the way, the calls that are still to be approved and made, and the report.
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

/** What a file was when its change was proposed, and the change where its call does not say all of it. */
const FileBase = Schema.Struct({
  path: Schema.String,
  /** Null for a file that is not there, and for one without a text. */
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
  /** The calls of the turns with their outcomes; absent when there were none. They are not made again. */
  priorCalls: Schema.optionalKey(Schema.NonEmptyArray(CallOutcome)),
  /** What changes the project: the files of the working copy. */
  calls: Schema.Array(ToolCall),
  /** The texts that the calls begin with, by file; null for a file that is not there. */
  bases: Schema.optionalKey(Schema.Array(FileBase)),
  /** Who declined a further change, for a task that had changed something by then. */
  declined: Schema.optionalKey(AnsweredBy),
  /** How many turns were taken. */
  turns: Schema.optionalKey(Schema.Int),
  /** How often the changes were put together with others of the same files, and how often they clashed; absent for never. */
  joined: Schema.optionalKey(Schema.Struct({ times: Schema.Int, clashes: Schema.Int })),
  /** The files that the calls change. */
  files: Schema.optionalKey(Schema.Array(FileFact)),
  /** The checks of the last changes; absent when there were no changes, or no check is known. */
  checks: Schema.optionalKey(Schema.Array(CheckOutcome)),
  /** The references that were seen in part. */
  seen: Schema.optionalKey(Schema.NonEmptyArray(SeenFact)),
  /** True for a report about the project for which nothing was looked at. */
  unfounded: Schema.optionalKey(Schema.Boolean),
  /** What became of each item, for a task for each item. */
  items: Schema.optionalKey(Schema.Array(ItemResult)),
  /** The report; absent for the calls of a refinement that a person wrote, which have not been made. */
  result: Schema.optionalKey(ResultDocument)
}).pipe(Schema.encodeKeys({ priorCalls: "looks" }))
export type TaskOutcome = typeof TaskOutcome.Type

/** The same for calls that do the same. */
export const callSign = ({ arguments: given, name }: ToolCall): string => JSON.stringify([name, given])
