/**
 * The simplest client: only promises and `fetch`. Every refinement starts when the plan exists. Steps run one after
 * another, and the tasks of a step in parallel.
 */
import { measured } from "../measured.ts"
import {
  callTool,
  endPrompt,
  executePrompt,
  type Order,
  planPrompt,
  readCall,
  readPlan,
  readResult,
  refinePrompt,
  system,
  type Task
} from "../Workload.ts"
import { fetchAnswer } from "./fetchAnswer.ts"

await measured(async ({ url }: Order) => {
  const ask = (user: string) =>
    fetchAnswer(url, [
      { role: "system", content: system },
      { role: "user", content: user }
    ])
  const steps = readPlan(await ask(planPrompt()))
  const refined = new Map(steps.flat().map((task) => [task, ask(refinePrompt(task)).then(readCall)]))
  const execute = async (task: Task): Promise<string> => {
    const call = await refined.get(task)
    if (call === undefined) throw new Error("a task without a refinement")
    return readResult(await ask(executePrompt(task, await callTool(call))))
  }
  const results: Array<string> = []
  for (const step of steps) results.push(...(await Promise.all(step.map(execute))))
  await ask(endPrompt(results))
  return results
})
