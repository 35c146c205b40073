/** How a task ends: with its result, or with the reason why it has none. */
import * as Schema from "effect/Schema"
import { CheckOutcome } from "../checks/CheckOutcome.ts"
import { FileFact, SeenFact } from "../checks/Facts.ts"
import { ItemResult, itemsReport } from "./ForEach.ts"
import { Task } from "./Task.ts"
import { TaskName } from "./TaskName.ts"
import { CallOutcome, ToolCall } from "../tools/ToolCall.ts"

/**
 * `checked` is the number of links compared with the project and the run. `wrong` is the number of those that are wrong
 * and marked.
 */
export const EvidenceCount = Schema.Struct({ checked: Schema.Int, wrong: Schema.Int })
export type EvidenceCount = typeof EvidenceCount.Type

/** The report of a model: the text under `## Result summary`, and the whole document. */
export const ResultDocument = Schema.Struct({
  summary: Schema.String,
  document: Schema.String,
  evidence: Schema.optionalKey(EvidenceCount)
})
export type ResultDocument = typeof ResultDocument.Type

export const resultOfSummary = (summary: string): ResultDocument => ({
  summary,
  document: `## Result summary\n\n${summary}`
})

/** The result of a for-each task. The program writes it, not the model. */
export const resultOfItems = (items: ReadonlyArray<ItemResult>): ResultDocument => {
  const { details, summary } = itemsReport(items)
  const result = resultOfSummary(summary)
  return details === undefined ? result : { ...result, document: `${result.document}\n\n## Details\n\n${details}` }
}

/** A finished task with its calls and its result. */
export class TaskResult extends Schema.Class<TaskResult>("task-conductor/domain/plan/TaskResult")({
  task: Task,
  calls: Schema.Array(CallOutcome),
  result: ResultDocument,
  /** The changed files, and the checks after the last changes. Both come from the program, not from the model. */
  files: Schema.optionalKey(Schema.Array(FileFact)),
  checks: Schema.optionalKey(Schema.Array(CheckOutcome)),
  /** The references that the model saw only in part. */
  seen: Schema.optionalKey(Schema.NonEmptyArray(SeenFact)),
  /** True if the report is about the project, but the model had made no call. */
  unfounded: Schema.optionalKey(Schema.Boolean),
  /** The outcome of each item. Only for a for-each task. */
  items: Schema.optionalKey(Schema.Array(ItemResult))
}) {
  get name(): TaskName {
    return this.task.name
  }
}

/** False if a call was denied: a resumed run may ask the user about that call again, so the result can still change. */
export const isFinal = ({ calls }: TaskResult): boolean =>
  calls.every(({ result }) => result.error_type !== "permission_denied")

/** For a task with a denied call: `all` if no call succeeded, otherwise `some`. */
export const DeniedCalls = Schema.Literals(["some", "all"])
export type DeniedCalls = typeof DeniedCalls.Type

/** Undefined if no call was denied. Otherwise `some` if another call succeeded, and `all` if none did. */
export const deniedOf = (calls: ReadonlyArray<Pick<CallOutcome, "result">>): DeniedCalls | undefined => {
  if (!calls.some(({ result }) => result.error_type === "permission_denied")) return undefined
  return calls.some(({ result }) => result.success) ? "some" : "all"
}

/** The status of a task with a result. If all its calls were denied, it is not done, whatever its report says. */
export const finishedText = (denied: DeniedCalls | undefined): string =>
  denied === undefined
    ? "finished"
    : denied === "all"
      ? "not done (denied)"
      : "finished in part (some calls were denied)"

/**
 * The phase that a task reached: `execution` once it has made calls. Events, reports and saved runs contain these
 * words.
 */
export const TaskPhase = Schema.Literals(["refinement", "execution"])
export type TaskPhase = typeof TaskPhase.Type

/**
 * Why a task failed, in a form that code can test. `reason` says it in words. Skipped tasks, and tasks in journals of
 * old versions, have no cause.
 */
export const FailureCause = Schema.Union([
  /** The gate denied a call that the task needs; `by` tells who decided. */
  Schema.TaggedStruct("Denied", {
    tool: Schema.String,
    targets: Schema.Array(Schema.String),
    by: Schema.Literals(["person", "rule", "nobody"])
  }),
  /**
   * No answer of the model was accepted. `repeated` is true if it gave the same answer each time. `unable` describes
   * the model if its last answers were all useless.
   */
  Schema.TaggedStruct("NoValidAnswer", {
    attempts: Schema.Int,
    repeated: Schema.Boolean,
    unable: Schema.optionalKey(Schema.String)
  }),
  /** A call of the model failed. `reason` is the tag of the error. */
  Schema.TaggedStruct("ModelFailed", { reason: Schema.String }),
  Schema.TaggedStruct("ReferenceUnusable", { href: Schema.String }),
  /** None of the tools of the skill exists. */
  Schema.TaggedStruct("ToolsMissing", { skill: Schema.String, tools: Schema.Array(Schema.String) })
])
export type FailureCause = typeof FailureCause.Type

/** A task that ended without a result. `skipped` is true if it needs the result of another task that has none. */
export class TaskFailure extends Schema.TaggedError<TaskFailure>()("TaskFailure", {
  task: TaskName,
  phase: TaskPhase,
  reason: Schema.String,
  skipped: Schema.Boolean,
  cause: Schema.optionalKey(FailureCause),
  /** The calls that ran before the task failed; absent if there were none. */
  ran: Schema.optionalKey(Schema.NonEmptyArray(Schema.Struct({ call: ToolCall, success: Schema.Boolean })))
}) {
  /** The message of the failure, such as `Task refinement: "Research 2": ...` */
  override get message(): string {
    return `Task ${this.phase}: "${this.task}": ${this.reason}`
  }
}

/** If the task failed because its model gave useless answers: a description of this model. Otherwise undefined. */
export const unableIn = ({ cause }: TaskFailure): string | undefined =>
  cause?._tag === "NoValidAnswer" ? cause.unable : undefined

/**
 * The failure that ends a run because the model gives useless answers. This is the first such failure if the model did
 * no other work, otherwise the second.
 */
export const endingFailure = (
  failures: ReadonlyArray<TaskFailure>,
  results: ReadonlyArray<unknown>
): TaskFailure | undefined => {
  const unable = failures.filter((failure) => unableIn(failure) !== undefined)
  const hasWorked = results.length > 0 || unable.some(({ phase }) => phase === "execution")
  return unable[hasWorked ? 1 : 0]
}

export const openFailures = (
  failures: ReadonlyArray<TaskFailure>,
  results: ReadonlyArray<TaskResult>
): ReadonlyArray<TaskFailure> => {
  const finished = new Set(results.map(({ name }) => name))
  return failures.filter(({ task }) => !finished.has(task))
}
