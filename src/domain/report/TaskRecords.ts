/**
 * The records of a journal by the task that they are about, so that each task reads its own and not all.
 */
import type { JournalRecord } from "../history/JournalRecord.ts"
import { parseKey } from "../runs/ActivityKey.ts"
import type { RunEvent } from "../runs/RunEvent.ts"
import { slugOf } from "../text/Slug.ts"

const taskOfEvent = (event: RunEvent): string | undefined => {
  if ("task" in event) return event.task
  if ("call" in event && "stage" in event.call) return event.call.task
  if ("id" in event) return event.id.task
  return undefined
}

/** The slug of the task of a record; `undefined` for what is about the whole run. */
const slugOfRecord = (record: JournalRecord): string | undefined => {
  if (record.type === "event") {
    const task = taskOfEvent(record.event)
    return task === undefined ? undefined : slugOf(task)
  }
  if (record.type === "intent") return slugOf(record.task)
  const parsed = "key" in record ? parseKey(record.key) : undefined
  return parsed !== undefined && "task" in parsed ? parsed.task : undefined
}

/** The records of each task by its slug; under `""` those of the whole run. */
export const recordsByTask = (
  records: ReadonlyArray<JournalRecord>
): ((slug: string) => ReadonlyArray<JournalRecord>) => {
  const groups = new Map<string, Array<JournalRecord>>()
  for (const record of records) {
    const slug = slugOfRecord(record) ?? ""
    const group = groups.get(slug)
    if (group === undefined) groups.set(slug, [record])
    else group.push(record)
  }
  return (slug) => groups.get(slug) ?? []
}
