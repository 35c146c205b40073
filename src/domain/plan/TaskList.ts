/** The plan of a run: its goals, and steps that run one after another. The tasks of a step run side by side. */
import * as Schema from "effect/Schema"
import { Task } from "./Task.ts"
import type { TaskName } from "./TaskName.ts"

/** A section `### Task section N`. `title` is the whole heading, such as `Task section 2: research`. */
export class Step extends Schema.Class<Step>("task-conductor/domain/plan/TaskList/Step")({
  title: Schema.String,
  tasks: Schema.NonEmptyArray(Task)
}) {}

/** A plan: its goals and its steps. */
export class TaskList extends Schema.Class<TaskList>("task-conductor/domain/plan/TaskList")({
  /** The markdown under `## Goals / summary`. */
  goals: Schema.String,
  steps: Schema.Array(Step)
}) {
  /** All tasks in document order. */
  get tasks(): ReadonlyArray<Task> {
    return this.steps.flatMap((step) => step.tasks)
  }

  /** True if any task has no result. */
  hasPending(finished: ReadonlySet<TaskName>): boolean {
    return this.tasks.some((task) => !finished.has(task.name))
  }

  /** The plan without finished tasks and steps. */
  outstanding(finished: ReadonlySet<TaskName>): TaskList {
    const steps = this.steps.flatMap((step) => {
      const [first, ...rest] = step.tasks.filter((task) => !finished.has(task.name))
      return first === undefined ? [] : [new Step({ title: step.title, tasks: [first, ...rest] })]
    })
    return new TaskList({ goals: this.goals, steps })
  }
}

/**
 * The new steps, followed by the outstanding tasks that the model did not see. The model saw only the first `shown`
 * tasks. Tasks that a new step contains are left out.
 */
export const withKept = (steps: ReadonlyArray<Step>, outstanding: TaskList, shown: number): ReadonlyArray<Step> => {
  const written = new Set(steps.flatMap(({ tasks }) => tasks.map(({ slug }) => slug)))
  const hidden = new Set(outstanding.tasks.slice(shown))
  const kept = outstanding.steps.flatMap(({ tasks, title }) => {
    const [first, ...rest] = tasks.filter((task) => hidden.has(task) && !written.has(task.slug))
    return first === undefined ? [] : [new Step({ title, tasks: [first, ...rest] })]
  })
  return [...steps, ...kept].map((step, index) =>
    index < steps.length ? step : new Step({ ...step, title: step.title.replace(/\d+/, String(index + 1)) })
  )
}
