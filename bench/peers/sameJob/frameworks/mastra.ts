import { Agent } from "@mastra/core/agent"
import { Mastra } from "@mastra/core/mastra"
import { InMemoryStore } from "@mastra/core/storage"
import { createTool } from "@mastra/core/tools"
import { createOllama } from "ollama-ai-provider-v2"
import { z } from "zod"
import { isAllowed, model, print, prompt, readPath, search, url } from "../job.ts"

const grep = createTool({
  id: "grep",
  description: "Lists the files that hold a word.",
  inputSchema: z.object({ word: z.string() }),
  execute: async ({ word }) => search(word)
})
const read = createTool({
  id: "read",
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  requireApproval: true,
  execute: async ({ path }) => readPath(path)
})
const job = new Agent({
  id: "job",
  name: "job",
  instructions: "Answer with the tools.",
  model: createOllama({ baseURL: `${url}/api` })(model) as never,
  tools: { grep, read }
})
const mastra = new Mastra({ agents: { job }, storage: new InMemoryStore(), logger: false })
const agent = mastra.getAgent("job")
const schema = z.object({ file: z.string(), rounds: z.number().int() })
let result = await agent.generate(prompt, { maxSteps: 10, structuredOutput: { schema } })
while (result.finishReason === "suspended") {
  const call = { runId: result.runId, toolCallId: result.suspendPayload?.toolCallId }
  result = isAllowed ? await agent.approveToolCallGenerate(call) : await agent.declineToolCallGenerate(call)
}
print({ status: result.finishReason, value: result.object })
