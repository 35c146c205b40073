/** The outcome of a task's turns: the calls that ran, the calls that still need approval, and the report. */
import * as Schema from "effect/Schema"
import { CheckOutcome } from "../checks/CheckOutcome.ts"
import { FileFact, SeenFact } from "../checks/Facts.ts"
import { ProposedFile } from "../files/ProposedFile.ts"
import { ItemResult } from "../plan/ForEach.ts"
import { Task } from "../plan/Task.ts"
import { ResultDocument } from "../plan/TaskResult.ts"
import { CallOutcome, ToolCall } from "../tools/ToolCall.ts"
import { AnsweredBy } from "../permissions/Answer.ts"

/** An input of a skill: a number for the type `number`, a boolean for `yes-no`, otherwise a line of text. */
export const InputValue = Schema.Struct({
  name: Schema.String,
  value: Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
})
export type InputValue = typeof InputValue.Type

/** The state of a file before a proposed change. If no call can express the change, `now` holds the changed file. */
const FileBase = Schema.Struct({
  path: Schema.String,
  /** The old text. Null if the file did not exist or is not text. */
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

/** The typed inputs of the skill, in the order of the skill. Absent if the skill has no inputs. */
export const TaskInputs = Schema.optionalKey(Schema.NonEmptyArray(InputValue))

export const TaskOutcome = Schema.Struct({
  task: Task,
  inputs: TaskInputs,
  /** The calls that ran in the turns, with their outcomes. They do not run again. Absent if there are none. */
  priorCalls: Schema.optionalKey(Schema.NonEmptyArray(CallOutcome)),
  /** The calls that write the changes of the working copy to the project. */
  calls: Schema.Array(ToolCall),
  /** The texts of the files before `calls` run; null for an absent file. */
  bases: Schema.optionalKey(Schema.Array(FileBase)),
  /** Who declined a further change. Set only if the task had already changed files. */
  declined: Schema.optionalKey(AnsweredBy),
  turns: Schema.optionalKey(Schema.Int),
  /**
   * How often the changes were merged with other changes of the same files, and how often they clashed. Absent if the
   * changes were never merged.
   */
  joined: Schema.optionalKey(Schema.Struct({ times: Schema.Int, clashes: Schema.Int })),
  /** The files that `calls` change. */
  files: Schema.optionalKey(Schema.Array(FileFact)),
  /** The checks of the last changes; absent if nothing changed or the project has no known check. */
  checks: Schema.optionalKey(Schema.Array(CheckOutcome)),
  /** The references that the model saw only in part. */
  seen: Schema.optionalKey(Schema.NonEmptyArray(SeenFact)),
  /** True if the report is about the project, but the model made no call. */
  unfounded: Schema.optionalKey(Schema.Boolean),
  /** The results of the items of a for-each task. */
  items: Schema.optionalKey(Schema.Array(ItemResult)),
  /** The report. Absent if a user wrote the calls, which have not run yet. */
  result: Schema.optionalKey(ResultDocument)
}).pipe(Schema.encodeKeys({ priorCalls: "looks" }))
export type TaskOutcome = typeof TaskOutcome.Type

/** A key for comparing calls by tool and arguments. */
export const callSign = ({ arguments: given, name }: ToolCall): string => JSON.stringify([name, given])
