/**
 * Tasks that a revised plan keeps because the model was not shown them: it could neither write them again nor drop them.
 */
import { Step, type TaskList } from "./TaskList.ts"

/** The steps, and behind them the outstanding tasks after the first `shown`, without those that were written anew. */
export const withKept = (steps: ReadonlyArray<Step>, outstanding: TaskList, shown: number): ReadonlyArray<Step> => {
  const written = new Set(steps.flatMap(({ tasks }) => tasks.map(({ slug }) => slug)))
  const hidden = new Set(outstanding.tasks.slice(shown))
  const kept = outstanding.steps.flatMap(({ tasks, title }) => {
    const [first, ...rest] = tasks.filter((task) => hidden.has(task) && !written.has(task.slug))
    return first === undefined ? [] : [{ title, tasks: [first, ...rest] as const }]
  })
  return [
    ...steps,
    ...kept.map(({ tasks, title }, index) => {
      const renumbered = title.replace(/\d+/, String(steps.length + index + 1))
      return new Step({ title: renumbered, tasks })
    })
  ]
}
