/**
 * Stops a run in the middle and goes on with it: what had finished is not done again. `node examples/go-on-with-a-run.ts`
 */
import { resume, run, runs } from "../src/index.ts"

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

const kept = (await runs()).find(({ runId }) => runId === first.runId)
console.log(`kept as ${kept?.standing}, ${kept?.bytes} bytes`)

const second = resume(first.runId, { allow: ["read_file"] })
for await (const event of second.events) if (event.type === "task.kept") console.log(`${event.task} had finished`)
const { answer, status } = await second.report
console.log(`${status}\n\n${answer}`)
