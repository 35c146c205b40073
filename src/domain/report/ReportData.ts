/**
 * Everything that the report of a run says, as a value: `report --json` prints it, the page is made from it.
 */
import * as Schema from "effect/Schema"
import {
  Attempt,
  attemptsOf,
  eventsOf,
  plannedTasks,
  TaskEvidence,
  taskEvidence,
  taskNames
} from "../history/RunEvidence.ts"
import { type RunHead, RunOverview, runOverview } from "../history/RunOverview.ts"
import { cachedTokensOf } from "../models/TokenCounts.ts"
import { ApprovalItem } from "../permissions/ApprovalItem.ts"
import type { RunEvent } from "../runs/RunEvent.ts"
import { RunUsage } from "../runs/RunReport.ts"
import { slugOf } from "../text/Slug.ts"
import { CriticalPath, criticalPath } from "./CriticalPath.ts"
import { PlanRound, planRounds } from "./PlanRounds.ts"
import { ReportSpan, spansOf } from "./Spans.ts"
import { recordsByTask } from "./TaskRecords.ts"
import { type TimedRecord, workTimeOf } from "./TimedRecord.ts"

/** A question with its answer; `answer` is absent when it was not answered. */
export const ReportApproval = Schema.Struct({
  scope: Schema.String,
  title: Schema.String,
  items: Schema.Array(ApprovalItem),
  answer: Schema.optionalKey(Schema.String),
  by: Schema.optionalKey(Schema.String),
  instead: Schema.optionalKey(Schema.String)
})
export type ReportApproval = typeof ReportApproval.Type

export const ReportTask = Schema.Struct({
  ...TaskEvidence.fields,
  slug: Schema.String,
  approvals: Schema.Array(ReportApproval)
})
export type ReportTask = typeof ReportTask.Type

export const ReportData = Schema.Struct({
  run: RunOverview,
  /** The version of the program that began the run. */
  program: Schema.String,
  /** Sums of all sessions that reported an end. */
  usage: RunUsage,
  rounds: Schema.Array(PlanRound),
  tasks: Schema.Array(ReportTask),
  /** The model calls of stages of the whole run. */
  stages: Schema.Array(Attempt),
  /** Questions that are about no single task. */
  approvals: Schema.Array(ReportApproval),
  /** How long the run worked, without pauses between its sessions. */
  workedMs: Schema.Finite,
  spans: Schema.Array(ReportSpan),
  criticalPath: CriticalPath,
  /** Warnings and errors that were told. */
  messages: Schema.Array(Schema.String)
})
export type ReportData = typeof ReportData.Type

type Answered = Extract<RunEvent, { readonly type: "approval.answered" }>

const approvalsOf = (events: ReadonlyArray<RunEvent>): ReadonlyArray<ReportApproval> => {
  const answers = new Map<string, Array<Answered>>()
  for (const event of events) {
    if (event.type !== "approval.answered") continue
    const key = `${event.scope} ${event.hash}`
    answers.set(key, [...(answers.get(key) ?? []), event])
  }
  return events.flatMap((event): ReadonlyArray<ReportApproval> => {
    if (event.type !== "approval.requested") return []
    const { hash, items, scope, title } = event
    const answered = answers.get(`${scope} ${hash}`)?.shift()
    const asked = { scope, title, items }
    if (answered === undefined) return [asked]
    const { answer, by, instead } = answered
    return [{ ...asked, answer, by, ...(instead === undefined ? {} : { instead }) }]
  })
}

/** The questions about each task by its slug, each with its part that is about the task: one of a step is about several. */
const approvalsByTask = (
  approvals: ReadonlyArray<ReportApproval>
): ReadonlyMap<string, ReadonlyArray<ReportApproval>> => {
  const parts = new Map<string, Array<ReportApproval>>()
  for (const approval of approvals) {
    for (const [slug, items] of Map.groupBy(approval.items, ({ task }) => slugOf(task))) {
      const own = parts.get(slug) ?? []
      own.push({ ...approval, items })
      parts.set(slug, own)
    }
  }
  return parts
}

const noUsage: RunUsage = { modelCalls: 0, toolCalls: 0, promptTokens: 0, answerTokens: 0, modelMs: 0, durationMs: 0 }

const addUsage = (one: RunUsage, other: RunUsage): RunUsage => ({
  modelCalls: one.modelCalls + other.modelCalls,
  toolCalls: one.toolCalls + other.toolCalls,
  promptTokens: one.promptTokens + other.promptTokens,
  ...cachedTokensOf([one, other]),
  answerTokens: one.answerTokens + other.answerTokens,
  modelMs: one.modelMs + other.modelMs,
  durationMs: one.durationMs + other.durationMs
})

/** What the journal of a run says, for its report. */
export const reportData = (timed: ReadonlyArray<TimedRecord>, head: RunHead): ReportData => {
  const records = timed.map(({ record }) => record)
  const events = records.flatMap((record) => (record.type === "event" ? [record.event] : []))
  const [first] = records
  const time = workTimeOf(timed)
  const spans = spansOf(timed, time)
  const of = recordsByTask(records)
  const approvals = approvalsOf(events)
  const asked = approvalsByTask(approvals)
  const planned = plannedTasks(records)
  const names = taskNames(records)
  const slugs = new Set(names.map(slugOf))
  return {
    run: runOverview(records, head),
    program: first?.type === "opened" ? first.program : "",
    usage: eventsOf(records, "run.finished").reduce((sum, { report }) => addUsage(sum, report.usage), noUsage),
    rounds: planRounds(timed),
    tasks: names.map((name): ReportTask => {
      const slug = slugOf(name)
      return Object.assign(taskEvidence(of(slug), name, planned), { slug, approvals: asked.get(slug) ?? [] })
    }),
    stages: attemptsOf(of(""), ({ task }) => task === undefined),
    approvals: approvals.filter(({ items }) => items.every(({ task }) => !slugs.has(slugOf(task)))),
    workedMs: time(timed.at(-1)?.at ?? 0),
    spans,
    criticalPath: criticalPath(spans),
    messages: eventsOf(records, "message").flatMap(({ level, text }) => (level === "info" ? [] : [text]))
  }
}
