import { generateText, type ModelMessage, Output, stepCountIs, tool } from "ai"
import { createOllama } from "ollama-ai-provider-v2"
import { z } from "zod"
import { isAllowed, model, print, prompt, readPath, search, url } from "../job.ts"

const tools = {
  grep: tool({
    description: "Lists the files that hold a word.",
    inputSchema: z.object({ word: z.string() }),
    execute: ({ word }) => search(word)
  }),
  read: tool({
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string() }),
    needsApproval: true,
    execute: ({ path }) => readPath(path)
  })
}
const server = createOllama({ baseURL: `${url}/api` })
const messages: Array<ModelMessage> = [{ role: "user", content: prompt }]
for (;;) {
  const result = await generateText({
    model: server(model),
    tools,
    messages,
    stopWhen: stepCountIs(10),
    output: Output.object({ schema: z.object({ file: z.string(), rounds: z.number().int() }) })
  })
  messages.push(...result.response.messages)
  const requests = result.content.filter((part) => part.type === "tool-approval-request")
  if (requests.length === 0) {
    print({ status: result.finishReason, value: result.output })
    break
  }
  messages.push({
    role: "tool",
    content: requests.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved: isAllowed }))
  })
}
