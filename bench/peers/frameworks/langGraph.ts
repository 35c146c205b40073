/**
 * LangGraph. The graph sends each task of a step to a subgraph of its own (refine, tool, execute). It collects the
 * results and continues with the next step.
 */
import { ChatOllama } from "@langchain/ollama"
import { Annotation, END, Send, START, StateGraph } from "@langchain/langgraph"
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

await measured(async ({ steps: count, url }) => {
  const chat = new ChatOllama({ model, baseUrl: url })
  const ask = async (prompt: string): Promise<string> => {
    const { content } = await chat.invoke([
      ["system", system],
      ["human", prompt]
    ])
    return String(content)
  }

  const Work = Annotation.Root({
    task: Annotation<Task>(),
    call: Annotation<Call>(),
    output: Annotation<string>(),
    result: Annotation<string>()
  })
  const work = new StateGraph(Work)
    .addNode("refine", async ({ task }) => ({ call: readCall(await ask(refinePrompt(task))) }))
    .addNode("use", async ({ call }) => ({ output: await callTool(call) }))
    .addNode("execute", async ({ output, task }) => ({ result: readResult(await ask(executePrompt(task, output))) }))
    .addEdge(START, "refine")
    .addEdge("refine", "use")
    .addEdge("use", "execute")
    .addEdge("execute", END)
    .compile()

  const Whole = Annotation.Root({
    steps: Annotation<ReadonlyArray<ReadonlyArray<Task>>>(),
    at: Annotation<number>(),
    results: Annotation<ReadonlyArray<string>>({ reducer: (all, more) => [...all, ...more], default: () => [] })
  })
  const spread = ({ at, steps }: typeof Whole.State) => (steps[at] ?? []).map((task) => new Send("work", { task }))
  const whole = new StateGraph(Whole)
    .addNode("plan", async () => ({ steps: readPlan(await ask(planPrompt())), at: 0 }))
    .addNode("work", async (state: unknown) => {
      const { result } = await work.invoke({ task: (state as { readonly task: Task }).task })
      return { results: [result] }
    })
    .addNode("next", ({ at }) => ({ at: at + 1 }))
    .addNode("end", async ({ results }) => {
      await ask(endPrompt(results))
      return {}
    })
    .addEdge(START, "plan")
    .addConditionalEdges("plan", spread, ["work"])
    .addEdge("work", "next")
    .addConditionalEdges("next", (state) => (state.at < count ? spread(state) : "end"), ["work", "end"])
    .addEdge("end", END)
    .compile()

  const { results } = await whole.invoke({}, { recursionLimit: 4 * count + 20 })
  return results
})
