/** What the journal of a run records about the run as a whole, for `show`. */
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

/** `running` holds its lock; `unfinished` ended without a report; `unreadable` does not begin as a journal does. */
export const RunStanding = Schema.Literals([...RunStatus.literals, "running", "unfinished", "unreadable"])
export type RunStanding = typeof RunStanding.Type

/** How many tasks have a result, of those that have one or are planned now. */
export const TaskCount = Schema.Struct({ done: Schema.Int, total: Schema.Int })
export type TaskCount = typeof TaskCount.Type

/** A saved run in a list. */
export const RunSummary = Schema.Struct({
  /** The id of the run, which names it in commands. */
  runId: Schema.String,
  /** How the run stands. */
  standing: RunStanding,
  /** ISO 8601. */
  startedAt: Schema.optionalKey(Schema.String),
  /** The time of the last record, ISO 8601; absent while it runs. */
  endedAt: Schema.optionalKey(Schema.String),
  /** How long its sessions worked. */
  durationMs: Schema.optionalKey(Schema.Finite),
  /** The exit code of its last session, when that had an end. */
  exitCode: Schema.optionalKey(Schema.Int),
  /** Absent before there is a plan. */
  tasks: Schema.optionalKey(TaskCount),
  /** Where the project is, or was when the run last worked on it. */
  project: Schema.optionalKey(Schema.String),
  /** What was asked. */
  prompt: Schema.optionalKey(Schema.String),
  /** The name of the model; absent for one in code. */
  model: Schema.optionalKey(Schema.String),
  /** Size of the journal. */
  bytes: Schema.Int,
  /** The process that works on it. */
  pid: Schema.optionalKey(Schema.Int)
})
export type RunSummary = typeof RunSummary.Type

/** What there is to say about a run before its contents. */
export const RunHead = Schema.Struct({
  /** The id of the run, which names it in commands. */
  runId: Schema.String,
  /** How the run stands. */
  status: RunStanding,
  /** The folder of the project. */
  project: Schema.String,
  /** What was asked. */
  prompt: Schema.String,
  /** The name of the model; absent for one in code. */
  model: Schema.optionalKey(Schema.String),
  /** ISO 8601. */
  startedAt: Schema.optionalKey(Schema.String),
  /** ISO 8601; absent while the run works. */
  endedAt: Schema.optionalKey(Schema.String)
})
export type RunHead = typeof RunHead.Type

/** A repair, for a call its syntax as well, and how often it occurred. */
export const RepairCount = Schema.Struct({
  code: Schema.String,
  syntax: Schema.optionalKey(Schema.String),
  times: Schema.Int
})
export type RepairCount = typeof RepairCount.Type

/** The state of a run: its plan, and the state of each task. */
export const RunOverview = Schema.Struct({
  ...RunHead.fields,
  /** The exit code of the last session, when that had an end. */
  exitCode: Schema.optionalKey(Schema.Int),
  /** How long its sessions worked. */
  durationMs: Schema.optionalKey(Schema.Finite),
  /** The first plan as markdown; empty when there is none. */
  plan: Schema.String,
  /** The tasks of the last plan, in order. */
  tasks: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      state: TaskState,
      denied: Schema.optionalKey(DeniedCalls),
      /** How many items are in each state, for a task for each item. */
      items: Schema.optionalKey(ItemCounts),
      /** The summary of its result, or why there is none. */
      text: Schema.String
    })
  ),
  /** The answer to the prompt; empty before it. */
  answer: Schema.String,
  /** Why the run ended as it did; empty when it is done. */
  message: Schema.String,
  /** What the program knows; absent when nothing changed, was denied or is missing. */
  facts: Schema.optionalKey(RunFacts),
  /** The links in all results and in the answer; absent when none was checked. */
  evidence: Schema.optionalKey(EvidenceCount),
  /** How often each repair occurred in answers that were used, the most frequent first; absent when none did. */
  repairs: Schema.optionalKey(Schema.Array(RepairCount))
})
export type RunOverview = typeof RunOverview.Type

/** The events that an overview is made of. */
export const overviewEvents: ReadonlySet<string> = new Set<RunEvent["type"]>([
  "answer.repaired",
  "plan.created",
  "plan.revised",
  "task.finished",
  "task.failed",
  "run.finished"
])

/** How often each repair of a plan that was given, and of answers, occurred. */
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
