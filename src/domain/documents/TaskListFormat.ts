/**
 * The task list document: reading it with every issue and repair, and the codec over reading and rendering. Pure; what
 * needs the world (skills, headings of the request, files, sizes) is checked by services/pipeline/PlanChecker.
 */
import * as Option from "effect/Option"
import {
  addMissingSection,
  checkStrayFences,
  lastSection,
  noteIgnoredSections,
  sectionText
} from "../grammar/DocumentSections.ts"
import type { Reading } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings, inDocumentOrder } from "../findings/IssueCode.ts"
import { taskListHeadings } from "../markdown/KnownHeadings.ts"
import type { LinkReader } from "../grammar/LinkCache.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { Task } from "../plan/Task.ts"
import { isField } from "../grammar/TaskFields.ts"
import { Step, TaskList } from "../plan/TaskList.ts"
import { slugOf } from "../text/Slug.ts"
import { type NamedTask, nameTasks } from "../grammar/TaskNaming.ts"
import { checkFields } from "../grammar/TaskChecks.ts"
import { addNotes, approvalOf, givenSkill, type TaskPlace, textOf } from "../grammar/FieldValues.ts"
import { indexProducers, type ProducerIndex, readReferences, resolveInList } from "../grammar/TaskReferences.ts"
import { isPlaceholder } from "../grammar/TextEscaping.ts"
import { readSteps } from "./TaskSections.ts"

/** What a list may rely on. */
export interface TaskListOptions {
  /** Names of tasks that have a result; they may be referred to and are dropped when the list repeats them. */
  readonly finished?: ReadonlyArray<string>
  /** Accepts a list without tasks. Default: true when there are finished tasks. */
  readonly allowEmpty?: boolean
  /** Anchors of the request document. Without them an anchor that is no task's result is taken for a heading. */
  readonly headings?: ReadonlyArray<string>
  /** Finds the links of a field; a memo makes reading the same tasks again cheap and changes nothing else. */
  readonly findLinks?: LinkReader
}

const dropFinished = (
  named: ReadonlyArray<NamedTask>,
  finished: ReadonlySet<string>,
  findings: Findings
): ReadonlyArray<NamedTask> =>
  named.filter(({ name, raw, section, slug }) => {
    if (!finished.has(slug)) return true
    addRepair(
      findings,
      "finished-task-dropped",
      { section, task: name, line: raw.line },
      `Dropped "${name}", which has finished.`
    )
    return false
  })

const checkNames = (named: ReadonlyArray<NamedTask>, findings: Findings): void => {
  const seen = new Map<string, NamedTask>()
  for (const task of named) {
    const first = seen.get(task.slug)
    if (first === undefined) {
      seen.set(task.slug, task)
      continue
    }
    addIssue(
      findings,
      "name-duplicate",
      { section: task.section, task: task.name, field: "Name", line: task.raw.line },
      {
        what: `The name "${task.name}" is taken by the task on line ${first.raw.line}: both results would be #${task.slug}-results.`
      }
    )
  }
}

const readTask = (
  named: NamedTask,
  index: ProducerIndex,
  { findLinks, headings }: TaskListOptions,
  findings: Findings
): Task | undefined => {
  const { name, raw } = named
  const place: TaskPlace = { section: named.section, task: name }
  const { notes, value: skill } = givenSkill(raw)
  addNotes([...named.notes, ...raw.notes, ...notes], place, findings)
  checkFields(raw, place, findings)
  const whatIsNeeded = textOf(raw, "needed")
  const expectedOutput = textOf(raw, "expected")
  const references = readReferences(raw, place, resolveInList(named, index, headings, findings), findings, findLinks)
  const requiresApproval = approvalOf(raw, place, findings)
  if (whatIsNeeded === "" || skill === "" || expectedOutput === "") return undefined
  return new Task({
    name,
    whatIsNeeded,
    skill,
    references,
    expectedOutput,
    requiresApproval,
    codeBlocks: raw.codeBlocks
  })
}

const toSteps = (
  titles: ReadonlyArray<string>,
  tasks: ReadonlyArray<{ readonly named: NamedTask; readonly task: Task | undefined }>
): ReadonlyArray<Step> | undefined => {
  if (tasks.some(({ task }) => task === undefined)) return undefined
  const byStep = new Map<number, Array<Task>>()
  for (const { named, task } of tasks) {
    if (task !== undefined) byStep.set(named.step, [...(byStep.get(named.step) ?? []), task])
  }
  return titles.flatMap((title, index) => {
    const [first, ...rest] = byStep.get(index) ?? []
    return first === undefined ? [] : [new Step({ title, tasks: [first, ...rest] })]
  })
}

/** Reads a task list. The value is present when every task could be built, also when other issues were found. */
export const readTaskList = (text: string, options: TaskListOptions = {}): Reading<TaskList> => {
  const { finished = [] } = options
  const allowEmpty = options.allowEmpty ?? finished.length > 0
  const document = readMarkdown(text, { knownHeadings: taskListHeadings, isStructure: isField })
  const findings: Findings = { issues: [...document.issues], repairs: [...document.repairs] }
  if (document.issues.length > 0) return { value: Option.none(), ...inDocumentOrder(findings) }
  const prompt = lastSection(document, "original-prompt", findings)
  const goalsSection = lastSection(document, "goals", findings)
  const tasksSection = lastSection(document, "tasks", findings)
  if (prompt === undefined) addMissingSection(document, "Original prompt", findings)
  if (goalsSection === undefined) addMissingSection(document, "Goals / summary", findings)
  if (tasksSection === undefined) addMissingSection(document, "Tasks", findings)
  checkStrayFences(document, tasksSection, findings)
  noteIgnoredSections(document, tasksSection?.line ?? Infinity, findings)
  const goals = goalsSection === undefined ? "" : sectionText(document, goalsSection)
  if (goalsSection !== undefined && (goals === "" || isPlaceholder(goals))) {
    addIssue(
      findings,
      "section-empty",
      { section: goalsSection.heading, line: goalsSection.line },
      {
        what: `The section "${goalsSection.heading}" is empty.`,
        how: "Say in one short paragraph what is to be reached."
      }
    )
  }
  if (tasksSection === undefined) return { value: Option.none(), ...inDocumentOrder(findings) }
  const sections = readSteps(document, tasksSection, allowEmpty, findings)
  const finishedSlugs = new Set(finished.map(slugOf))
  const all = nameTasks(sections, finishedSlugs)
  const named = dropFinished(all, finishedSlugs, findings)
  for (const [step, { line, section }] of sections.entries()) {
    if (all.some((task) => task.step === step) && !named.some((task) => task.step === step)) {
      addRepair(findings, "step-dropped", { section, line }, `Dropped "${section}", of which all tasks have finished.`)
    }
  }
  checkNames(named, findings)
  const index = indexProducers([...finished.map((name) => ({ name, slug: slugOf(name) })), ...named])
  const tasks = named.map((one) => ({ named: one, task: readTask(one, index, options, findings) }))
  const steps = toSteps(
    sections.map(({ section }) => section),
    tasks
  )
  if (steps === undefined || goalsSection === undefined) return { value: Option.none(), ...inDocumentOrder(findings) }
  return { value: Option.some(new TaskList({ goals, steps })), ...inDocumentOrder(findings) }
}
