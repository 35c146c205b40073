import { Command, interrupt, MemorySaver } from "@langchain/langgraph"
import { ChatOpenAI } from "@langchain/openai"
import { createAgent, tool } from "langchain"
import { z } from "zod"
import { isAllowed, print, prompt, readPath, search } from "../job.ts"

const grep = tool(({ word }) => search(word), {
  name: "grep",
  description: "Lists the files that hold a word.",
  schema: z.object({ word: z.string() })
})
const read = tool(
  ({ path }) => (interrupt({ tool: "read", path }) === true ? readPath(path) : "The user denied this call."),
  { name: "read", description: "Reads a file.", schema: z.object({ path: z.string() }) }
)
const agent = createAgent({
  model: new ChatOpenAI({ model: "bench" }),
  tools: [grep, read],
  responseFormat: z.object({ file: z.string(), rounds: z.number().int() }),
  checkpointer: new MemorySaver()
})
const config = { configurable: { thread_id: "job" } }
let state = await agent.invoke({ messages: [{ role: "user", content: prompt }] }, config)
while (state.__interrupt__ !== undefined) state = await agent.invoke(new Command({ resume: isAllowed }), config)
print({ status: "ended", value: state.structuredResponse })
