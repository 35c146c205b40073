/**
 * The embedded model's answer to the iteration prompt. Nothing is left when all tasks have run; when some failed it has no
 * better idea and lets the run end; tasks that only were not reached yet stay as they are.
 */
import { blocksIn, blockText, userPromptIn } from "./PromptText.ts"
import { taskListMarkdown } from "./TaskMarkdown.ts"

/** Answers the iteration prompt with the task list that is left. */
export const iterationAnswer = (user: string): string => {
  const blocks = blocksIn(user)
  const outstanding = blockText(blocks, "Outstanding tasks")
  const keep = blockText(blocks, "Tasks that failed") === "" && /^### /m.test(outstanding)
  const refused = blockText(blocks, "Issues with the previous proposal") !== ""
  const goals = blockText(blocks, "Goals / summary") || "The prompt is answered."
  return taskListMarkdown(userPromptIn(blocks), goals, keep && !refused ? outstanding : "")
}
