/**
 * The report of `task-conductor check` about a document, which `--json` prints. `check --fix` rewrites the document in
 * the strict form, and keeps the new text only if its meaning is the same.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { InputValue } from "./TaskOutcome.ts"
import { readTaskReport, type RefinementDocument } from "./RefinementFormat.ts"
import { headedResult, readResult } from "./ResultFormat.ts"
import { readTaskList } from "./TaskListFormat.ts"
import { renderTaskReport, renderTaskList } from "./TaskRendering.ts"
import { Issue, issueText, type Reading, Repair, makeRepair } from "../findings/Issue.ts"
import { DocumentReader } from "../grammar/DocumentReader.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { bodyOf, textOfLines } from "../markdown/Sections.ts"
import { resultHeadings, taskListHeadings } from "../markdown/MarkdownHeadings.ts"
import { linksOf, parseMarkdown } from "../markdown/MarkdownTree.ts"
import type { Task } from "../plan/Task.ts"
import type { TaskList } from "../plan/TaskList.ts"
import type { SkillInput } from "../skills/Skill.ts"
import { forEachText } from "../grammar/ForEachForm.ts"
import { slugOf } from "../text/Slug.ts"
import { ToolCall } from "../tools/ToolCall.ts"

/** The kinds of documents that can be checked. */
export const DocumentKind = Schema.Literals(["task-list", "refinement", "result"])
export type DocumentKind = typeof DocumentKind.Type

const ReferenceReport = Schema.Struct({
  title: Schema.String,
  href: Schema.String,
  kind: Schema.Literals(["anchor", "task_result", "file", "url", "unknown"]),
  target: Schema.String
})

/** A task of a plan. */
export const TaskReport = Schema.Struct({
  /** The heading of the task. */
  name: Schema.String,
  /** The name as links write it. */
  slug: Schema.String,
  /** The name of the skill that works on the task. */
  skill: Schema.String,
  /** The work of the task, in markdown. */
  what_is_needed: Schema.String,
  /** The expected result, in markdown. */
  expected_output: Schema.String,
  /** The links of the task, in order. */
  references: Schema.Array(ReferenceReport),
  /** The kind and source of the items. Present only if the task runs once for each item. */
  for_each: Schema.optionalKey(Schema.String),
  /** True if the calls of the task need an approval. */
  requires_approval: Schema.Boolean,
  /** The code blocks of the task. */
  code_blocks: Schema.Array(Schema.Struct({ language: Schema.String, text: Schema.String }))
})
export type TaskReport = typeof TaskReport.Type

/** The content of a task list. `pending` and `finished` are names of tasks. */
export const TaskListReport = Schema.Struct({
  /** The markdown under the goals. */
  goals: Schema.String,
  /** The sections of tasks, in order. */
  sections: Schema.Array(Schema.Struct({ title: Schema.String, tasks: Schema.Array(TaskReport) })),
  /** The names of tasks without a result. */
  pending: Schema.Array(Schema.String),
  /** The names of tasks with a result. */
  finished: Schema.Array(Schema.String)
})
export type TaskListReport = typeof TaskListReport.Type

/** The content of a refinement; `inputs` is absent if there are none. */
export const RefinementReport = Schema.Struct({
  /** The task that the refinement is about. */
  task: TaskReport,
  /** The inputs of the skill, by name. */
  inputs: Schema.optionalKey(Schema.Record(Schema.String, InputValue.fields.value)),
  /** The reading calls under `## Look first`; absent if there are none. */
  look_first: Schema.optionalKey(Schema.Array(ToolCall)),
  /** The calls, in the order in which the model wrote them. */
  tool_calls: Schema.Array(ToolCall)
})
export type RefinementReport = typeof RefinementReport.Type

/** What a result says, as a check of its document reads it. */
export const ResultReport = Schema.Struct({
  /** The summary of the result. */
  summary: Schema.String,
  /** The links of the result, in order. */
  links: Schema.Array(Schema.Struct({ title: Schema.String, href: Schema.String }))
})
export type ResultReport = typeof ResultReport.Type

/** An issue as commands print it. `message` consists of `what` and `how`. */
export const IssueReport = Schema.Struct({
  /** The problem and the fix. */
  message: Schema.String,
  /** A stable code in kebab-case. */
  code: Issue.fields.code,
  /** The place in the document. */
  where: Issue.fields.where,
  /** The problem. */
  what: Issue.fields.what,
  /** The fix. */
  how: Issue.fields.how,
  /** The text that is wrong. */
  quote: Issue.fields.quote
})
export type IssueReport = typeof IssueReport.Type

/** The report of a check. `value` is null if the document is rejected. */
export const CheckReport = Schema.Struct({
  /** The kind of the document. */
  kind: DocumentKind,
  /** `repaired` means that the document is accepted, with repairs. */
  verdict: Schema.Literals(["accepted", "repaired", "rejected"]),
  /** The issues; empty unless the document is rejected. */
  issues: Schema.Array(IssueReport),
  /** The deviations from the format that the reader repaired. */
  repairs: Schema.Array(Repair),
  /** The content of the document; null if it is rejected. */
  value: Schema.NullOr(Schema.Union([TaskListReport, RefinementReport, ResultReport])),
  /** The project that the document was checked against; absent if only the text was checked. */
  project: Schema.optionalKey(Schema.String)
})
export type CheckReport = typeof CheckReport.Type

export interface CheckOptions {
  /** Names of finished tasks, for a list that continues a run. */
  readonly finished?: ReadonlyArray<string>
  /** For a refinement: the planned task. If absent, the document must contain a whole task. */
  readonly planned?: Task
  /** For a refinement: the typed inputs of the skill. If absent, every value is read as text. */
  readonly inputs?: ReadonlyArray<SkillInput>
}

const taskReport = (task: Task): TaskReport => ({
  name: task.name,
  slug: task.slug,
  skill: task.skill,
  what_is_needed: task.whatIsNeeded,
  expected_output: task.expectedOutput,
  references: task.references.map(({ href, kind, target, title }) => ({ title, href, kind, target })),
  ...(task.forEach === undefined ? {} : { for_each: forEachText(task.forEach) }),
  requires_approval: task.requiresApproval,
  code_blocks: task.codeBlocks.map(({ language, text }) => ({ language, text }))
})

const listReport = ({ goals, steps, tasks: all }: TaskList, finished: ReadonlyArray<string>): TaskListReport => {
  const done = new Set(finished.map(slugOf))
  return {
    goals,
    sections: steps.map(({ tasks, title }) => ({ title, tasks: tasks.map(taskReport) })),
    pending: all.filter(({ slug }) => !done.has(slug)).map(({ name }) => name),
    finished
  }
}

const callReport = ({ arguments: values, name, uid }: ToolCall): ToolCall => ({ uid, name, arguments: values })

const refinementReport = ({ calls, inputs, looks, task }: RefinementDocument): RefinementReport => ({
  task: taskReport(task),
  ...(inputs === undefined ? {} : { inputs: Object.fromEntries(inputs.map(({ name, value }) => [name, value])) }),
  ...(looks === undefined ? {} : { look_first: looks.map(callReport) }),
  tool_calls: calls.map(callReport)
})

export const issueReport = ({ code, ...issue }: Issue): IssueReport => ({
  code,
  message: issueText({ code, ...issue }),
  ...issue
})

const report = <A>(
  kind: DocumentKind,
  reading: Reading<A>,
  print: (value: A) => CheckReport["value"]
): CheckReport => ({
  kind,
  verdict: reading.issues.length > 0 ? "rejected" : reading.repairs.length > 0 ? "repaired" : "accepted",
  issues: reading.issues.map(issueReport),
  repairs: reading.repairs,
  value: reading.issues.length > 0 ? null : Option.getOrNull(Option.map(reading.value, print))
})

/** The report about a task list; `finished` are names of tasks. */
export const reportOfList = (reading: Reading<TaskList>, finished: ReadonlyArray<string>): CheckReport =>
  report("task-list", reading, (list) => listReport(list, finished))

/** The report about a refinement. */
export const reportOfTurn = (reading: Reading<RefinementDocument>): CheckReport =>
  report("refinement", reading, refinementReport)

/**
 * The links of a result in order. If a section is too complex to parse, its links are missing and `repairs` says so.
 */
const resultLinks = (document: string, repairs: Array<Repair>): ResultReport["links"] => {
  const { lines, sections } = readMarkdown(document, { knownHeadings: resultHeadings })
  const parts = [
    { text: textOfLines({ lines }, 0, (sections[0]?.line ?? 1) - 1), where: { line: 1 } },
    ...sections.map((section) => ({
      text: bodyOf({ lines }, section),
      where: { section: section.heading, line: section.line }
    }))
  ]
  return parts.flatMap(({ text, where }) => {
    const tree = parseMarkdown(text, 1)
    if (Option.isSome(tree)) return linksOf(tree.value).map(({ href, title }) => ({ title, href }))
    const message = "The section is too large or too nested to look for links in it."
    repairs.push(makeRepair("links-not-read", where, message))
    return []
  })
}

const checkResult = (text: string): CheckReport => {
  const { issues, repairs, value } = readResult(text)
  const unread: Array<Repair> = []
  const read = Option.map(value, ({ document, summary }) => ({ summary, links: resultLinks(document, unread) }))
  return report("result", { issues, repairs: [...repairs, ...unread], value: read }, (one) => one)
}

export const checkDocument = (kind: DocumentKind, text: string, options: CheckOptions = {}): CheckReport => {
  const { finished = [], inputs, planned } = options
  switch (kind) {
    case "task-list":
      // This check does not know the headings of the request. An anchor that looks like a task result must therefore
      // name a task.
      return reportOfList(readTaskList(text, { finished, headings: [] }), finished)
    case "refinement":
      return reportOfTurn(readTaskReport(text, { task: planned, inputs }))
    case "result":
      return checkResult(text)
  }
}

/** A fixed document and the report about its original text. */
export interface FixedDocument {
  /** The findings about the original text. */
  readonly report: CheckReport
  /** The repaired text; the original text if no repairs were needed. */
  readonly text: string
}

/** The prompt in a task list, without a fence around it. */
const promptOf = (text: string): string => {
  const reader = new DocumentReader(text, { knownHeadings: taskListHeadings, hasFields: true })
  const { document } = reader
  const [prompt, ...others] = ["original-prompt", "goals", "tasks", "issues"].map((key) => reader.section(key))
  if (prompt === undefined) return ""
  const next = others.flatMap((part) => (part !== undefined && part.line > prompt.line ? [part.line - 1] : []))
  const inside = document.lines.slice(prompt.first, Math.min(document.lines.length, ...next))
  const first = prompt.first + inside.findIndex((line) => !line.isBlank)
  const last = prompt.first + inside.findLastIndex((line) => !line.isBlank)
  if (last < prompt.first) return ""
  const fence = document.fences.get(first)
  return fence?.first === first && fence.last === last ? fence.text : textOfLines(document, first, last + 1)
}

/**
 * Two versions of the result, both with the strict heading. In the first, the heading has the level of the strict form.
 * In the second, it keeps its level, for a result whose section would otherwise contain more text than before. Empty if
 * the result has no such section.
 */
const renderResult = (written: string): ReadonlyArray<string> => {
  const text = headedResult(written) ?? written
  const reader = new DocumentReader(text, { knownHeadings: resultHeadings })
  const { document } = reader
  const section = reader.section("result-summary")
  if (section === undefined) return []
  const { depth, first, heading, knownHeading, lead, line } = section
  const title = knownHeading?.title ?? heading
  const before = line === 1 ? "" : `${textOfLines(document, 0, line - 1)}\n`
  const after = `${lead === "" ? "" : `\n\n${lead}`}\n${textOfLines(document, first)}`
  return [2, depth].map((level) => `${`${before}${"#".repeat(level)} ${title}${after}`.trim()}\n`)
}

/** The strict forms of a task list, best first. `text` is the text from which the list was read. */
export const strictLists = (text: string, { value }: Reading<TaskList>): ReadonlyArray<string> =>
  Option.toArray(value).map((list) => renderTaskList(list, { prompt: promptOf(text) }))

/** Texts in the strict form that may replace the document, best first. */
const strictForms = (kind: DocumentKind, text: string, { finished = [] }: CheckOptions): ReadonlyArray<string> => {
  switch (kind) {
    case "task-list":
      return strictLists(text, readTaskList(text, { finished, headings: [] }))
    case "refinement":
      return Option.toArray(readTaskReport(text).value).map(renderTaskReport)
    case "result":
      return renderResult(text)
  }
}

/** True if the fixed text has the same value as the original text and needs fewer repairs. */
export const isBetter = (before: CheckReport, again: CheckReport): boolean =>
  again.verdict !== "rejected" &&
  JSON.stringify(again.value) === JSON.stringify(before.value) &&
  again.repairs.length < before.repairs.length

/**
 * Checks a document and applies its repairs. The strict form replaces the document if its value is the same and it
 * needs fewer repairs. A rejected document stays unchanged.
 */
export const fixDocument = (kind: DocumentKind, text: string, options: CheckOptions = {}): FixedDocument => {
  const report = checkDocument(kind, text, options)
  const isFix = (candidate: string): boolean => isBetter(report, checkDocument(kind, candidate, options))
  const fixed = report.verdict === "repaired" ? strictForms(kind, text, options).find(isFix) : undefined
  return { report, text: fixed ?? text }
}
