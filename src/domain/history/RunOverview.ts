/** Collects what the journal records about a run as a whole, for `show`. */
import * as Schema from "effect/Schema"
import { RunFacts } from "../checks/Facts.ts"
import { countItems, ItemCounts } from "../plan/ForEach.ts"
import { DeniedCalls, deniedOf, EvidenceCount } from "../plan/TaskResult.ts"
import type { RunEvent } from "../runs/RunEvent.ts"
import { slugOf } from "../text/Slug.ts"
import { publishedEvents } from "./JournalParts.ts"
import type { JournalRecord } from "../journal/JournalRecord.ts"
import type { RunFold } from "./RunFold.ts"
import { runOf, stateOf, TaskState } from "./RunEvidence.ts"
import { RunStatus } from "../runs/RunReport.ts"

/**
 * The state of a run: how it ended, or one of these.
 * - `running`: a process holds the lock of the run.
 * - `unfinished`: the journal contains no report.
 * - `unreadable`: the file does not begin like a journal.
 */
export const RunStanding = Schema.Literals([...RunStatus.literals, "running", "unfinished", "unreadable"])
export type RunStanding = typeof RunStanding.Type

/**
 * `done` is the number of tasks with a result. `total` is the sum of `done` and the tasks of the current plan without a
 * result.
 */
export const TaskCount = Schema.Struct({ done: Schema.Int, total: Schema.Int })
export type TaskCount = typeof TaskCount.Type

/** A saved run in a list. */
export const RunSummary = Schema.Struct({
  /** The id of the run, which names it in commands. */
  runId: Schema.String,
  /** The status, or why there is none: `running`, `unfinished` or `unreadable`. */
  standing: RunStanding,
  /** When the run started, in ISO 8601. */
  startedAt: Schema.optionalKey(Schema.String),
  /** When the last record was written, in ISO 8601. Absent while a process works on the run. */
  endedAt: Schema.optionalKey(Schema.String),
  /** How long the sessions of the run worked, in milliseconds. */
  durationMs: Schema.optionalKey(Schema.Finite),
  /** The exit code of the last session of the run, if that session ended. */
  exitCode: Schema.optionalKey(Schema.Int),
  /** The number of finished tasks and of all tasks. Absent before there is a plan. */
  tasks: Schema.optionalKey(TaskCount),
  /** The folder of the project in the last session of the run. */
  project: Schema.optionalKey(Schema.String),
  /** What the user asked the run to do. */
  prompt: Schema.optionalKey(Schema.String),
  /** The name of the model. Absent if the code of a calling program defines the model. */
  model: Schema.optionalKey(Schema.String),
  /** The size of the journal in bytes. */
  bytes: Schema.Int,
  /** The id of the process that works on the run. */
  pid: Schema.optionalKey(Schema.Int)
})
export type RunSummary = typeof RunSummary.Type

/** The facts about a run that commands show before its contents. */
export const RunHead = Schema.Struct({
  /** The id of the run, which names it in commands. */
  runId: Schema.String,
  /** The status, or why there is none: `running`, `unfinished` or `unreadable`. */
  status: RunStanding,
  /** The folder of the project. */
  project: Schema.String,
  /** What the user asked the run to do. */
  prompt: Schema.String,
  /** The name of the model. Absent if the code of a calling program defines the model. */
  model: Schema.optionalKey(Schema.String),
  /** When the run started, in ISO 8601. */
  startedAt: Schema.optionalKey(Schema.String),
  /** When the last record of the run was written, in ISO 8601. Absent while a process works on the run. */
  endedAt: Schema.optionalKey(Schema.String)
})
export type RunHead = typeof RunHead.Type

/** How often a repair occurred. For calls, `syntax` names the form in which the model wrote them. */
export const RepairCount = Schema.Struct({
  code: Schema.String,
  syntax: Schema.optionalKey(Schema.String),
  times: Schema.Int
})
export type RepairCount = typeof RepairCount.Type

/** The state of a run: its plan, and the state of each task. */
export const RunOverview = Schema.Struct({
  ...RunHead.fields,
  /** The exit code of the last session, if that session ended. */
  exitCode: Schema.optionalKey(Schema.Int),
  /** How long the sessions of the run worked, in milliseconds. */
  durationMs: Schema.optionalKey(Schema.Finite),
  /** The first plan as markdown. Empty if the run has no plan. */
  plan: Schema.String,
  /** The tasks of the last plan, in order. */
  tasks: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      state: TaskState,
      denied: Schema.optionalKey(DeniedCalls),
      /** The number of items in each state, if the task works item by item. */
      items: Schema.optionalKey(ItemCounts),
      /** The summary of the result, or why there is none. */
      text: Schema.String
    })
  ),
  /** The answer to the prompt. Empty before the run has answered. */
  answer: Schema.String,
  /** Why the run ended this way; empty if it is done. */
  message: Schema.String,
  /** What the run changed, what was denied, and what is missing. Absent if there is nothing of this kind. */
  facts: Schema.optionalKey(RunFacts),
  /**
   * How many links of the results and the answer were checked, and how many are wrong. Absent if no link was checked.
   */
  evidence: Schema.optionalKey(EvidenceCount),
  /** How often each repair occurred in answers that the run used, most frequent first. Absent without repairs. */
  repairs: Schema.optionalKey(Schema.Array(RepairCount))
})
export type RunOverview = typeof RunOverview.Type

/** The types of events from which an overview is computed. */
export const overviewEvents: ReadonlySet<string> = new Set<RunEvent["type"]>([
  "answer.repaired",
  "plan.created",
  "plan.revised",
  "task.finished",
  "task.failed",
  "run.finished"
])

/** Counts the repairs of answers and of a plan that the user wrote. */
const countRepairs = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<RepairCount> => {
  const repairs = publishedEvents(records).flatMap((event) =>
    event.type === "answer.repaired" || event.type === "plan.created" ? (event.repairs ?? []) : []
  )
  const groups = Map.groupBy(repairs, ({ code, syntax }) => `${code} ${syntax ?? ""}`)
  return [...groups.values()]
    .flatMap(([first, ...others]) => {
      if (first === undefined) return []
      const { code, syntax } = first
      return [{ code, ...(syntax === undefined ? {} : { syntax }), times: others.length + 1 }]
    })
    .toSorted((a, b) => b.times - a.times)
}

export const runOverview = (
  records: ReadonlyArray<JournalRecord>,
  head: RunHead,
  { end: last, ends, markdown, names, usage }: RunFold = runOf(records)
): RunOverview => {
  const report = last?.report
  const isEnd = last !== undefined && head.status === last.report.status
  const repairs = countRepairs(records)
  return {
    ...head,
    ...(isEnd ? { exitCode: last.exitCode } : {}),
    ...(last === undefined ? {} : { durationMs: usage.durationMs }),
    plan: markdown,
    tasks: names.map((name) => {
      const end = ends.get(slugOf(name))
      const text =
        end === undefined ? "" : end.type === "task.finished" ? end.result.result.summary : end.failure.message
      const task = { name, state: stateOf(end), text }
      if (end?.type !== "task.finished") return task
      const { calls, items } = end.result
      const denied = deniedOf(calls)
      return Object.assign(
        task,
        denied === undefined ? {} : { denied },
        items === undefined ? {} : { items: countItems(items) }
      )
    }),
    answer: report?.answer ?? "",
    message: report?.message ?? "",
    ...(report?.facts === undefined ? {} : { facts: report.facts }),
    ...(report?.evidence === undefined ? {} : { evidence: report.evidence }),
    ...(repairs.length === 0 ? {} : { repairs })
  }
}
