/**
 * Reads the task list document with every issue and repair, complete or while a model still writes it. What depends on
 * the run (skills, headings of the request, files, sizes) is checked by services/pipeline/PlanChecker.
 */
import * as Arr from "effect/Array"
import type { Reading } from "../findings/Issue.ts"
import { DocumentReader } from "../grammar/DocumentReader.ts"
import { type NamedTask, nameTasks } from "../grammar/FieldValues.ts"
import type { RawStep } from "../grammar/RawTask.ts"
import { readNewTask } from "../grammar/TaskChecks.ts"
import { indexProducers, resolveInList } from "../grammar/TaskReferences.ts"
import { refuseOthers } from "../grammar/SeveralLists.ts"
import { isPlaceholder } from "../grammar/Placeholder.ts"
import { Line } from "../markdown/Line.ts"
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
  reader: DocumentReader,
  { line, section }: RawStep,
  tasks: ReadonlyArray<NamedTask>,
  finished: ReadonlySet<string>
): ReadonlyArray<NamedTask> => {
  const outstanding = tasks.filter(({ slug }) => !finished.has(slug))
  for (const { name, raw } of tasks.filter(({ slug }) => finished.has(slug))) {
    const where = { section, task: name, line: raw.line }
    reader.repair("finished-task-dropped", where, `Dropped "${name}", which has finished.`)
  }
  if (outstanding.length === 0 && tasks.length > 0)
    reader.repair("step-dropped", { section, line }, `Dropped "${section}", because all its tasks have finished.`)
  return outstanding
}

const checkNames = (reader: DocumentReader, tasks: ReadonlyArray<NamedTask>): void => {
  const seen = new Map<string, number>()
  for (const { name, raw, section, slug } of tasks) {
    const first = seen.get(slug)
    if (first === undefined) {
      seen.set(slug, raw.line)
      continue
    }
    const what = `The name "${name}" is taken by the task on line ${first}: both results would be #${slug}-results.`
    reader.issue("name-duplicate", { section, task: name, field: "Name", line: raw.line }, what)
  }
}

const holdsField = (text: string): boolean => text.split("\n").some((line) => new Line(line).isField)

/** Reads a task list. The value is present when every task could be built, also when other issues were found. */
export const readTaskList = (text: string, options: TaskListOptions = {}): Reading<TaskList> => {
  const { findLinks, finished = [], headings, allowEmpty = finished.length > 0 } = options
  const reader = new DocumentReader(text, { knownHeadings: taskListHeadings, hasFields: true })
  const { findings } = reader
  if (findings.issues.length > 0) return reader.reading()
  const prompt = reader.section("original-prompt")
  const goalsSection = reader.section("goals")
  const tasksSection = reader.section("tasks")
  if (prompt === undefined) {
    // Without any of its parts a text is no list.
    if (goalsSection === undefined && tasksSection === undefined) reader.addMissing("Original prompt")
    else
      reader.repair("prompt-filled", { section: "Original prompt" }, "Filled in the prompt, which the list leaves out.")
  }
  if (goalsSection === undefined) reader.addMissing("Goals / summary")
  if (tasksSection === undefined) reader.addMissing("Tasks")
  refuseOthers(reader, tasksSection, holdsField)
  reader.checkFences(tasksSection)
  reader.ignoreSections(tasksSection?.line ?? Infinity)
  const goals = goalsSection === undefined ? "" : reader.textOf(goalsSection)
  if (goalsSection !== undefined && (goals === "" || isPlaceholder(goals)))
    reader.addEmpty(goalsSection, "Say in one short paragraph what is to be reached.")
  if (tasksSection === undefined) return reader.reading()
  const done = finished.map((name) => ({ name, slug: slugOf(name) }))
  const finishedSlugs = new Set(done.map(({ slug }) => slug))
  const sections = readSteps(reader, tasksSection, allowEmpty)
  const named = Map.groupBy(nameTasks(sections, finishedSlugs), ({ step }) => step)
  const outstanding = sections.map((one, step) => dropFinished(reader, one, named.get(step) ?? [], finishedSlugs))
  checkNames(reader, outstanding.flat())
  const index = indexProducers([...done, ...outstanding.flat()])
  const read = (task: NamedTask): Task | undefined =>
    readNewTask(task, resolveInList(task, index, headings, findings), findings, findLinks)
  const tasks = outstanding.map((step) => step.flatMap((task) => read(task) ?? []))
  const steps = sections.flatMap(({ section: title }, step) => {
    const own = tasks[step] ?? []
    return Arr.isReadonlyArrayNonEmpty(own) ? [new Step({ title, tasks: own })] : []
  })
  const isWhole = goalsSection !== undefined && tasks.flat().length === outstanding.flat().length
  return reader.reading(isWhole ? new TaskList({ goals, steps }) : undefined)
}

const wholeFence = /^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/

/** The prompt that a plan file was made for, without a fence around it; nothing when the plan has none. */
export const originalPrompt = (markdown: string): string | undefined => {
  const section = outline(markdown).find(({ title }) => slugOf(title.replace(/:\s*$/, "")) === "original-prompt")
  const body = section?.body ?? ""
  const text = (wholeFence.exec(body)?.[2] ?? body).trim()
  return text === "" ? undefined : text
}

/** The prompt of a run of a plan: the one that it was made for, else one that names its file. */
export const promptOfPlan = (markdown: string, file: string): string =>
  originalPrompt(markdown) ?? `Carry out the plan ${file}.`
