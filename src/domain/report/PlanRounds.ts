/**
 * The plan of each round, and what changed from one to the next.
 */
import * as Schema from "effect/Schema"
import type { TaskList } from "../plan/TaskList.ts"
import { slugOf } from "../text/Slug.ts"
import type { TimedRecord } from "./TimedRecord.ts"

/** `new` was not planned before, `kept` was, `changed` is the same task with other words. */
export const PlanChange = Schema.Literals(["new", "kept", "changed"])

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

interface Planned {
  readonly round: number
  readonly list: TaskList
  readonly finished: ReadonlyArray<string>
}

/** The last plan of each round: a session that goes on tells it again. */
const plansOf = (records: ReadonlyArray<TimedRecord>): ReadonlyArray<Planned> => {
  const plans = new Map<number, Planned>()
  const finished = new Map<string, string>()
  for (const { record } of records) {
    if (record.type !== "event") continue
    const { event } = record
    if (event.type === "task.finished") finished.set(slugOf(event.task), event.task)
    const round = event.type === "plan.created" ? 1 : event.type === "plan.revised" ? event.round + 1 : undefined
    if (round === undefined || (event.type !== "plan.created" && event.type !== "plan.revised")) continue
    const known = plans.get(round)
    plans.set(round, { round, list: event.taskList, finished: known?.finished ?? [...finished.values()] })
  }
  return [...plans.values()].toSorted((a, b) => a.round - b.round)
}

export const planRounds = (records: ReadonlyArray<TimedRecord>): ReadonlyArray<PlanRound> => {
  const plans = plansOf(records)
  return plans.map(({ finished, list, round }, index): PlanRound => {
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
}
