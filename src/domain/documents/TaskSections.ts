/**
 * Finds the task sections under `## Tasks` and reads their raw tasks. Whatever else stands there is an issue, or is
 * ignored with a note when nothing is lost by it.
 */
import { noteHeading } from "../grammar/DocumentSections.ts"
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import type { MarkdownDocument, MarkdownSection } from "../markdown/Markdown.ts"
import { isBlank, isRule } from "../markdown/MarkdownLines.ts"
import { excerpt, type RawStep } from "../grammar/RawTask.ts"
import { collectTasks } from "../grammar/TaskParser.ts"
import { isField } from "../grammar/TaskFields.ts"
import { classifyLines } from "../grammar/TaskLines.ts"
import { sectionTitles } from "./TaskSectionTitles.ts"

interface Span {
  readonly section: MarkdownSection
  last: number
}

const holdsFields = (document: MarkdownDocument, first: number, last: number): boolean =>
  document.lines.slice(first, last).some((line, index) => !document.fences.has(first + index) && isField(line))

const addTaskOutside = (document: MarkdownDocument, section: MarkdownSection, findings: Findings): boolean => {
  if (!holdsFields(document, section.first, section.last)) return false
  addIssue(
    findings,
    "task-outside-section",
    { section: section.heading, line: section.line },
    {
      what: `The section "${section.heading}" holds tasks, but is no task section.`
    }
  )
  return true
}

/** The level of task sections in the strict document. */
const sectionDepth = 3

/** The task sections after the heading Tasks, each with its sub-headings. */
const findSpans = (document: MarkdownDocument, tasks: MarkdownSection, findings: Findings): ReadonlyArray<Span> => {
  const spans: Array<Span> = addTaskOutside(document, tasks, findings) ? [{ section: tasks, last: tasks.last }] : []
  let open: Span | undefined
  for (const section of document.sections) {
    if (section.line <= tasks.line) continue
    const { depth, heading, landmark, line } = section
    if (landmark?.key === "task-section" && (landmark.exact || depth > tasks.depth)) {
      noteHeading(section, findings)
      open = { section, last: section.last }
      spans.push(open)
    } else if (open !== undefined && landmark === undefined && depth > Math.min(open.section.depth, sectionDepth)) {
      open.last = section.last
    } else if (landmark === undefined && depth > Math.max(tasks.depth, sectionDepth - 1)) {
      open = undefined
      addIssue(
        findings,
        "section-unknown",
        { section: heading, line },
        {
          what: `The heading "${heading}" is no task section.`,
          quote: heading
        }
      )
    } else {
      open = undefined
      if (addTaskOutside(document, section, findings)) spans.push({ section, last: section.last })
      else if (landmark === undefined) {
        addRepair(findings, "section-ignored", { section: heading, line }, `Ignored the section "${heading}".`)
      }
    }
  }
  return spans
}

const nothingToDo =
  /^[(*_[\s]*(?:none|n\/?a|empty|nothing|no (?:more |further |outstanding |remaining |new |additional |pending )*tasks?|all (?:the )?(?:tasks|goals|work))\b/i

const checkIntroduction = (
  document: MarkdownDocument,
  tasks: MarkdownSection,
  isEmpty: boolean,
  allowEmpty: boolean,
  findings: Findings
): void => {
  if (holdsFields(document, tasks.first, tasks.last)) return
  const first = document.lines.slice(tasks.first, tasks.last).findIndex((line) => !isBlank(line) && !isRule(line))
  const text = first < 0 ? "" : (document.lines[tasks.first + first] ?? "").trim()
  const where = { section: tasks.heading, line: first < 0 ? tasks.line : tasks.first + first + 1 }
  if (isEmpty && (!allowEmpty || (text !== "" && !nothingToDo.test(text)))) {
    addIssue(findings, "tasks-empty", where, {
      what: `There is no task section under "${tasks.heading}".`,
      how: allowEmpty
        ? 'Write "### Task section 1" with the tasks that are still to do, or leave the section empty when the goals are met.'
        : undefined,
      ...(text === "" ? {} : { quote: text })
    })
  } else if (text !== "") {
    addRepair(findings, "text-ignored", where, `Ignored text that belongs to no task: "${excerpt(text)}".`)
  }
}

/** The task sections under the heading Tasks with their raw tasks. */
export const readSteps = (
  document: MarkdownDocument,
  tasks: MarkdownSection,
  allowEmpty: boolean,
  findings: Findings
): ReadonlyArray<RawStep> => {
  const spans = findSpans(document, tasks, findings)
  const isEmpty = spans.length === 0 && !findings.issues.some((issue) => issue.code === "section-unknown")
  checkIntroduction(document, tasks, isEmpty, allowEmpty, findings)
  const titles = sectionTitles(
    spans.map(({ section }) => section),
    findings
  )
  return spans.map(({ last, section }, position) => {
    const { line } = section
    const heading = titles[position] ?? section.heading
    const lines = classifyLines(document.lines, section.first, last, document.fences)
    const found = collectTasks(lines, heading, findings)
    if (found.length === 0) {
      addIssue(
        findings,
        "step-empty",
        { section: heading, line },
        {
          what: `The section "${heading}" has no task.`
        }
      )
    }
    return { section: heading, line, tasks: found }
  })
}
