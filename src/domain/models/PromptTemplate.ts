/**
 * The prompt templates: their names, the placeholders each one must hold, and how a template is filled. A template is
 * read by domain/models/TemplateFormat when the program starts and filled by the stages through services/models/Prompts.
 */
import * as Schema from "effect/Schema"
import { addParts, type PromptPart } from "./PromptParts.ts"

/** Placeholders by template; stable text comes first in a template, what changes last. */
export const templatePlaceholders = {
  /** The task list. */
  creation: [
    "skill_catalog",
    "user_prompt",
    "environment",
    "project_description",
    "current_file",
    "open_files",
    "previous_proposal",
    "previous_proposal_issues"
  ],
  /** One task into tool calls. */
  refinement: [
    "skill_name",
    "skill_inputs",
    "skill_input_requirements",
    "skill_refinement",
    "tool_instructions",
    "project_description",
    "environment",
    "current_file",
    "task_reference_contents",
    "task_data",
    "issues"
  ],
  /** References and tool outputs into a result. */
  execution: [
    "skill_name",
    "skill_execution",
    "project_description",
    "environment",
    "precursor",
    "task_data",
    "previous_answer",
    "issues"
  ],
  /** The tasks that are still to do. */
  iteration: [
    "skill_catalog",
    "user_prompt",
    "goals",
    "project_description",
    "environment",
    "completed_tasks",
    "failed_tasks",
    "outstanding_tasks",
    "previous_proposal",
    "previous_proposal_issues"
  ],
  /** The answer to the prompt. */
  conclusion: ["user_prompt", "goals", "completed_tasks", "failed_tasks"],
  /** The first message of a conversation. */
  ask: ["project_description", "environment", "current_file", "user_prompt"]
} as const

export type TemplateName = keyof typeof templatePlaceholders

/** The value of every placeholder of a template; an empty string removes an optional part. */
export type TemplateValues<Name extends TemplateName> = Readonly<
  Record<(typeof templatePlaceholders)[Name][number], string>
>

/** A filled template. */
export interface FilledPrompt {
  readonly system: string
  readonly user: string
  /** What it is made of, for whoever has to make it smaller. */
  readonly parts?: ReadonlyArray<PromptPart>
}

/** The line between the system part and the user part; it stands in a template exactly once. */
export const userPartMarker = "<!-- task-conductor: user part -->"

const within = {
  /** The placeholder of the optional part that this one belongs to: it is left out when that value is empty. */
  within: Schema.optionalKey(Schema.String)
}

/** Text that is sent as it stands. */
const TextPart = Schema.TaggedStruct("Text", { text: Schema.String, ...within })
/** A place for a value. A placeholder alone on its line is a block: nothing is left of the line when its value is empty. */
const SlotPart = Schema.TaggedStruct("Slot", { placeholder: Schema.String, block: Schema.Boolean, ...within })
export const TemplatePart = Schema.Union([TextPart, SlotPart])
export type TemplatePart = typeof TemplatePart.Type

/** A template that holds exactly the placeholders of its name. */
export interface PromptTemplate<Name extends TemplateName = TemplateName> {
  readonly name: Name
  readonly system: ReadonlyArray<TemplatePart>
  readonly user: ReadonlyArray<TemplatePart>
}

const withoutOuterBlankLines = (text: string): string => text.trimEnd().replace(/^(?:[ \t\r]*\n)+/, "")

interface Filled extends PromptPart {
  readonly text: string
}

const fillParts = (
  parts: ReadonlyArray<TemplatePart>,
  values: Readonly<Record<string, string>>
): ReadonlyArray<Filled> => {
  const valueOf = (placeholder: string) => withoutOuterBlankLines(values[placeholder] ?? "")
  return parts
    .filter((part) => part.within === undefined || valueOf(part.within) !== "")
    .map((part) => {
      if (part._tag === "Text") return { name: "instructions", characters: part.text.length, text: part.text }
      const value = valueOf(part.placeholder)
      const text = part.block && value !== "" ? `${value}\n\n` : value
      return { name: part.placeholder, characters: text.length, text }
    })
}

const join = (filled: ReadonlyArray<Filled>): string => withoutOuterBlankLines(filled.map(({ text }) => text).join(""))

/** Fills a template in one pass: what a value holds is never read as a placeholder. */
export const fillTemplate = <Name extends TemplateName>(
  template: PromptTemplate<Name>,
  values: TemplateValues<Name>
): FilledPrompt => {
  const system = fillParts(template.system, values)
  const user = fillParts(template.user, values)
  return { system: join(system), user: join(user), parts: addParts([...system, ...user]) }
}
