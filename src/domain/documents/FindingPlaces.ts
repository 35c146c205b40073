/**
 * Finds the line of the task, field or call that a finding names. Checks against the project examine parsed values, so
 * their findings have no lines. The lines make it possible to sort and mark these findings like those of the readers.
 */
import { type Reading, type Where, inDocumentOrder, noFindings } from "../findings/Issue.ts"
import { DocumentReader } from "../grammar/DocumentReader.ts"
import { nameTasks } from "../grammar/FieldValues.ts"
import type { RawTask } from "../grammar/RawTask.ts"
import { collectTasks } from "../grammar/TaskParser.ts"
import { turnHeadings, taskListHeadings } from "../markdown/MarkdownHeadings.ts"
import { type FieldKey, fieldLabels } from "../markdown/TaskFields.ts"
import { slugOf } from "../text/Slug.ts"
import type { ToolCall } from "../tools/ToolCall.ts"
import { readSteps } from "./TaskListFormat.ts"

/** Adds the line to a place that has no line. A place that is not in the document stays unchanged. */
export type FindingPlaces = (where: Where) => Where

const keyOf = (label: string): FieldKey | undefined =>
  (Object.keys(fieldLabels) as ReadonlyArray<FieldKey>).find((key) => fieldLabels[key] === label)

const lineOf = (task: RawTask, { field }: Where): number => {
  const key = field === undefined ? undefined : keyOf(field)
  return (key === undefined ? undefined : task.fields.get(key)?.line) ?? task.line
}

const placed = (where: Where, line: number | undefined): Where =>
  line === undefined || where.line !== undefined ? where : { ...where, line }

/**
 * Returns a function that adds the line number to a place in a task list. `finished` contains the names of tasks with a
 * result.
 */
export const listPlaces = (text: string, finished: ReadonlyArray<string>): FindingPlaces => {
  const reader = new DocumentReader(text, { knownHeadings: taskListHeadings, hasFields: true })
  const section = reader.section("tasks")
  if (section === undefined) return (where) => where
  const named = nameTasks(readSteps(reader, section, true), new Set(finished.map(slugOf)))
  return (where) => {
    const ofName = named.filter(({ name }) => name === where.task)
    const task = ofName.find((one) => one.section === where.section) ?? ofName[0]
    return placed(where, task === undefined ? undefined : lineOf(task.raw, where))
  }
}

/**
 * Returns functions that add the line number to a place in a refinement. `ofTask` is for the task and its inputs, and
 * `ofCall` for one call.
 */
export const refinementPlaces = (text: string) => {
  const reader = new DocumentReader(text, { knownHeadings: turnHeadings, hasFields: true })
  const { lines } = reader.document
  const parts = new Map([
    ["Look first", reader.section("look-first")],
    ["Tool Calls", reader.section("tool-calls")]
  ])
  const inputs = reader.section("inputs")
  const section = reader.section("task")
  const [task] = collectTasks(reader.linesOf(section), section?.heading ?? "", noFindings())
  const linesWith = (wanted: string, first: number, last = lines.length): ReadonlyArray<number> =>
    lines.flatMap((line, index) => (index >= first && index < last && line.text.includes(wanted) ? [index + 1] : []))
  const ofTask: FindingPlaces = (where) => {
    if (where.section === "Inputs")
      return placed(where, inputs && (linesWith(where.field ?? "", inputs.line)[0] ?? inputs.line))
    if (parts.has(where.section ?? "")) return placed(where, parts.get(where.section ?? "")?.line ?? section?.line)
    return placed(where, task === undefined ? undefined : lineOf(task, where))
  }
  /**
   * The line of a call. If there are as many code blocks as calls, the n-th block holds the n-th call. Otherwise the
   * line is found by the name of the tool.
   */
  const ofCall = (part: string, all: ReadonlyArray<ToolCall>, index: number): FindingPlaces => {
    const calls = parts.get(part)
    if (calls === undefined) return ofTask
    const named = JSON.stringify(all[index]?.name ?? "")
    const end = reader.endOf(calls)
    const blocks = [...new Set(reader.document.fences.values())].filter(
      ({ first }) => first >= calls.line && first < end
    )
    const block = blocks.length === all.length ? blocks[index] : undefined
    const nth = all.slice(0, index).filter(({ name }) => name === all[index]?.name).length
    const line =
      block === undefined
        ? (linesWith(named, calls.line, end)[nth] ??
          linesWith(`=${all[index]?.name}>`, calls.line, end)[nth] ??
          calls.line)
        : (linesWith(named, block.first, block.last + 1)[0] ?? block.first + 1)
    return (where) => placed(where, line)
  }
  return { ofTask, ofCall }
}

/** The findings about a document, each with its line, in the order of the document. */
export const placeFindings = (findings: Omit<Reading<unknown>, "value">, place: FindingPlaces) =>
  inDocumentOrder({
    issues: findings.issues.map((issue) => ({ ...issue, where: place(issue.where) })),
    repairs: findings.repairs.map((repair) => ({ ...repair, where: place(repair.where) }))
  })
