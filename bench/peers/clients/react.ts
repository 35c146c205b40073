/**
 * A loop like ReAct. The model calls a tool for one task after another in one growing conversation. Only its prompt
 * tokens are compared: it makes half as many calls as the others.
 */
import { measured } from "../measured.ts"
import { callTool, endPrompt, type Order, readCall, refinePrompt, system } from "../Workload.ts"
import { fetchAnswer, type Message } from "./fetchAnswer.ts"

await measured(async ({ tasks, url }: Order) => {
  const messages: Array<Message> = [{ role: "system", content: system }]
  const results: Array<string> = []
  for (let number = 1; number <= tasks; number += 1) {
    const task = { name: `Item ${number}`, text: `Look at item ${number} and say what matters in it.` }
    // Only the first prompt contains what all tasks share.
    const content = number === 1 ? refinePrompt(task) : `# Stage: refinement\n\n${task.text}`
    messages.push({ role: "user", content })
    const answer = await fetchAnswer(url, messages)
    messages.push(
      { role: "assistant", content: answer },
      { role: "user", content: `## Outputs\n\n${await callTool(readCall(answer))}` }
    )
    results.push(`${task.name} is done`)
  }
  messages.push({ role: "user", content: endPrompt(results) })
  await fetchAnswer(url, messages)
  return results
})
