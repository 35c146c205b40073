/**
 * How the executor and the later stages see tool calls and results. A text that does not fit is shortened, with a note
 * that says how much is shown.
 */
import { shares, shorten } from "../text/Excerpt.ts"
import { fenced } from "../markdown/PromptBlock.ts"
import type { Task } from "../plan/Task.ts"
import { type TaskFailure, TaskResult } from "../plan/TaskResult.ts"
import { type CallOutcome, dataText } from "../tools/ToolCall.ts"

/** The text that stands for a result: its data, or what went wrong. */
export const outcomeText = ({ result }: CallOutcome): string =>
  result.success ? dataText(result.data) : `ERROR (${result.error_type}): ${result.error_message ?? ""}`

/** The texts, shortened so that together they take at most `budget` characters. */
const fitTexts = (texts: ReadonlyArray<string>, budget: number): ReadonlyArray<string> => {
  const limits = shares(
    texts.map((text) => text.length),
    budget
  )
  return texts.map((text, index) => shorten(text, limits[index] ?? 0))
}

/** Per call `### Tool call <name> (<uid>)` as JSON and its output as text; all outputs take at most `budget` characters. */
export const callBlocks = (outcomes: ReadonlyArray<CallOutcome>, budget: number): string => {
  const outputs = fitTexts(outcomes.map(outcomeText), budget)
  return outcomes
    .map(({ call }, index) => {
      const heading = `### Tool call ${call.name} (${call.uid})`
      const output = fenced(outputs[index] ?? "", "text")
      return `${heading}\n\n${fenced(JSON.stringify(call, null, 2), "json")}\n\n${heading} output\n\n${output}\n\n`
    })
    .join("")
}

/** The results of finished tasks, one `### <name>` each, for iteration and conclusion; `budget` as above. */
export const resultBlocks = (results: ReadonlyArray<TaskResult>, budget: number): string => {
  const summaries = results.map(({ result }) => result.summary.trim())
  const shown = fitTexts(summaries, budget)
  return results.map(({ name }, index) => `### ${name}\n\n${shown[index] ?? ""}\n\n`).join("")
}

/** What the heading of a reference takes, in characters. */
const referenceFrame = 200

const shortResult = ({ calls, result, task }: TaskResult, limit: number): TaskResult => {
  const whole = result.document.length
  const note = `[only the summary is shown; the whole result has ${whole} characters]`
  const document = `${shorten(result.summary.trim(), Math.max(0, limit - note.length - 2))}\n\n${note}`
  return new TaskResult({ task, calls, result: { summary: result.summary, document } })
}

/**
 * The finished tasks as one task sees them: the results it refers to take at most `budget` characters together. One that
 * does not fit is replaced by its summary with a note.
 */
export const fitResults = (
  { references }: Task,
  finished: ReadonlyArray<TaskResult>,
  budget: number
): ReadonlyArray<TaskResult> => {
  const slugs = new Set(references.flatMap(({ kind, target }) => (kind === "task_result" ? [target] : [])))
  const shown = finished.filter(({ task }) => slugs.has(task.slug))
  const limits = shares(
    shown.map(({ result }) => result.document.length + referenceFrame),
    budget
  )
  const short = new Map(
    shown.flatMap((one, index) => {
      const limit = (limits[index] ?? 0) - referenceFrame
      return limit < one.result.document.length ? [[one.task.slug, shortResult(one, limit)] as const] : []
    })
  )
  return finished.map((one) => short.get(one.task.slug) ?? one)
}

/** One line per task that ended without a result. */
export const failureLines = (failures: ReadonlyArray<TaskFailure>): string =>
  failures.map((failure) => `- ${failure.message.replaceAll(/\s*\n\s*/g, " ")}`).join("\n")
