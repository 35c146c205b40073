/**
 * Computes the state of a run from its events: the plan of each round, the end of each task, and the usage of all
 * sessions.
 */
import type { TaskList } from "../plan/TaskList.ts"
import { slugOf } from "../text/Slug.ts"
import type { EventOf, RunEvent } from "../runs/RunEvent.ts"
import { addUsage, noUsage } from "../runs/RunReport.ts"

interface RoundPlan {
  readonly round: number
  readonly list: TaskList
  /** The tasks that had a result before this plan. */
  readonly finished: ReadonlyArray<string>
}

export type RunFold = ReturnType<typeof runFromJournal>

export const runFromJournal = (events: ReadonlyArray<RunEvent>) => {
  const plans = new Map<number, RoundPlan>()
  const finished = new Map<string, string>()
  const ends = new Map<string, EventOf<"task.finished" | "task.failed">>()
  let markdown = ""
  let end: EventOf<"run.finished"> | undefined
  let usage = noUsage
  for (const event of events) {
    if (event.type === "plan.created" || event.type === "plan.revised") {
      const round = event.type === "plan.created" ? 1 : event.round + 1
      const before = plans.get(round)?.finished ?? [...finished.values()]
      plans.set(round, { round, list: event.taskList, finished: before })
      if (event.type === "plan.created" && markdown === "") markdown = event.markdown
    } else if (event.type === "task.finished" || event.type === "task.failed") {
      ends.set(slugOf(event.task), event)
      if (event.type === "task.finished") finished.set(slugOf(event.task), event.task)
    } else if (event.type === "run.finished") {
      end = event
      usage = addUsage(usage, event.report.usage)
    }
  }
  const inOrder = [...plans.values()].toSorted((a, b) => a.round - b.round)
  const tasks = inOrder.flatMap(({ list }) => list.tasks)
  return {
    /** The plans of all rounds, in order. If a session emits a plan again, the last version counts. */
    plans: inOrder,
    /** The first plan as markdown. Empty if the run has no plan. */
    markdown,
    /** The names of all tasks of all plans, in order. */
    names: [...new Set(tasks.map(({ name }) => String(name)))],
    /** The tasks by slug, each as in the last plan that contains it. */
    tasks: new Map(tasks.map((task) => [task.slug, task])),
    /** How each task ended, by slug. The last end counts. */
    ends,
    /** The last event that ended a session, if any. */
    end,
    /** The usage of all sessions that ended, added up. */
    usage
  }
}
