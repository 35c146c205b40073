/**
 * Everything that the report of a run says, as a value: `report --json` prints it, the page is made from it.
 */
import * as Schema from "effect/Schema"
import {
  Attempt,
  attemptsOf,
  eventsOf,
  runFromJournal,
  type JournalRecord,
  parseKey,
  type RunFold,
  type RunHead,
  RunOverview,
  runOverview,
  RunUsage,
  TaskEvidence,
  taskEvidence,
  type TimedRecord
} from "../../kit/runs.ts"
import { belowHome, slugOf, withoutProject } from "../../kit/text.ts"
import { ApprovalItem, type EventOf, type RunEvent } from "../../plugin-kit.ts"
import { CriticalPath, criticalPath, ReportSpan, spansOf, workTimeOf } from "./RunSpans.ts"

/** `new` was not planned before, `kept` was, `changed` is the same task with other words. */
const PlanChange = Schema.Literals(["new", "kept", "changed"])

export const PlanRound = Schema.Struct({
  round: Schema.Int,
  goals: Schema.String,
  steps: Schema.Array(
    Schema.Struct({
      title: Schema.String,
      tasks: Schema.Array(
        Schema.Struct({
          name: Schema.String,
          skill: Schema.String,
          whatIsNeeded: Schema.String,
          /** Absent in the first round. */
          change: Schema.optionalKey(PlanChange)
        })
      )
    })
  ),
  /** Tasks of the round before that are not planned any more and have no result. */
  dropped: Schema.Array(Schema.String),
  /** Tasks that had a result when this plan was made. */
  finished: Schema.Array(Schema.String)
})
export type PlanRound = typeof PlanRound.Type

export const planRounds = ({ plans }: RunFold): ReadonlyArray<PlanRound> =>
  plans.map(({ finished, list, round }, index): PlanRound => {
    const previous = plans[index - 1]?.list
    const earlier = new Map((previous?.tasks ?? []).map((task) => [task.slug, task]))
    const now = new Set(list.tasks.map(({ slug }) => slug))
    const done = new Set(finished.map(slugOf))
    return {
      round,
      goals: list.goals,
      steps: list.steps.map(({ tasks, title }) => ({
        title,
        tasks: tasks.map(({ name, skill, slug, whatIsNeeded }) => {
          const known = earlier.get(slug)
          const isSame = known?.whatIsNeeded === whatIsNeeded && known.skill === skill
          const task = { name, skill, whatIsNeeded: whatIsNeeded }
          if (previous === undefined) return task
          return { ...task, change: known === undefined ? "new" : isSame ? "kept" : "changed" } as const
        })
      })),
      dropped: [...earlier.values()].flatMap(({ name, slug }) => (now.has(slug) || done.has(slug) ? [] : [name])),
      finished
    }
  })

const taskOfEvent = (event: RunEvent): string | undefined => {
  if ("task" in event) return event.task
  if ("call" in event && "stage" in event.call) return event.call.task
  return "id" in event ? event.id.task : undefined
}

/** The slug of the task of a record; `undefined` for what is about the whole run. */
const slugOfRecord = (record: JournalRecord): string | undefined => {
  if (record.type !== "event" && record.type !== "intent")
    return "key" in record ? parseKey(record.key)?.task : undefined
  const task = record.type === "event" ? taskOfEvent(record.event) : record.task
  return task === undefined ? undefined : slugOf(task)
}

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
  /** Warnings and errors that were reported. */
  messages: Schema.Array(Schema.String)
})
export type ReportData = typeof ReportData.Type

const approvalsOf = (events: ReadonlyArray<RunEvent>): ReadonlyArray<ReportApproval> => {
  const given = events.filter((event): event is EventOf<"approval.answered"> => event.type === "approval.answered")
  const answers = Map.groupBy(given, ({ hash, scope }) => `${scope} ${hash}`)
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
const approvalsByTask = (approvals: ReadonlyArray<ReportApproval>) => {
  const parts = approvals.flatMap((approval) =>
    [...Map.groupBy(approval.items, ({ task }) => slugOf(task))].map(([slug, items]) => ({
      slug,
      part: Object.assign({}, approval, { items })
    }))
  )
  return Map.groupBy(parts, ({ slug }) => slug)
}

/** What the journal of a run says, for its report. */
export const reportData = (timed: ReadonlyArray<TimedRecord>, head: RunHead): ReportData => {
  const records = timed.map(({ record }) => record)
  const events = records.flatMap((record) => (record.type === "event" ? [record.event] : []))
  const [first] = records
  const time = workTimeOf(timed)
  const spans = spansOf(timed, time)
  /* Those of the whole run have no task. */
  const byTask = Map.groupBy(records, slugOfRecord)
  const approvals = approvalsOf(events)
  const asked = approvalsByTask(approvals)
  const run = runFromJournal(events)
  const slugs = new Set(run.names.map(slugOf))
  return {
    run: runOverview(records, head, run),
    program: first?.type === "opened" ? first.program : "",
    usage: run.usage,
    rounds: planRounds(run),
    tasks: run.names.map((name): ReportTask => {
      const slug = slugOf(name)
      return Object.assign(taskEvidence(byTask.get(slug) ?? [], name, run), {
        slug,
        approvals: asked.get(slug)?.map(({ part }) => part) ?? []
      })
    }),
    stages: attemptsOf(byTask.get(undefined) ?? [], ({ task }) => task === undefined),
    approvals: approvals.filter(({ items }) => items.every(({ task }) => !slugs.has(slugOf(task)))),
    workedMs: time(timed.at(-1)?.at ?? 0),
    spans,
    criticalPath: criticalPath(spans),
    messages: eventsOf(records, "message").flatMap(({ level, text }) => (level === "info" ? [] : [text]))
  }
}

/** The words of a report with paths relative to the project, and the project below the home folder. */
export const shortReport = (data: ReportData, home: string): ReportData => {
  const { project } = data.run
  const short = (text: string): string => (text === project ? "." : withoutProject(text, project))
  const item = (one: ApprovalItem): ApprovalItem => ({
    ...one,
    targets: one.targets.map(short),
    ...(one.details === undefined ? {} : { details: one.details.map(short) }),
    ...(one.warnings === undefined ? {} : { warnings: one.warnings.map(short) })
  })
  const approval = (one: ReportApproval): ReportApproval => ({ ...one, items: one.items.map(item) })
  const task = (one: ReportTask): ReportTask => ({
    ...one,
    calls: one.calls.map((call) => ({ ...call, targets: call.targets.map(short) })),
    filesWritten: one.filesWritten.map(short),
    failures: one.failures.map(short),
    approvals: one.approvals.map(approval)
  })
  /* A span is the same one in both lists. */
  const spans = new Map(data.spans.map((span) => [span, { ...span, name: short(span.name) }]))
  return {
    ...data,
    run: { ...data.run, project: belowHome(project, home), message: short(data.run.message) },
    tasks: data.tasks.map(task),
    approvals: data.approvals.map(approval),
    spans: [...spans.values()],
    criticalPath: {
      ...data.criticalPath,
      spans: data.criticalPath.spans.map((span) => spans.get(span) ?? span)
    },
    messages: data.messages.map(short)
  }
}
