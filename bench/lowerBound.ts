/**
 * The shortest possible time of a plan whose steps run one after another, on a server with a fixed number of slots.
 * Every refinement may start when the plan exists.
 */

/** The times of a task: its refinement, its tools, and its execution. */
export interface TaskTimes {
  readonly refine: number
  readonly tools: number
  readonly execute: number
}

export interface PlanTimes {
  /** The time until the first refinement can start. */
  readonly plan: number
  readonly steps: ReadonlyArray<ReadonlyArray<TaskTimes>>
  /** The time after the last step. */
  readonly end: number
}

const sum = (tasks: ReadonlyArray<TaskTimes>, time: (task: TaskTimes) => number): number =>
  tasks.reduce((total, task) => total + time(task), 0)

/**
 * A step needs at least the time of its longest task. It also needs the time in which all slots together can do its
 * executions, and in which they can do all calls so far.
 */
export const lowerBound = ({ end, plan, steps }: PlanTimes, slots: number): number => {
  let finish = plan
  let work = 0
  for (const tasks of steps) {
    const longest = tasks.map(({ execute, refine, tools }) => Math.max(finish, plan + refine) + tools + execute)
    work += sum(tasks, ({ execute, refine }) => refine + execute)
    const executions = Math.min(...tasks.map(({ tools }) => tools)) + sum(tasks, ({ execute }) => execute) / slots
    finish = Math.max(...longest, finish + executions, plan + work / slots)
  }
  return finish + end
}

/** The number of tasks in each step, if tasks are spread evenly. */
export const stepSizes = (tasks: number, steps: number): ReadonlyArray<number> =>
  Array.from(
    { length: steps },
    (_, step) => Math.floor(((step + 1) * tasks) / steps) - Math.floor((step * tasks) / steps)
  )

/** All calls take the same time, and tools take none. `plan` and `end` are numbers of calls. */
export const evenPlan = (
  tasks: number,
  steps: number,
  latency: number,
  calls: { readonly plan: number; readonly end: number }
): PlanTimes => ({
  plan: calls.plan * latency,
  end: calls.end * latency,
  steps: stepSizes(tasks, steps).map((size) =>
    Array.from({ length: size }, () => ({ refine: latency, tools: 0, execute: latency }))
  )
})
