/**
 * Mastra. One `foreach` runs over the steps, and one over the tasks of a step. Each task is a workflow (refine, tool,
 * execute). Answers come from the AI SDK, as in the documentation of Mastra.
 */
import { createStep, createWorkflow } from "@mastra/core/workflows"
import { generateText } from "ai"
import { createOllama } from "ollama-ai-provider-v2"
import { z } from "zod"
import { measured } from "../measured.ts"
import {
  type Call,
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

/** Values that pass from step to step are not validated again. */
const passed = <A>() => z.custom<A>(() => true)

const allTasksOfAStep = 100_000

await measured(async ({ url }) => {
  const server = createOllama({ baseURL: `${url}/api` })
  const ask = async (prompt: string): Promise<string> => {
    const { text } = await generateText({ model: server(model), system, prompt, maxRetries: 0 })
    return text
  }

  const task = passed<Task>()
  const called = passed<{ readonly task: Task; readonly call: Call }>()
  const answered = passed<{ readonly task: Task; readonly output: string }>()
  const text = passed<string>()

  const work = createWorkflow({ id: "work", inputSchema: task, outputSchema: text })
    .then(
      createStep({
        id: "refine",
        inputSchema: task,
        outputSchema: called,
        execute: async ({ inputData }) => ({ task: inputData, call: readCall(await ask(refinePrompt(inputData))) })
      })
    )
    .then(
      createStep({
        id: "use",
        inputSchema: called,
        outputSchema: answered,
        execute: async ({ inputData }) => ({ task: inputData.task, output: await callTool(inputData.call) })
      })
    )
    .then(
      createStep({
        id: "execute",
        inputSchema: answered,
        outputSchema: text,
        execute: async ({ inputData }) => readResult(await ask(executePrompt(inputData.task, inputData.output)))
      })
    )
    .commit()
  const tasks = passed<Array<Task>>()
  const texts = passed<Array<string>>()
  const step = createWorkflow({ id: "step", inputSchema: tasks, outputSchema: texts })
    .foreach(work, { concurrency: allTasksOfAStep })
    .commit()
  const whole = createWorkflow({ id: "whole", inputSchema: passed<object>(), outputSchema: texts })
    .then(
      createStep({
        id: "plan",
        inputSchema: passed<object>(),
        outputSchema: passed<Array<Array<Task>>>(),
        execute: async () => readPlan(await ask(planPrompt())).map((tasks) => tasks.slice())
      })
    )
    .foreach(step, { concurrency: 1 })
    .then(
      createStep({
        id: "end",
        inputSchema: passed<Array<Array<string>>>(),
        outputSchema: texts,
        execute: async ({ inputData }) => {
          const results = inputData.flat()
          await ask(endPrompt(results))
          return results
        }
      })
    )
    .commit()

  const ended = await (await whole.createRun()).start({ inputData: {} })
  if (ended.status !== "success") throw new Error(JSON.stringify(ended).slice(0, 500))
  return ended.result
})
