/**
 * Vercel AI SDK with orchestrated workers, as its documentation shows them: `generateText` for all tasks of a step at
 * once. A task is refined when its step begins.
 */
import { generateText } from "ai"
import { createOllama } from "ollama-ai-provider-v2"
import { measured } from "../measured.ts"
import {
  callTool,
  endPrompt,
  executePrompt,
  model,
  planPrompt,
  readCall,
  readPlan,
  readResult,
  refinePrompt,
  system,
  type Task
} from "../Workload.ts"

await measured(async ({ url }) => {
  const server = createOllama({ baseURL: `${url}/api` })
  const ask = async (prompt: string): Promise<string> => {
    const { text } = await generateText({ model: server(model), system, prompt, maxRetries: 0 })
    return text
  }
  const work = async (task: Task): Promise<string> => {
    const call = readCall(await ask(refinePrompt(task)))
    return readResult(await ask(executePrompt(task, await callTool(call))))
  }
  const results: Array<string> = []
  for (const step of readPlan(await ask(planPrompt()))) results.push(...(await Promise.all(step.map(work))))
  await ask(endPrompt(results))
  return results
})
