/**
 * A function answers requests for approval: reading is allowed, everything else is declined.
 * `node examples/approve-by-function.ts`
 */
import { run } from "task-conductor"

const { report } = run({
  prompt: "Read docs/internals/architecture.md and say what the rooms are.",
  skill: "read-code",
  project: `${import.meta.dirname}/..`,
  model: "embedded",
  approve: ({ items }) => {
    for (const { risk, targets, tool } of items) console.log(`asked: ${tool} (${risk}) ${targets.join(", ")}`)
    return items.every((item) => item.tool === "read_file")
  }
})

const { answer, message, status } = await report
console.log(status, message)
console.log(answer)
