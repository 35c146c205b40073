/**
 * Stops a run in the middle and resumes it: finished work is not repeated. `node examples/resume-a-run.ts`
 */
import { resume, run, runs } from "task-conductor"

const controller = new AbortController()
const first = run({
  prompt: "Where are the limits of a run defined?",
  project: `${import.meta.dirname}/..`,
  model: "embedded",
  allow: ["read_file"],
  signal: controller.signal
})
for await (const event of first.events) if (event.type === "task.finished") controller.abort()
console.log(`${first.runId} is ${(await first.report).status}`)

const saved = (await runs()).find(({ runId }) => runId === first.runId)
console.log(`saved as ${saved?.standing}, ${saved?.bytes} bytes`)

const second = resume(first.runId, { allow: ["read_file"] })
for await (const event of second.events) if (event.type === "task.kept") console.log(`${event.task} had finished`)
const { answer, status } = await second.report
console.log(`${status}\n\n${answer}`)
