/**
 * How the embedded model writes a task list. Called by PlanAnswer and IterationAnswer.
 */
import { fenced } from "../../../domain/markdown/PromptBlock.ts"
import { resultAnchor } from "../../../domain/plan/TaskName.ts"

/** A task that is to be written; `builds` names the tasks whose results it refers to. */
export interface PlannedTask {
  readonly name: string
  readonly needed: string
  readonly skill: string
  readonly builds: ReadonlyArray<string>
  /** Further references as links. */
  readonly links?: ReadonlyArray<string>
  readonly expected: string
  readonly requiresApproval?: boolean
  /** The text of the file to write, word for word. */
  readonly content?: string
}

/** One line that cannot be taken for a tag or for anything but text, at most 300 characters. */
export const oneLine = (text: string): string => {
  const line = text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/<(?=[/!a-z])/gi, "< ")
  return line.length > 300 ? `${line.slice(0, 300)} ...` : line
}

const taskMarkdown = (task: PlannedTask): string => {
  const references = [...(task.links ?? []), ...task.builds.map((name) => `[${name}](#${resultAnchor(name)})`)]
  const fields = [
    `- **Name** ${task.name}`,
    `- **What is needed** ${task.needed}`,
    `- **Skill** ${task.skill}`,
    ...(references.length === 0 ? [] : [`- **References** ${references.join(" ")}`]),
    `- **Expected output** ${task.expected}`,
    ...(task.requiresApproval === true ? ["- **Requires user approval**"] : [])
  ].join("\n")
  return task.content === undefined ? fields : `${fields}\n\n${fenced(task.content, "text")}`
}

/** The markdown of sections, one per group of tasks; an empty group gives none. */
export const sectionsMarkdown = (groups: ReadonlyArray<ReadonlyArray<PlannedTask>>): string =>
  groups
    .filter((tasks) => tasks.length > 0)
    .map((tasks, index) => `### Task section ${index + 1}\n\n${tasks.map(taskMarkdown).join("\n\n")}`)
    .join("\n\n")

/** A whole task list document; `sections` may be empty. */
export const taskListMarkdown = (prompt: string, goals: string, sections: string): string =>
  [
    `## Original prompt\n\n${fenced(prompt, "text")}`,
    `## Goals / summary\n\n${goals}`,
    sections === "" ? "## Tasks" : `## Tasks\n\n${sections}`
  ].join("\n\n")
