import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { generateText, isStepCount, type ModelMessage, Output, tool } from "ai"
import { z } from "zod"
import { isAllowed, print, prompt, readPath, search, url } from "../job.ts"

const grep = tool({
  description: "Lists the files that hold a word.",
  inputSchema: z.object({ word: z.string() }),
  execute: ({ word }) => search(word)
})
const read = tool({
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readPath(path)
})
const schema = z.object({ file: z.string(), rounds: z.number().int() })
const messages: Array<ModelMessage> = [{ role: "user", content: prompt }]
for (;;) {
  const result = await generateText({
    model: createOpenAICompatible({ name: "bench", baseURL: url, supportsStructuredOutputs: true })("bench"),
    tools: { grep, read },
    toolApproval: { read: "user-approval" },
    stopWhen: isStepCount(10),
    output: Output.object({ schema }),
    messages
  })
  messages.push(...result.responseMessages)
  const requests = result.content.filter((part) => part.type === "tool-approval-request")
  if (requests.length === 0) {
    print({ status: result.finishReason, value: result.output })
    break
  }
  const type = "tool-approval-response" as const
  const content = requests.map(({ approvalId }) => ({ type, approvalId, approved: isAllowed }))
  messages.push({ role: "tool", content })
}
