import { Agent } from "@mastra/core/agent"
import { Mastra } from "@mastra/core/mastra"
import { InMemoryStore } from "@mastra/core/storage"
import { createTool } from "@mastra/core/tools"
import { z } from "zod"
import { isAllowed, print, prompt, readPath, search, url } from "../job.ts"

const grep = createTool({
  id: "grep",
  description: "Lists the files that hold a word.",
  inputSchema: z.object({ word: z.string() }),
  execute: ({ word }) => search(word)
})
const read = createTool({
  id: "read",
  description: "Reads a file.",
  inputSchema: z.object({ path: z.string() }),
  requireApproval: true,
  execute: ({ path }) => readPath(path)
})
const job = new Agent({
  id: "job",
  name: "job",
  instructions: "Answer with the tools.",
  model: { id: "local/bench", url },
  tools: { grep, read }
})
const agent = new Mastra({ agents: { job }, storage: new InMemoryStore(), logger: false }).getAgent("job")
const structuredOutput = { schema: z.object({ file: z.string(), rounds: z.number().int() }) }
let result = await agent.generate(prompt, { maxSteps: 10, structuredOutput })
while (result.finishReason === "suspended") {
  const call = { runId: result.runId ?? "", structuredOutput }
  result = isAllowed ? await agent.approveToolCallGenerate(call) : await agent.declineToolCallGenerate(call)
}
print({ status: result.finishReason ?? "", value: result.object })
