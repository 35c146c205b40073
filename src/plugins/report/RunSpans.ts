/**
 * The spans of a run (model calls, tool calls, tasks and questions) and its critical path, from the events in the
 * journal. Pauses between sessions do not count.
 */
import * as Schema from "effect/Schema"
import { attemptText, type TimedRecord } from "../../kit/runs.ts"
import { slugOf } from "../../kit/text.ts"
import { badExit } from "../../kit/tools.ts"
import { type ModelCallId, modelCallKey, type RunEvent, toolCallKey } from "../../plugin-kit.ts"

/** Converts a time to milliseconds of work since the run's start, without pauses between sessions. */
type WorkTime = (at: number) => number

/**
 * Makes a function that converts a time to the working time of the run, in milliseconds. The time between the last
 * record of a session and the first record of the next one does not count.
 */
export const workTimeOf = (records: ReadonlyArray<TimedRecord>): WorkTime => {
  const start = records[0]?.at ?? 0
  const pauses = records.flatMap(({ at, record }, index) => {
    const before = records[index - 1]
    return record.type === "resumed" && before !== undefined
      ? [{ from: before.at, ms: Math.max(0, at - before.at) }]
      : []
  })
  return (at) =>
    Math.max(
      0,
      pauses.reduce((time, { from, ms }) => (at > from ? time - ms : time), at - start)
    )
}

/**
 * A period of the run. Its times are milliseconds since the start of the run, without the pauses between sessions.
 * Overlapping spans have different lanes, from 0.
 */
export const ReportSpan = Schema.Struct({
  kind: Schema.Literals(["model", "tool", "task", "question"]),
  name: Schema.String,
  /** The task of the span; absent for stages of the whole run. */
  task: Schema.optionalKey(Schema.String),
  stage: Schema.optionalKey(Schema.String),
  startMs: Schema.Finite,
  endMs: Schema.Finite,
  lane: Schema.Int,
  /** False if the call failed or never ended. */
  isOk: Schema.Boolean
})
export type ReportSpan = typeof ReportSpan.Type

type UnplacedSpan = Omit<ReportSpan, "lane">
type Begun = Omit<UnplacedSpan, "endMs" | "isOk">

const modelKey = (call: ModelCallId): string => `model ${modelCallKey(call)}`

const modelSpan = ({ attempt, round, stage, task }: ModelCallId, startMs: number): Begun => {
  const about = [...(task === undefined ? [] : [`"${task}"`]), ...(round === 0 ? [] : [`round ${round}`])]
  const name = [stage, ...about, ...(attempt === 1 ? [] : [attemptText({ attempt, stage })])].join(" ")
  return { kind: "model", name, stage, ...(task === undefined ? {} : { task }), startMs }
}

/**
 * The span that begins with this event, and its key. The event at the end of the span has the same key. Undefined if no
 * span begins.
 */
const opened = (event: RunEvent, at: number): readonly [key: string, span: Begun] | undefined => {
  switch (event.type) {
    case "model.started":
      return [modelKey(event.call), modelSpan(event.call, at)]
    case "tool.started": {
      const name = [event.call.name, ...event.targets].join(" ")
      return [`tool ${toolCallKey(event.id)}`, { kind: "tool", name, task: event.id.task, startMs: at }]
    }
    case "approval.requested":
      return [`question ${event.scope} ${event.hash}`, { kind: "question", name: event.title, startMs: at }]
    default:
      return undefined
  }
}

/** The key of the span that an event ends, and whether the call succeeded. */
const closed = (event: RunEvent): readonly [key: string, isOk: boolean] | undefined => {
  switch (event.type) {
    case "model.failed":
      return [modelKey(event.call), false]
    case "tool.finished":
      return [`tool ${toolCallKey(event.id)}`, event.result.success && badExit(event.result) === undefined]
    case "approval.answered":
      return [`question ${event.scope} ${event.hash}`, true]
    default:
      return undefined
  }
}

/** Puts each span into the first lane that is free at its start. */
const inLanes = (spans: ReadonlyArray<UnplacedSpan>): ReadonlyArray<ReportSpan> => {
  const free: Array<number> = []
  return spans
    .toSorted((a, b) => a.startMs - b.startMs)
    .map((span) => {
      const found = free.findIndex((until) => until <= span.startMs)
      const lane = found === -1 ? free.length : found
      free[lane] = Math.max(span.endMs, span.startMs + 1)
      return Object.assign({ lane }, span)
    })
}

/** The spans of the tasks, each from its first call to its last, over all rounds. */
const taskSpans = (calls: ReadonlyArray<UnplacedSpan>, finished: ReadonlySet<string>): ReadonlyArray<UnplacedSpan> => {
  const byTask = Map.groupBy(calls, ({ task }) => (task === undefined ? undefined : slugOf(task)))
  return [...byTask].flatMap(([slug, taskCalls]): ReadonlyArray<UnplacedSpan> => {
    const task = taskCalls.at(-1)?.task
    if (slug === undefined || task === undefined) return []
    const startMs = Math.min(...taskCalls.map((call) => call.startMs))
    const endMs = Math.max(...taskCalls.map((call) => call.endMs))
    return [{ kind: "task", name: task, task, startMs, endMs, isOk: finished.has(slug) }]
  })
}

/**
 * All spans. Overlapping spans of one kind have different lanes. After a crash, a span without an end lasts to the next
 * session or the end of the run.
 */
export const spansOf = (records: ReadonlyArray<TimedRecord>, time: WorkTime): ReadonlyArray<ReportSpan> => {
  const open = new Map<string, Begun>()
  const spans: Array<UnplacedSpan> = []
  const finished = new Set<string>()
  const close = (key: string, endMs: number, isOk: boolean): void => {
    const span = open.get(key)
    if (span === undefined) return
    open.delete(key)
    spans.push({ ...span, endMs: Math.max(span.startMs, endMs), isOk })
  }
  for (const { at, record } of records) {
    const now = time(at)
    if (record.type === "resumed") for (const key of open.keys()) close(key, now, false)
    if (record.type !== "event") continue
    const { event } = record
    if (event.type === "task.finished") finished.add(slugOf(event.task))
    if (event.type === "model.finished") {
      /*
       * The end is computed from the measured duration, because the event comes only after a save. A retried call has
       * no open span, so its start is computed in the same way.
       */
      const { call, usage } = event
      const begun = open.get(modelKey(call)) ?? modelSpan(call, Math.max(0, now - usage.durationMs))
      open.set(modelKey(call), begun)
      close(modelKey(call), Math.min(now, begun.startMs + usage.durationMs), true)
    }
    const start = opened(event, now)
    if (start !== undefined) {
      close(start[0], now, false)
      open.set(...start)
    }
    const end = closed(event)
    if (end !== undefined) close(end[0], now, end[1])
  }
  const last = time(records.at(-1)?.at ?? 0)
  for (const key of open.keys()) close(key, last, false)
  return [
    ...inLanes(taskSpans(spans, finished)),
    ...(["model", "tool", "question"] as const).flatMap((kind) => inLanes(spans.filter((span) => span.kind === kind)))
  ]
}

export const CriticalPath = Schema.Struct({
  spans: Schema.Array(ReportSpan),
  /** The time between the calls of the path, in milliseconds. In this time, the program worked or waited for a slot. */
  betweenMs: Schema.Finite
})
export type CriticalPath = typeof CriticalPath.Type

/**
 * The span before this one on the path: the last one that ended before this one began. It must also begin earlier.
 * Otherwise, two spans without duration could follow each other for ever.
 */
const before = (byEnd: ReadonlyArray<ReportSpan>, { startMs }: ReportSpan): ReportSpan | undefined =>
  byEnd.findLast((one) => one.endMs <= startMs && one.startMs < startMs)

export const criticalPath = (spans: ReadonlyArray<ReportSpan>): CriticalPath => {
  const byEnd = spans.filter(({ kind }) => kind !== "task").toSorted((a, b) => a.endMs - b.endMs)
  const path: Array<ReportSpan> = []
  for (let span = byEnd.at(-1); span !== undefined; span = before(byEnd, span)) path.unshift(span)
  const [first] = path
  const last = path.at(-1)
  const whole = first === undefined || last === undefined ? 0 : last.endMs - first.startMs
  const taken = path.reduce((sum, { endMs, startMs }) => sum + endMs - startMs, 0)
  return { spans: path, betweenMs: Math.max(0, whole - taken) }
}
