/**
 * Asks a question about this repository and prints events as they occur, then the answer. Needs no model:
 * `node examples/answer-a-question.ts`. With one: `TASK_CONDUCTOR_MODEL=qwen3:8b node examples/answer-a-question.ts`.
 */
import { run } from "task-conductor"

const { events, report } = run({
  prompt: "Where are the limits of a run defined?",
  project: `${import.meta.dirname}/..`,
  allow: ["read_file"]
})

for await (const event of events) {
  if (event.type === "plan.created") console.log(`plan:\n${event.markdown}`)
  if (event.type === "tool.finished")
    console.log(`${event.name}: ${event.result.success ? "ok" : event.result.error_message}`)
}

const { answer, status } = await report
console.log(`${status}\n\n${answer}`)
