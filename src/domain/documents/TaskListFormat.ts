/**
 * The task list document: reading it with every issue and repair, whole or while a model still writes it. Pure; what
 * needs the world (skills, headings of the request, files, sizes) is checked by services/pipeline/PlanChecker.
 */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import type { Reading } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import {
  addEmptySection,
  addMissingSection,
  checkStrayFences,
  lastSection,
  noteIgnoredSections,
  reading,
  sectionText
} from "../grammar/DocumentSections.ts"
import { type NamedTask, nameTasks } from "../grammar/FieldValues.ts"
import type { RawStep } from "../grammar/RawTask.ts"
import { readNewTask } from "../grammar/TaskChecks.ts"
import { indexProducers, resolveInList } from "../grammar/TaskReferences.ts"
import { isPlaceholder } from "../grammar/TextEscaping.ts"
import { Line } from "../markdown/Line.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { taskListHeadings } from "../markdown/MarkdownHeadings.ts"
import type { LinkReader } from "../markdown/MarkdownTree.ts"
import { outline } from "../markdown/Outline.ts"
import type { Task } from "../plan/Task.ts"
import { Step, TaskList } from "../plan/TaskList.ts"
import { slugOf } from "../text/Slug.ts"
import { readSteps } from "./TaskSections.ts"

/** What a list may rely on. */
interface TaskListOptions {
  /** Names of tasks that have a result; they may be referred to and are dropped when the list repeats them. */
  readonly finished?: ReadonlyArray<string>
  /** Accepts a list without tasks. Default: true when there are finished tasks. */
  readonly allowEmpty?: boolean
  /** Anchors of the request document. Without them an anchor that is no task's result is taken for a heading. */
  readonly headings?: ReadonlyArray<string>
  /** Finds the links of a field; a cache makes reading the same tasks again cheap and changes nothing else. */
  readonly findLinks?: LinkReader
}

/** The tasks of a section that have no result yet. */
const dropFinished = (
  { line, section }: RawStep,
  tasks: ReadonlyArray<NamedTask>,
  finished: ReadonlySet<string>,
  findings: Findings
): ReadonlyArray<NamedTask> => {
  const outstanding = tasks.filter(({ slug }) => !finished.has(slug))
  for (const { name, raw } of tasks.filter(({ slug }) => finished.has(slug))) {
    const where = { section, task: name, line: raw.line }
    addRepair(findings, "finished-task-dropped", where, `Dropped "${name}", which has finished.`)
  }
  if (outstanding.length === 0 && tasks.length > 0)
    addRepair(findings, "step-dropped", { section, line }, `Dropped "${section}", of which all tasks have finished.`)
  return outstanding
}

const checkNames = (named: ReadonlyArray<NamedTask>, findings: Findings): void => {
  const seen = new Map<string, NamedTask>()
  for (const task of named) {
    const first = seen.get(task.slug)
    if (first === undefined) {
      seen.set(task.slug, task)
      continue
    }
    const where = { section: task.section, task: task.name, field: "Name", line: task.raw.line }
    addIssue(findings, "name-duplicate", where, {
      what: `The name "${task.name}" is taken by the task on line ${first.raw.line}: both results would be #${task.slug}-results.`
    })
  }
}

/** Reads a task list. The value is present when every task could be built, also when other issues were found. */
export const readTaskList = (text: string, options: TaskListOptions = {}): Reading<TaskList> => {
  const { findLinks, finished = [], headings, allowEmpty = finished.length > 0 } = options
  const document = readMarkdown(text, { knownHeadings: taskListHeadings, hasFields: true })
  const findings: Findings = { issues: [...document.issues], repairs: [...document.repairs] }
  if (document.issues.length > 0) return reading(findings)
  const prompt = lastSection(document, "original-prompt", findings)
  const goalsSection = lastSection(document, "goals", findings)
  const tasksSection = lastSection(document, "tasks", findings)
  if (prompt === undefined) addMissingSection(document, "Original prompt", findings)
  if (goalsSection === undefined) addMissingSection(document, "Goals / summary", findings)
  if (tasksSection === undefined) addMissingSection(document, "Tasks", findings)
  checkStrayFences(document, tasksSection, findings)
  noteIgnoredSections(document, tasksSection?.line ?? Infinity, findings)
  const goals = goalsSection === undefined ? "" : sectionText(document, goalsSection)
  if (goalsSection !== undefined && (goals === "" || isPlaceholder(goals)))
    addEmptySection(goalsSection, "Say in one short paragraph what is to be reached.", findings)
  if (tasksSection === undefined) return reading(findings)
  const done = finished.map((name) => ({ name, slug: slugOf(name) }))
  const finishedSlugs = new Set(done.map(({ slug }) => slug))
  const sections = readSteps(document, tasksSection, allowEmpty, findings)
  const named = Map.groupBy(nameTasks(sections, finishedSlugs), ({ step }) => step)
  const outstanding = sections.map((one, step) => dropFinished(one, named.get(step) ?? [], finishedSlugs, findings))
  checkNames(outstanding.flat(), findings)
  const index = indexProducers([...done, ...outstanding.flat()])
  const read = (task: NamedTask): Task | undefined =>
    readNewTask(task, resolveInList(task, index, headings, findings), findings, findLinks)
  const tasks = outstanding.map((step) => step.flatMap((task) => read(task) ?? []))
  const steps = sections.flatMap(({ section: title }, step) => {
    const own = tasks[step] ?? []
    return Arr.isReadonlyArrayNonEmpty(own) ? [new Step({ title, tasks: own })] : []
  })
  const isWhole = goalsSection !== undefined && tasks.flat().length === outstanding.flat().length
  return reading(findings, isWhole ? new TaskList({ goals, steps }) : undefined)
}

/** A task that takes more lines or characters than this is read when the answer is complete. */
const longestPiece = 65_536

const startsTask = ({ hashes, indent, label }: Line): boolean =>
  label?.key === "name" || (indent <= 3 && hashes !== undefined)

/**
 * Reads a task list while a model still writes it: takes the deltas of one answer, in order. Whenever a task is complete
 * its lines are read as a document of their own, for the links that a cache keeps: when the answer ends, all but the last
 * task has been read before. The answer itself is read as a whole afterwards, so nothing depends on how it came. `onTask`
 * learns of every task that could be built from its lines alone.
 */
export const streamingReader = (
  findLinks: LinkReader,
  onTask: (task: Task) => void = () => {}
): ((delta: string) => void) => {
  let fence = ""
  let written = ""
  let piece: Array<string> = []
  let size = 0

  const endPiece = (): void => {
    const text = piece.join("\n")
    if (size <= longestPiece && text.includes("](")) {
      const { value } = readTaskList(`## Goals\n\n-\n\n## Tasks\n\n### Task section 1\n\n${text}`, { findLinks })
      if (Option.isSome(value)) value.value.tasks.forEach(onTask)
    }
    piece = []
    size = 0
  }
  const endLine = (line: Line): void => {
    if (fence === "") {
      if (startsTask(line)) endPiece()
      fence = line.opening?.mark ?? ""
    } else if (line.closing?.startsWith(fence) === true) {
      fence = ""
    }
    size += line.text.length + 1
    if (size <= longestPiece) piece.push(line.text)
  }
  return (delta) => {
    const [first = "", ...rest] = delta.split("\n")
    written += first
    for (const next of rest) {
      endLine(new Line(written))
      written = next
    }
  }
}

const wholeFence = /^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/

/** The prompt that a plan file was made for, without a fence around it; nothing when the plan has none. */
export const originalPrompt = (markdown: string): string | undefined => {
  const section = outline(markdown).find(({ title }) => slugOf(title.replace(/:\s*$/, "")) === "original-prompt")
  const body = section?.body ?? ""
  const text = (wholeFence.exec(body)?.[2] ?? body).trim()
  return text === "" ? undefined : text
}
