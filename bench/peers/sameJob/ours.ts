import { ask, tool } from "task-conductor"
import { z } from "zod"
import { isAllowed, print, prompt, readPath, search } from "./job.ts"

const grep = tool({
  description: "Lists the files that hold a word.",
  parameters: z.object({ word: z.string() }),
  risk: "safe",
  effect: "pure",
  execute: ({ word }) => search(word)
})
const read = tool({
  description: "Reads a file.",
  parameters: z.object({ path: z.string() }),
  risk: "medium",
  effect: "pure",
  execute: ({ path }) => readPath(path)
})
const { report } = ask({
  prompt,
  model: "openai:bench",
  tools: { grep, read },
  approve: () => isAllowed,
  outputSchema: z.object({ file: z.string(), rounds: z.number().int() })
})
print(await report)
