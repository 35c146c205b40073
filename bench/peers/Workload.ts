/**
 * The work that every peer does. A model writes a plan of N tasks in S steps. Each task is refined to one tool call,
 * the tool is called, and the task is executed. A last call reads all results. All peers have the same prompts, parsing
 * and tool. They differ only in how they arrange and send calls.
 */
import { stepSizes } from "../lowerBound.ts"

export interface Order {
  readonly url: string
  readonly tasks: number
  readonly steps: number
  /** The number of slots of the server. 0 means that no call waits. */
  readonly slots: number
}

export interface Task {
  readonly name: string
  readonly text: string
}

export interface Call {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** The name of the model on the server. */
export const model = "bench"

/** The tool and the skill that the plan names. */
export const toolName = "bench_read"
export const skillName = "bench"

const repeat = (text: string, times: number): string => `${text} `.repeat(times).trim()

export const system = repeat(
  "You work on one task of a longer list. Write markdown, use the headings that you are asked for and no others, name only files and tools that you were shown, and say so when something is missing.",
  12
)

const background = repeat(
  "From the project: forty files of text, of which each task looks at one; what matters in them becomes part of one report at the end.",
  8
)

/** The heading of the stage is the same as in prompts of task-conductor. So one script answers all peers. */
const stage = (name: string): string => `# Stage: ${name}`

export const planPrompt = (): string => `${stage("creation")}\n\nMake a list of tasks for looking at all items.`

export const refinePrompt = ({ name, text }: Task): string =>
  `${background}\n\n${stage("refinement")}\n\n## Task\n\n- **Name** ${name}\n- **What is needed** ${text}`

export const executePrompt = (task: Task, output: string): string =>
  `${refinePrompt(task).replace(stage("refinement"), stage("execution"))}\n\n## Outputs\n\n${output}`

export const endPrompt = (results: ReadonlyArray<string>): string =>
  `${stage("iteration")}\n\n${results.length} tasks have finished. Is anything missing?`

const sectionHead = /^### Task section \d+$/m
const taskLines = /^- \*\*Name\*\* (.+)\n- \*\*What is needed\*\* (.+)$/gm

/** The plan in markdown, as task-conductor writes it. */
export const planText = (tasks: number, steps: number): string => {
  let number = 0
  const sections = stepSizes(tasks, steps).map((size, step) => {
    const items = Array.from({ length: size }, () => {
      number += 1
      return `- **Name** Item ${number}\n- **What is needed** Look at item ${number} and say what matters in it.\n- **Skill** ${skillName}\n- **Expected output** What matters in item ${number}.\n`
    })
    return `### Task section ${step + 1}\n\n${items.join("\n")}`
  })
  return `## Original prompt\n\nLook at all items.\n\n## Goals / summary\n\nAll items are looked at.\n\n## Tasks\n\n${sections.join("\n")}`
}

export const readPlan = (text: string): ReadonlyArray<ReadonlyArray<Task>> =>
  text
    .split(sectionHead)
    .slice(1)
    .map((section) => Array.from(section.matchAll(taskLines), ([, name = "", needed = ""]) => ({ name, text: needed })))

export const readCall = (text: string): Call => {
  const [, json] = /```json\n([^]*?)\n```/.exec(text) ?? []
  if (json === undefined) throw new Error(`no call in: ${text.slice(0, 100)}`)
  return JSON.parse(json)
}

export const readResult = (text: string): string => {
  const [, result] = /^## Result summary\n\n([^]*?)\n\n##/m.exec(text) ?? []
  if (result === undefined) throw new Error(`no result in: ${text.slice(0, 100)}`)
  return result
}

export const toolOutput = "a line of the file that the tool has read\n".repeat(10)

export const callTool = async ({ name }: Call): Promise<string> => `${name}:\n${toolOutput}`
