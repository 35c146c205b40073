/**
 * What a model can see in a prompt: the stage, the goals, the task, lines of files, and results. Everything that the
 * model of the noisy runs says is made of this.
 */
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { stageName } from "../support/stageName.ts"

export type StageName = "creation" | "refinement" | "execution" | "iteration" | "conclusion"

export const stageOf = (prompt: FilledPrompt): StageName | undefined =>
  (stageName(prompt) || undefined) as StageName | undefined

/** Something that was asked for: a value to set, or one to tell. */
export interface Goal {
  readonly name: string
  readonly path: string
  /** The new value; nothing when the present one is asked for. */
  readonly value?: string
}

/** The goals in the wording of the request and of the tasks made of it. */
export const goalsIn = (text: string): ReadonlyArray<Goal> =>
  [...text.matchAll(/Set `(\w+)` in (\S+) to (\d+)\.|Tell the value of `(\w+)` in (\S+\.\w+)\./g)].map(
    ([, name, path, value, told, where]) =>
      value === undefined ? { name: told ?? "", path: where ?? "" } : { name: name ?? "", path: path ?? "", value }
  )

/** The text of a section of the second level, without its heading. */
export const sectionOf = ({ user }: FilledPrompt, heading: string): string => {
  const start = user.indexOf(`## ${heading}\n`)
  if (start < 0) return ""
  const text = user.slice(start + heading.length + 4)
  const end = text.search(/^## /m)
  return end < 0 ? text : text.slice(0, end)
}

/** What the user asked for. */
export const requestIn = (prompt: FilledPrompt): string => sectionOf(prompt, "User prompt")

/** The task of a refinement or an execution as fields. */
export interface TaskView {
  readonly name: string
  readonly needed: string
  /** The fields as they stand in the prompt, but for the approval. */
  readonly fields: ReadonlyArray<string>
}

export const taskIn = (prompt: FilledPrompt): TaskView => {
  const fields = sectionOf(prompt, "Task")
    .split("\n")
    .filter((line) => /^- \*\*(?!Requires)/.test(line))
  const field = (label: string): string =>
    fields.find((line) => line.startsWith(`- **${label}** `))?.slice(label.length + 7) ?? ""
  return { name: field("Name"), needed: field("What is needed"), fields }
}

/** A line of a file that stands in the prompt. */
export interface SeenLine {
  readonly text: string
  readonly line: number | undefined
}

/** The line on which a name gets a value; with the number in front of it or, failing that, of the nearest link above. */
export const declarationIn = (text: string, name: string): SeenLine | undefined => {
  const lines = text.split("\n")
  for (const [index, line] of lines.entries()) {
    const [, number, own] = new RegExp(`^(?:\\S+?:)?(?:\\s*(\\d+)[:-] ?)?(\\s*${name}: \\d+,)$`).exec(line) ?? []
    if (own === undefined) continue
    const above = lines.slice(Math.max(0, index - 4), index).join("\n")
    const linked = [...above.matchAll(/#L(\d+)/g)].at(-1)?.[1]
    const found = number ?? linked
    return { text: own, line: found === undefined ? undefined : Number(found) }
  }
  return undefined
}

/** The results of finished tasks by name. */
export const resultsIn = (prompt: FilledPrompt): ReadonlyMap<string, string> => {
  const [, ...blocks] = `\n${sectionOf(prompt, "Outputs from completed tasks")}`.split(/^### (?=\S)/m)
  return new Map(
    blocks.map((block) => {
      const [name = ""] = block.split("\n", 1)
      return [name.trim(), block.slice(name.length)]
    })
  )
}
