/**
 * Holds a conversation about this repository: two messages, each answered with tools. Needs no model:
 * `node examples/hold-a-conversation.ts`. With one: `TASK_CONDUCTOR_MODEL=qwen3:8b node examples/hold-a-conversation.ts`.
 */
import { openConversation } from "task-conductor"

const conversation = openConversation({ project: `${import.meta.dirname}/..`, allow: ["read_file"] })

for (const message of ["Where is `exitCodes` defined?", "Which files mention `exitCodeOf`?"]) {
  const { answer, iterations, status, toolCalls } = await conversation.send(message)
  console.log(`${status}, ${iterations} iterations, ${toolCalls} tool calls\n\n${answer}\n`)
}

const { status, usage } = await conversation.close()
console.log(`${status}: ${usage.modelCalls} model calls`)
