/** The data of a run's report, for `report --json` and for the page. */
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

/** How a task changed since the previous plan: `new`, `kept` unchanged, or `changed` in its description. */
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
  /** Unfinished tasks of the previous plan that the new plan lacks. */
  dropped: Schema.Array(Schema.String),
  /** The tasks that had a result before this plan. */
  finished: Schema.Array(Schema.String)
})
export type PlanRound = typeof PlanRound.Type

export const planRounds = ({ plans }: RunFold): ReadonlyArray<PlanRound> =>
  plans.map(({ finished, list, round }, index): PlanRound => {
    const previous = plans[index - 1]?.list
    const earlier = new Map((previous?.tasks ?? []).map((task) => [task.slug, task]))
    const now = new Set(list.tasks.map(({ slug }) => slug))
    const finishedSlugs = new Set(finished.map(slugOf))
    return {
      round,
      goals: list.goals,
      steps: list.steps.map(({ tasks, title }) => ({
        title,
        tasks: tasks.map(({ name, skill, slug, whatIsNeeded }) => {
          const earlierTask = earlier.get(slug)
          const isSame = earlierTask?.whatIsNeeded === whatIsNeeded && earlierTask.skill === skill
          const task = { name, skill, whatIsNeeded: whatIsNeeded }
          if (previous === undefined) return task
          return { ...task, change: earlierTask === undefined ? "new" : isSame ? "kept" : "changed" } as const
        })
      })),
      dropped: [...earlier.values()].flatMap(({ name, slug }) =>
        now.has(slug) || finishedSlugs.has(slug) ? [] : [name]
      ),
      finished
    }
  })

const taskOfEvent = (event: RunEvent): string | undefined => {
  if ("task" in event) return event.task
  if ("call" in event && "stage" in event.call) return event.call.task
  return "id" in event ? event.id.task : undefined
}

/** The slug of the task of a record. Undefined if the record belongs to the whole run. */
const slugOfRecord = (record: JournalRecord): string | undefined => {
  if (record.type !== "event" && record.type !== "intent")
    return "key" in record ? parseKey(record.key)?.task : undefined
  const task = record.type === "event" ? taskOfEvent(record.event) : record.task
  return task === undefined ? undefined : slugOf(task)
}

/** A question to the user, with the answer if there is one. */
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

/** Everything that the page of a report shows. */
export const ReportData = Schema.Struct({
  /** What the page says about the run itself, above its tasks. */
  run: RunOverview,
  /** The version of the program that started the run. */
  program: Schema.String,
  /** The usage of all sessions that reported their end. */
  usage: RunUsage,
  /** The plan of each round. */
  rounds: Schema.Array(PlanRound),
  /** All tasks with their evidence. */
  tasks: Schema.Array(ReportTask),
  /** Model calls of stages that belong to no task. */
  stages: Schema.Array(Attempt),
  /** Questions that belong to no task. */
  approvals: Schema.Array(ReportApproval),
  /** How long the run worked, without pauses between sessions. */
  workedMs: Schema.Finite,
  /** Model calls and tool calls with their times. */
  spans: Schema.Array(ReportSpan),
  /** The chain of calls that determined how long the run took. */
  criticalPath: CriticalPath,
  /** The warnings and errors of the run. */
  messages: Schema.Array(Schema.String)
})
export type ReportData = typeof ReportData.Type

const approvalsOf = (events: ReadonlyArray<RunEvent>): ReadonlyArray<ReportApproval> => {
  const given = events.filter((event): event is EventOf<"approval.answered"> => event.type === "approval.answered")
  const answers = Map.groupBy(given, ({ hash, scope }) => `${scope} ${hash}`)
  return events.flatMap((event): ReadonlyArray<ReportApproval> => {
    if (event.type !== "approval.requested") return []
    const { hash, items, scope, title } = event
    const answerEvent = answers.get(`${scope} ${hash}`)?.shift()
    const question = { scope, title, items }
    if (answerEvent === undefined) return [question]
    const { answer, by, instead } = answerEvent
    return [{ ...question, answer, by, ...(instead === undefined ? {} : { instead }) }]
  })
}

/**
 * The questions about each task, by slug. A question about a step covers several tasks, so each task gets only its own
 * items.
 */
const approvalsByTask = (approvals: ReadonlyArray<ReportApproval>) => {
  const parts = approvals.flatMap((approval) =>
    [...Map.groupBy(approval.items, ({ task }) => slugOf(task))].map(([slug, items]) => ({
      slug,
      part: Object.assign({}, approval, { items })
    }))
  )
  return Map.groupBy(parts, ({ slug }) => slug)
}

/** Makes the data of a report from a journal. */
export const reportData = (timed: ReadonlyArray<TimedRecord>, head: RunHead): ReportData => {
  const records = timed.map(({ record }) => record)
  const events = records.flatMap((record) => (record.type === "event" ? [record.event] : []))
  const [first] = records
  const time = workTimeOf(timed)
  const spans = spansOf(timed, time)
  /* Records about the whole run have no task. */
  const byTask = Map.groupBy(records, slugOfRecord)
  const approvals = approvalsOf(events)
  const ofTasks = approvalsByTask(approvals)
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
        approvals: ofTasks.get(slug)?.map(({ part }) => part) ?? []
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

/** Makes paths in a report relative to the project or to the home folder. */
export const shortReport = (data: ReportData, home: string): ReportData => {
  const { project } = data.run
  const short = (text: string): string => (text === project ? "." : withoutProject(text, project))
  const item = (source: ApprovalItem): ApprovalItem => ({
    ...source,
    targets: source.targets.map(short),
    ...(source.details === undefined ? {} : { details: source.details.map(short) }),
    ...(source.warnings === undefined ? {} : { warnings: source.warnings.map(short) })
  })
  const approval = (one: ReportApproval): ReportApproval => ({ ...one, items: one.items.map(item) })
  const task = (source: ReportTask): ReportTask => ({
    ...source,
    calls: source.calls.map((call) => ({ ...call, targets: call.targets.map(short) })),
    filesWritten: source.filesWritten.map(short),
    failures: source.failures.map(short),
    approvals: source.approvals.map(approval)
  })
  /* Spans of the critical path are also in `spans`, and both lists must share these objects. */
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
