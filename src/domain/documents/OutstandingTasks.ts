/**
 * The tasks that are left, as a prompt shows them: whole, or by their names where there is no room.
 */
import type { TaskList } from "../plan/TaskList.ts"
import { type ListExcerpt, listWithin } from "../text/Excerpt.ts"
import { renderSteps } from "./TaskRendering.ts"

const onlyOutstanding =
  "(There is no room for the whole tasks, so only names are shown. Write those that are still needed again, with all fields.)\n\n"

const moreOutstanding = (count: number): string =>
  `- ${count} more, which stay in the plan behind your tasks. Do not write them.`

/** Outstanding tasks, or their names; `shown` counts the tasks that the text names. */
export const outstandingWithin = ({ steps, tasks }: TaskList, room: number): ListExcerpt => {
  const limit = room + moreOutstanding(tasks.length).length
  const whole = renderSteps(steps)
  if (whole.length <= limit) return { text: whole, shown: tasks.length }
  const names = tasks.map(({ name }) => `- ${name}`)
  const { shown, text } = listWithin(names, limit, moreOutstanding)
  return { text: onlyOutstanding + text, shown }
}
