/** What the stages of a task receive, and how they fail. */
import * as Arr from "effect/Array"
import * as Schema from "effect/Schema"
import { checkFact } from "../../domain/checks/Facts.ts"
import type { NumberedPlace } from "../../domain/documents/Places.ts"
import { TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { type FailureCause, TaskFailure, type TaskPhase, type TaskResult } from "../../domain/plan/TaskResult.ts"
import type { Skill } from "../../domain/skills/Skill.ts"
import { badExit, type CallOutcome } from "../../domain/tools/ToolCall.ts"
import type { PermissionDenied } from "../permissions/GateQuestion.ts"
import type { AttemptsExhausted } from "./Attempts.ts"
import type { ReferenceError } from "../references/References.ts"
import type { TooManyDenials } from "../tools/CallRecords.ts"
import { AnsweredBy } from "../../domain/permissions/Answer.ts"

/** The changes of a task, merged with the current texts of their files. */
export const JoinedChanges = Schema.Struct({
  /** The outcome before the merge. Its calls change the files in `own`. */
  outcome: TaskOutcome,
  /** The changes of other tasks. The changes of this task are merged on top of them. */
  others: Schema.Array(ProposedFile),
  /** The merged changes of the task, without clashes. */
  own: Schema.Array(ProposedFile),
  /** The clashes, as text for the model. Empty if there are none. */
  clash: Schema.String,
  /** True if the merged changes are checked. */
  checks: Schema.Boolean
})
export type JoinedChanges = typeof JoinedChanges.Type

export interface TaskOrder {
  readonly briefing: Briefing
  readonly task: Task
  readonly goals?: string
  readonly round: number
  /** The position of the task's step, from 0. */
  readonly step: number
  /** Results of earlier rounds, and of tasks that this task refers to. */
  readonly finished: ReadonlyArray<TaskResult>
  readonly isItem?: boolean
  /** The places that the task decides by number. */
  readonly places?: ReadonlyArray<NumberedPlace>
  /** Present if the task continues after its report, because other tasks or processes changed the same files. */
  readonly joined?: JoinedChanges
}

/** What the user and the plan ask for, in their own words. */
export const requestOf = ({ briefing, goals = "", task }: Pick<TaskOrder, "briefing" | "goals" | "task">): string =>
  [briefing.prompt, goals, task.name, task.whatIsNeeded, task.expectedOutput].join("\n")

/** Says that the calls of the task were declined. The task ends without a result. */
export class CallsDeclined extends Schema.TaggedError<CallsDeclined>()("CallsDeclined", {
  by: AnsweredBy
}) {}

type TaskError = AttemptsExhausted | ModelError | ReferenceError | TooManyDenials

const denied = ({ by, targets, tool }: PermissionDenied): FailureCause => ({ _tag: "Denied", tool, targets, by })

const causeOf = (error: TaskError): FailureCause => {
  switch (error._tag) {
    case "AttemptsExhausted":
      return {
        _tag: "NoValidAnswer",
        attempts: error.attempts,
        repeated: error.repeated,
        ...(error.unable === undefined ? {} : { unable: error.unable })
      }
    case "ModelError":
      return { _tag: "ModelFailed", reason: error.reason._tag }
    case "ReferenceError":
      return error.denied === undefined ? { _tag: "ReferenceUnusable", href: error.href } : denied(error.denied)
    case "TooManyDenials":
      return denied(error.denied)
  }
}

/** For each phase, what the model did not provide if a task fails in it. */
const wanted: Record<TaskPhase, string> = { refinement: "tool calls", execution: "result" }

const reasonOf = (error: TaskError, phase: TaskPhase): string => {
  if (error._tag !== "AttemptsExhausted") return error.message
  /* The last answer may be correct and still contain no report. */
  if (error.issues.length === 0)
    return `the model wrote no report within ${error.attempts} turns (limits.turns, fewer by its skill, or more as it changed files).`
  return `no valid ${wanted[phase]} ${error.message} Last issues: ${error.issues.map(({ what }) => what).join(" ")}`
}

/** Describes the changes that a failed task had proposed, and the outcomes of their checks. */
const droppedText = ({ checks = [], files = [] }: Partial<Pick<TaskOutcome, "checks" | "files">>): string => {
  if (files.length === 0) return ""
  const ends = checks.filter(({ notRun }) => notRun === undefined).map((check) => checkFact(check))
  const known = ends.length === 0 ? "" : ` (${ends.join("; ")})`
  return ` Its changes of ${files.map(({ path }) => path).join(", ")} were not kept${known}.`
}

/** The failure of a task, with its calls and changes. */
export const taskFailure = (
  task: Task,
  phase: TaskPhase,
  error: TaskError,
  outcomes: ReadonlyArray<CallOutcome> = [],
  proposed: Partial<Pick<TaskOutcome, "checks" | "files">> = {}
): TaskFailure => {
  const ran = outcomes.map(({ call, result }) => ({ call, success: result.success && badExit(result) === undefined }))
  return new TaskFailure({
    task: task.name,
    phase,
    reason: `${reasonOf(error, phase)}${droppedText(proposed)}`,
    skipped: false,
    cause: causeOf(error),
    ...(Arr.isReadonlyArrayNonEmpty(ran) ? { ran } : {})
  })
}

/** The failure of a task whose skill has no existing tool. `reason` says what the user can do. */
export const toolsMissing = (task: Task, { allowedTools = [], name }: Skill, reason: string): TaskFailure =>
  new TaskFailure({
    task: task.name,
    phase: "refinement",
    reason,
    skipped: false,
    cause: { _tag: "ToolsMissing", skill: name, tools: allowedTools }
  })
