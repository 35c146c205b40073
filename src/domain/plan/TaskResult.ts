/** What became of a task: its result, or why there is none. */
import * as Schema from "effect/Schema"
import { CheckOutcome } from "../checks/CheckOutcome.ts"
import { FileFact, SeenFact } from "../checks/Facts.ts"
import { ItemResult, itemsReport } from "./ForEach.ts"
import { Task } from "./Task.ts"
import { TaskName } from "./TaskName.ts"
import { CallOutcome, ToolCall } from "../tools/ToolCall.ts"

/** How many links were held against the project and the run, and how many of them are wrong and marked so. */
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

/** The result of a task for each item, which the host writes. */
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
  /** What the host knows: the files that were changed, and how the checks of the last changes ended. */
  files: Schema.optionalKey(Schema.Array(FileFact)),
  checks: Schema.optionalKey(Schema.Array(CheckOutcome)),
  /** The references that were seen in part. */
  seen: Schema.optionalKey(Schema.NonEmptyArray(SeenFact)),
  /** True for a report about the project for which nothing was looked at. */
  unfounded: Schema.optionalKey(Schema.Boolean),
  /** What became of each item, for a task for each item. */
  items: Schema.optionalKey(Schema.Array(ItemResult))
}) {
  get name(): TaskName {
    return this.task.name
  }
}

/** False when a call was denied: who goes on with the run may be asked again. */
export const isFinal = ({ calls }: TaskResult): boolean =>
  calls.every(({ result }) => result.error_type !== "permission_denied")

/** Whether some calls of a task were denied, or all that it came to. Absent when none was denied. */
export const DeniedCalls = Schema.Literals(["some", "all"])
export type DeniedCalls = typeof DeniedCalls.Type

/** Whether the user or a rule denied some of these calls or all; undefined if none. */
export const deniedOf = (calls: ReadonlyArray<Pick<CallOutcome, "result">>): DeniedCalls | undefined => {
  if (!calls.some(({ result }) => result.error_type === "permission_denied")) return undefined
  return calls.some(({ result }) => result.success) ? "some" : "all"
}

/** How a task with a result stands: what only tells of denied calls has not finished the work, whatever its result says. */
export const finishedText = (denied: DeniedCalls | undefined): string =>
  denied === undefined
    ? "finished"
    : denied === "all"
      ? "not done (denied)"
      : "finished in part (some calls were denied)"

/** How far a task had come: `execution` once it had made calls. The words are those of events, reports and saved runs. */
export const TaskPhase = Schema.Literals(["refinement", "execution"])
export type TaskPhase = typeof TaskPhase.Type

/**
 * What ended a task, for whoever decides by it; the reason says the same in words. Absent for a task that was skipped, and
 * in journals from before there were causes.
 */
export const FailureCause = Schema.Union([
  /** The gate denied what the task cannot do without. `by` says who decided. */
  Schema.TaggedStruct("Denied", {
    tool: Schema.String,
    targets: Schema.Array(Schema.String),
    by: Schema.Literals(["person", "rule", "nobody"])
  }),
  /**
   * No answer of the model was accepted; `repeated` when it gave the same one every time. `unable` is about the model, when the
   * last answers in a row were of no use.
   */
  Schema.TaggedStruct("NoValidAnswer", {
    attempts: Schema.Int,
    repeated: Schema.Boolean,
    unable: Schema.optionalKey(Schema.String)
  }),
  /** A model call failed; `reason` is its tag. */
  Schema.TaggedStruct("ModelFailed", { reason: Schema.String }),
  Schema.TaggedStruct("ReferenceUnusable", { href: Schema.String }),
  /** None of the tools that the skill names is there. */
  Schema.TaggedStruct("ToolsMissing", { skill: Schema.String, tools: Schema.Array(Schema.String) })
])
export type FailureCause = typeof FailureCause.Type

/** A task that ended without a result; `skipped` when a producer it refers to has none. */
export class TaskFailure extends Schema.TaggedError<TaskFailure>()("TaskFailure", {
  task: TaskName,
  phase: TaskPhase,
  reason: Schema.String,
  skipped: Schema.Boolean,
  cause: Schema.optionalKey(FailureCause),
  /** The calls that had run before the task failed; absent when none had. */
  ran: Schema.optionalKey(Schema.NonEmptyArray(Schema.Struct({ call: ToolCall, success: Schema.Boolean })))
}) {
  /** `Task refinement: "Research 2": ...` */
  override get message(): string {
    return `Task ${this.phase}: "${this.task}": ${this.reason}`
  }
}

/** About the model, for a failure after answers that were of no use. */
export const unableIn = ({ cause }: TaskFailure): string | undefined =>
  cause?._tag === "NoValidAnswer" ? cause.unable : undefined

/**
 * The failure that ends a run because of its model: the first task of which it did nothing at all, when it has done no other, else
 * the second one.
 */
export const endingFailure = (
  failures: ReadonlyArray<TaskFailure>,
  results: ReadonlyArray<unknown>
): TaskFailure | undefined => {
  const unable = failures.filter((failure) => unableIn(failure) !== undefined)
  const hasWorked = results.length > 0 || unable.some(({ phase }) => phase === "execution")
  return unable[hasWorked ? 1 : 0]
}

/** The failures of tasks that have no result: a task that succeeded later has not failed. */
export const openFailures = (
  failures: ReadonlyArray<TaskFailure>,
  results: ReadonlyArray<TaskResult>
): ReadonlyArray<TaskFailure> => {
  const finished = new Set(results.map(({ name }) => name))
  return failures.filter(({ task }) => !finished.has(task))
}
