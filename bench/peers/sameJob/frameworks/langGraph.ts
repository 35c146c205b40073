import { tool } from "@langchain/core/tools"
import { Command, interrupt, isInterrupted, MemorySaver } from "@langchain/langgraph"
import { createReactAgent } from "@langchain/langgraph/prebuilt"
import { ChatOllama } from "@langchain/ollama"
import { z } from "zod"
import { isAllowed, model, print, prompt, readPath, search, url } from "../job.ts"

const grep = tool(({ word }: { word: string }) => search(word), {
  name: "grep",
  description: "Lists the files that hold a word.",
  schema: z.object({ word: z.string() })
})
const read = tool(
  async ({ path }: { path: string }) => {
    const allowed: boolean = interrupt({ tool: "read", path })
    return allowed ? readPath(path) : "The user denied this call."
  },
  { name: "read", description: "Reads a file.", schema: z.object({ path: z.string() }) }
)
const agent = createReactAgent({
  llm: new ChatOllama({ model, baseUrl: url }),
  tools: [grep, read],
  responseFormat: z.object({ file: z.string(), rounds: z.number().int() }),
  checkpointer: new MemorySaver()
})
const config = { configurable: { thread_id: "job" } }
let state = await agent.invoke({ messages: [{ role: "user", content: prompt }] }, config)
while (isInterrupted(state)) state = await agent.invoke(new Command({ resume: isAllowed }), config)
print({ status: "ended", value: state.structuredResponse })
