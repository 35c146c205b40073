/**
 * OpenAI Agents SDK. An agent with one tool makes both calls of a task in its loop. The tasks of a step run in
 * parallel.
 */
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from "@openai/agents"
import OpenAI from "openai"
import { z } from "zod"
import { measured } from "../measured.ts"
import {
  callTool,
  endPrompt,
  model,
  planPrompt,
  readPlan,
  readResult,
  refinePrompt,
  system,
  toolName
} from "../Workload.ts"

setTracingDisabled(true)

await measured(async ({ url }) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 })
  const answers = new OpenAIChatCompletionsModel(client, model)
  const read = tool({
    name: toolName,
    description: "Reads an item.",
    parameters: z.object({}),
    execute: () => callTool({ name: toolName, arguments: {} })
  })
  const planner = new Agent({ name: "planner", instructions: system, model: answers })
  const worker = new Agent({ name: "worker", instructions: system, model: answers, tools: [read] })
  const ask = async (agent: typeof planner, prompt: string): Promise<string> =>
    String((await run(agent, prompt)).finalOutput)
  const results: Array<string> = []
  for (const step of readPlan(await ask(planner, planPrompt()))) {
    results.push(...(await Promise.all(step.map(async (task) => readResult(await ask(worker, refinePrompt(task)))))))
  }
  await ask(planner, endPrompt(results))
  return results
})
