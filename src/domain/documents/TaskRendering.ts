/** Writes tasks and task lists as strict markdown. From this markdown, the readers get the same values again. */
import { forEachText } from "../grammar/ForEachForm.ts"
import { escapeInline, escapeSkill, escapeText, escapeValue } from "../grammar/TextEscaping.ts"
import { taskListHeadings } from "../markdown/MarkdownHeadings.ts"
import { type CodeBlock, fenceFor } from "../markdown/PromptBlock.ts"
import { fieldLabels } from "../markdown/TaskFields.ts"
import type { Reference } from "../plan/Reference.ts"
import type { Task } from "../plan/Task.ts"
import type { Step, TaskList } from "../plan/TaskList.ts"
import { type ListExcerpt, listWithin } from "../text/Excerpt.ts"
import type { ToolCall } from "../tools/ToolCall.ts"
import { renderInputs } from "./InputFormat.ts"
import type { InputValue } from "./TaskOutcome.ts"

/** The parts that a report adds to a task. */
interface RefinedParts {
  readonly inputs?: ReadonlyArray<InputValue>
  readonly looks?: ReadonlyArray<ToolCall>
  readonly calls: ReadonlyArray<ToolCall>
}

const indented = (line: string): string => (line === "" ? "" : `  ${line}`)

const field = (label: string, value: string): ReadonlyArray<string> => {
  const { first, rest } = escapeValue(value)
  return [`- **${label}**${first === "" ? "" : ` ${first}`}`, ...rest.map(indented)]
}

/** Escapes markdown characters. Inside a word, an underscore is no emphasis and stays. */
const escapedLabel = (text: string): string =>
  text.replace(/[\\`*[\]<>&!]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")

/** Writes a name or path as code if it would otherwise need a markdown escape. Models would copy the escape. */
const label = (text: string): string => {
  const escaped = escapedLabel(text)
  return escaped === text || !/^[^\s`[\]]+$/.test(text) ? escaped : `\`${text}\``
}

/** Writes the target of a link. Underscores and asterisks need no escape there. */
const target = (href: string): string => {
  const escaped = href.replace(/[\\<>&`]/g, "\\$&")
  return href === "" || /[\s()[\]]/.test(href) || href.startsWith("<") ? `<${escaped}>` : escaped
}

export const link = ({ href, title }: Reference): string => `[${label(title)}](${target(href)})`

/** A fenced code block; each element is one line. */
const codeBlock = ({ language, text }: CodeBlock): ReadonlyArray<string> => {
  const ticks = fenceFor(text)
  const fence = language.includes("`") ? ticks.replaceAll("`", "~") : ticks
  return [`${fence}${language}`, ...(text === "" ? [] : text.split("\n")), fence]
}

const fields = (task: Task): ReadonlyArray<string> => [
  `- **${fieldLabels.name}** ${escapeInline(task.name)}`,
  ...field(fieldLabels.needed, task.whatIsNeeded),
  ...(task.forEach === undefined ? [] : [`- **${fieldLabels.each}** ${forEachText(task.forEach, link)}`]),
  `- **${fieldLabels.skill}** ${escapeSkill(task.skill)}`,
  ...(task.references.length === 0 ? [] : [`- **${fieldLabels.references}** ${task.references.map(link).join(" ")}`]),
  ...field(fieldLabels.expected, task.expectedOutput),
  ...(task.requiresApproval ? [`- **${fieldLabels.approval}**`] : [])
]

export const renderToolCall = ({ arguments: values, name, uid }: ToolCall): string =>
  codeBlock({ language: "json", text: JSON.stringify({ uid, name, arguments: values }, null, 2) }).join("\n")

/** Writes the sections that a task report has below its task: inputs, looks and calls. */
export const renderWorkedTask = ({ calls, inputs: values = [], looks }: RefinedParts): string =>
  [
    ...(values.length === 0 ? [] : [`## Inputs\n\n${renderInputs(values)}`]),
    ...(looks === undefined ? [] : ["## Look first", ...looks.map(renderToolCall)]),
    "## Tool Calls",
    ...calls.map(renderToolCall)
  ].join("\n\n")

/** Writes one task of a plan, without a final line break. */
export const renderTask = (task: Task): string =>
  [...fields(task), ...task.codeBlocks.flatMap((block) => ["", ...codeBlock(block)])].join("\n")

export const renderTaskPart = (task: Task): string => `## Task\n\n${renderTask(task)}`

/** Writes a whole report. */
export const renderTaskReport = ({ task, ...parts }: RefinedParts & { readonly task: Task }): string =>
  `${renderTaskPart(task)}\n\n${renderWorkedTask(parts)}\n`

/** Writes the task sections under `## Tasks`. */
export const renderSteps = (steps: ReadonlyArray<Step>): string =>
  steps.flatMap(({ tasks, title }) => [`### ${title}`, ...tasks.map(renderTask)]).join("\n\n")

const promptText = (prompt: string): string => {
  const isPlain = escapeText(prompt).join("\n") === prompt && taskListHeadings(prompt) === undefined
  return isPlain && !prompt.includes("```") ? prompt : codeBlock({ language: "text", text: prompt }).join("\n")
}

/**
 * Writes a task list as markdown in the strict form. If the prompt could be read as a section of the document, it gets
 * a fence.
 */
export const renderTaskList = (list: TaskList, options: { readonly prompt?: string } = {}): string => {
  const prompt = options.prompt?.trim() ?? ""
  return (
    [
      "## Original prompt",
      ...(prompt === "" ? [] : [promptText(prompt)]),
      "## Goals / summary",
      escapeText(list.goals).join("\n"),
      "## Tasks",
      ...(list.steps.length === 0 ? [] : [renderSteps(list.steps)])
    ].join("\n\n") + "\n"
  )
}

const onlyOutstanding =
  "(There is no room for the whole tasks, so only names are shown. Write those that are still needed again, with all fields.)\n\n"

const moreOutstanding = (count: number): string =>
  `- ${count} more, which stay in the plan behind your tasks. Do not write them.`

/**
 * The unfinished tasks, or only their names if the tasks exceed the budget. `shownEntries` is the number of tasks in
 * the text.
 */
export const outstandingWithin = ({ steps, tasks }: TaskList, budget: number): ListExcerpt => {
  const limit = budget + moreOutstanding(tasks.length).length
  const whole = renderSteps(steps)
  if (whole.length <= limit) return { text: whole, shownEntries: tasks.length }
  const names = tasks.map(({ name }) => `- ${name}`)
  const { shownEntries, text } = listWithin(names, limit, moreOutstanding)
  return { text: onlyOutstanding + text, shownEntries }
}
