/**
 * Compares what a run told with what its replay tells. Times, costs and the interleaving of tasks that ran side by side
 * may differ; what was planned, called, found and answered may not. Pure; called by the replay.
 */
import { canonicalJson } from "./CanonicalJson.ts"
import { flattenEvent } from "./EventLine.ts"
import type { RunEvent } from "./RunEvent.ts"
import { slugOf } from "./TaskName.ts"

/** One thing that is not as it was; `before` and `now` are JSON, absent where there is nothing. */
export interface RunDifference {
  /** Where: the kind of event, and what it is about. */
  readonly about: string
  readonly before?: string
  readonly now?: string
}

/** What every replay tells in the same way. */
const compared = new Set<RunEvent["type"]>([
  "plan.created",
  "plan.revised",
  "task.refined",
  "task.finished",
  "task.failed",
  "answer.rejected",
  "answer.repaired",
  "run.finished"
])

/** Keys whose values depend on the clock or the machine. */
const volatile = new Set(["at", "usage", "metadata"])

const withoutVolatile = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutVolatile)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => (volatile.has(key) ? [] : [[key, withoutVolatile(part)]]))
  )
}

const subjectOf = (event: RunEvent): string => {
  const parts: Array<string> = [event.type]
  if ("round" in event) parts.push(`round ${event.round}`)
  if ("task" in event && typeof event.task === "string") parts.push(`"${event.task}"`)
  if ("call" in event && "stage" in event.call) {
    const { attempt, round, stage, task } = event.call
    parts.push(stage, `round ${round}`, ...(task === undefined ? [] : [slugOf(task)]), `attempt ${attempt}`)
  }
  return parts.join(" ")
}

/** What was told last about each subject, in the order in which it was first told. */
const tellings = (events: ReadonlyArray<RunEvent>): ReadonlyMap<string, string> => {
  const told = new Map<string, string>()
  for (const event of events) {
    if (!compared.has(event.type)) continue
    told.set(subjectOf(event), canonicalJson(withoutVolatile(flattenEvent({ at: "", event })) as never))
  }
  return told
}

/** All differences, in the order of the run. */
export const runDifferences = (
  before: ReadonlyArray<RunEvent>,
  now: ReadonlyArray<RunEvent>
): ReadonlyArray<RunDifference> => {
  const old = tellings(before)
  const fresh = tellings(now)
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((about) => {
    const was = old.get(about)
    const is = fresh.get(about)
    if (was === is) return []
    return [{ about, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { now: is }) }]
  })
}
