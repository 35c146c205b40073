/** Selects the records with which a fork of a run starts: all work before a task. */
import { parseKey } from "../runs/ActivityKey.ts"
import type { JournalRecord } from "../journal/JournalRecord.ts"
import { slugOf } from "../text/Slug.ts"
import type { RunEvent } from "../runs/RunEvent.ts"
import { runFromJournal } from "./RunFold.ts"

/** The first round that plans a task, and the task's step in that plan. */
const placeOf = (records: ReadonlyArray<JournalRecord>, slug: string) => {
  for (const { list, round } of runFromJournal(publishedEvents(records)).plans) {
    const step = list.steps.findIndex(({ tasks }) => tasks.some((task) => task.slug === slug))
    if (step !== -1) return { round, step, list }
  }
  return undefined
}

/** The records of the work before the task; undefined if the run has no such task. */
export const forkRecords = (
  records: ReadonlyArray<JournalRecord>,
  task: string
): ReadonlyArray<JournalRecord> | undefined => {
  const slug = slugOf(task)
  const place = placeOf(records, slug)
  if (place === undefined) return undefined
  const { list, round, step } = place
  const before = new Set(
    list.steps.flatMap(({ tasks }, index) =>
      index > step ? [] : tasks.flatMap((one) => (index < step || one.slug !== slug ? [one.slug] : []))
    )
  )
  const isBefore = (key: string): boolean => {
    const parsed = parseKey(key)
    if (parsed === undefined || parsed.round > round) return false
    return parsed.round < round || (parsed.task !== undefined && before.has(parsed.task))
  }
  return records.filter(
    (record) =>
      (record.type === "settled" || record.type === "outcome" || record.type === "prompt") && isBefore(record.key)
  )
}

export const publishedEvents = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<RunEvent> =>
  records.flatMap((record) => (record.type === "event" ? [record.event] : []))

/**
 * True if the session ended by itself. False if it was killed or interrupted, or if the user answered `stop` about an
 * uncertain call.
 */
export const hasEnded = (events: ReadonlyArray<RunEvent>): boolean =>
  events.some((event) => event.type === "run.finished" && event.report.status !== "interrupted") &&
  !events.some((event) => event.type === "approval.answered" && event.answer === "stop")
