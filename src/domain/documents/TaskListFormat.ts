/**
 * Reads a task list, complete or still being written, with all its issues and repairs. The service PlanChecker checks
 * what depends on the run: skills, headings of the request, files and sizes.
 */
import * as Arr from "effect/Array"
import type { Reading } from "../findings/Issue.ts"
import { DocumentReader, refuseOthers } from "../grammar/DocumentReader.ts"
import { isPlaceholder, type NamedTask, nameTasks } from "../grammar/FieldValues.ts"
import { excerpt, firstProse, type RawStep, taskLines } from "../grammar/RawTask.ts"
import { indexProducers, readNewTask, resolveInList } from "../grammar/NewTask.ts"
import { collectTasks } from "../grammar/TaskParser.ts"
import { Line } from "../markdown/Line.ts"
import { bodyOf, type MarkdownSection } from "../markdown/Sections.ts"
import { taskListHeadings } from "../markdown/MarkdownHeadings.ts"
import { outline } from "../markdown/Outline.ts"
import { halfPlan } from "./HalfPlan.ts"
import { otherForm } from "./OtherForm.ts"
import type { Task } from "../plan/Task.ts"
import { Step, TaskList } from "../plan/TaskList.ts"
import { slugOf } from "../text/Slug.ts"

interface Span {
  readonly section: MarkdownSection
  /** The number in a heading such as "Task 2", if each task has its own section. */
  readonly number?: string
  last: number
}

const holdsFields = ({ document }: DocumentReader, { first, last }: MarkdownSection): boolean =>
  document.lines.slice(first, last).some((line, index) => !document.fences.has(first + index) && line.isField)

const addTaskOutside = (reader: DocumentReader, section: MarkdownSection): boolean => {
  const { heading, line } = section
  const isOutside = holdsFields(reader, section)
  const what = `The section "${heading}" contains tasks but is not a task section.`
  if (isOutside) reader.issue("task-outside-section", { section: heading, line }, what)
  return isOutside
}

const sectionDepth = 3

/** A heading such as `Task 2: Read the loader` or `Task 2`. */
const numberedTask = /^task\s*#?\s*(\d{1,9})(?:\s*[:.–—-].*)?$/i

const isSection = ({ depth, knownHeading }: MarkdownSection, tasks: MarkdownSection): boolean =>
  knownHeading?.key === "task-section" && (knownHeading.exact || depth > tasks.depth)

/** The task sections below the heading "Tasks", each with its sub-headings. */
const findSpans = (reader: DocumentReader, tasks: MarkdownSection): ReadonlyArray<Span> => {
  const spans: Array<Span> = addTaskOutside(reader, tasks) ? [{ section: tasks, last: tasks.last }] : []
  let open: Span | undefined
  const below = reader.document.sections.filter(({ line }) => line > tasks.line)
  const hasSections = below.some((section) => isSection(section, tasks))
  for (const section of below) {
    const { depth, heading, knownHeading, last, line } = section
    const where = { section: heading, line }
    const number =
      knownHeading === undefined && holdsFields(reader, section) ? numberedTask.exec(heading)?.[1] : undefined
    if (isSection(section, tasks)) {
      reader.noteHeading(section)
      open = { section, last }
      spans.push(open)
    } else if (number !== undefined && !hasSections && depth >= tasks.depth) {
      reader.repair("task-heading", where, `Read "${heading}" as a task in a section of its own.`)
      open = { section: { ...section, first: line - 1 }, number, last }
      spans.push(open)
    } else if (number !== undefined && open?.section.depth === depth && !holdsFields(reader, open.section)) {
      reader.repair("task-heading", where, `Read "${heading}" as a task of "${open.section.heading}".`)
      open.last = last
    } else if (open !== undefined && knownHeading === undefined && depth > Math.min(open.section.depth, sectionDepth)) {
      open.last = last
    } else if (knownHeading === undefined && depth > Math.max(tasks.depth, sectionDepth - 1)) {
      open = undefined
      reader.issue("section-unknown", where, `The heading "${heading}" is not a task section.`, { quote: heading })
    } else {
      open = undefined
      if (addTaskOutside(reader, section)) spans.push({ section, last })
      else if (knownHeading === undefined) reader.repair("section-ignored", where, `Ignored the section "${heading}".`)
    }
  }
  return spans
}

const nothingToDo =
  /^[(*_[\s]*(?:none|n\/?a|empty|nothing|no (?:more |further |outstanding |remaining |new |additional |pending )*tasks?|all (?:the )?(?:tasks|goals|work))\b/i

/** Polite phrases around the statement that nothing is left to do. */
const polite =
  /^(?:please )?(?:let me know|feel free|(?:i )?hope|thanks?\b|you(?:'|’)re welcome|happy to|glad to|if you (?:need|want|have|would|like)|do you (?:need|want)|is there anything|shall i\b|should i\b|this (?:should )?covers? (?:everything|all|it)\b|(?:the |this |that |all |everything |it )(?:[a-z-]+ )?(?:is|are|was|were|has been|have been) (?:now |already |all |fully )*(?:met|done|complete|completed|finished|answered|fulfilled|reached|satisfied|there)\b|(?:that|this) (?:is|was) (?:all|it|everything)\b|that(?:'|’)s (?:all|it|everything)\b)/i

const doneOrPolite = (sentence: string): boolean =>
  nothingToDo.test(sentence) ||
  (polite.test(sentence) && !/\b(?:but|except|however|then|still|yet|only)\b/i.test(sentence))

/** True if the text only says that nothing is left to do. */
const saysNothing = (text: string): boolean =>
  text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s*_(]*(?:note:?[\s*_]*)?/i, ""))
    .every((sentence) => sentence === "" || doneOrPolite(sentence))
/** Quotes the text that a model wrote in place of tasks. */
const onlyText = (quote: string | undefined): string => (quote === undefined ? "" : `, only text: "${excerpt(quote)}"`)

const checkIntroduction = (
  reader: DocumentReader,
  tasks: MarkdownSection,
  isEmpty: boolean,
  allowEmpty: boolean
): void => {
  if (holdsFields(reader, tasks)) return
  const lines = reader.document.lines.slice(tasks.first, tasks.last)
  const first = lines.findIndex((line) => !line.isBlank && !line.isRule)
  const text = lines[first]?.text.trim() ?? ""
  const all = lines.slice(Math.max(0, first)).map((line) => line.text)
  const isSaid = nothingToDo.test(text) || saysNothing(all.join("\n"))
  const where = { section: tasks.heading, line: first < 0 ? tasks.line : tasks.first + first + 1 }
  if (isEmpty && (!allowEmpty || (text !== "" && !isSaid))) {
    const quote = text === "" ? undefined : text
    reader.issue("tasks-empty", where, `There is no task section under "${tasks.heading}"${onlyText(quote)}.`, {
      how: allowEmpty
        ? 'Write "### Task section 1" with the tasks that are still to do, or leave the section empty when the goals are met.'
        : undefined,
      quote
    })
  } else if (text !== "") {
    reader.repair("text-ignored", where, `Ignored text that belongs to no task: "${excerpt(text)}".`)
  }
}

const otherTitle =
  /^(?:\d+[.)]?\s*)?(?:tasks?[\s-]*)?(?:section|step|phase|stage|group)s?\s*#?\s*(\d*)\s*[:.–—-]*\s*(.*)$/i

/**
 * Matches the beginning of a section title, such as `TASK SECTION #1`. A colon or full stop belongs to it only at the
 * end of the title.
 */
const writtenTitle = /^[^\p{L}\p{N}]*task[\s_-]*section(?:\s*[#_-]?\s*(\d+))?(?:\s*[:.]$)?/iu

const strictTitle = ({ heading, knownHeading }: MarkdownSection, position: number): string => {
  if (knownHeading?.key !== "task-section") return heading
  if (knownHeading.exact)
    return heading.replace(writtenTitle, (_, number: string = "") => `Task section${number === "" ? "" : ` ${number}`}`)
  const [, number = "", suffix = ""] = otherTitle.exec(heading) ?? []
  return `Task section ${number === "" ? position + 1 : number}${suffix === "" ? "" : `: ${suffix}`}`
}

const numberIn = /^task[\s_-]*section[\s_-]*#?(\d{1,9})(?!\d)/i

/**
 * The titles of the sections in the strict form. Records an issue for each section whose number is not higher than the
 * number before it.
 */
const sectionTitles = (reader: DocumentReader, spans: ReadonlyArray<Span>): ReadonlyArray<string> => {
  let before = -1
  return spans.map(({ number: ofTask, section }, position) => {
    const title = ofTask === undefined ? strictTitle(section, position) : `Task section ${ofTask}`
    const number = Number(numberIn.exec(title)?.[1] ?? Number.NaN)
    if (number <= before) {
      const what = `The section "${title}" comes after section ${before}.`
      reader.issue("section-order", { section: title, line: section.line }, what)
    }
    if (!Number.isNaN(number)) before = number
    return title
  })
}

export const readSteps = (
  reader: DocumentReader,
  tasks: MarkdownSection,
  allowEmpty: boolean
): ReadonlyArray<RawStep> => {
  const { document, findings } = reader
  const spans = findSpans(reader, tasks)
  const isEmpty = spans.length === 0 && !findings.issues.some(({ code }) => code === "section-unknown")
  checkIntroduction(reader, tasks, isEmpty, allowEmpty)
  const titles = sectionTitles(reader, spans)
  return spans.map(({ last, section: { first, heading, line } }, position) => {
    const section = titles[position] ?? heading
    const written = taskLines(document, first, last)
    const rawTasks = collectTasks(written, section, findings)
    if (rawTasks.length === 0) {
      const quote = firstProse(written)
      const what = `The section "${section}" has no task${onlyText(quote)}.`
      reader.issue("step-empty", { section, line }, what, { quote })
    }
    return { section, line, tasks: rawTasks }
  })
}

/** Facts of the run against which the reader checks a list. */
interface TaskListOptions {
  /**
   * Names of finished tasks. New tasks may refer to these tasks. If the list contains them again, the reader removes
   * them.
   */
  readonly finished?: ReadonlyArray<string>
  /** The finished tasks. A new task must not repeat their work under another name. */
  readonly work?: ReadonlyArray<Task>
  /** True to accept a list without tasks (default: true if there are finished tasks). */
  readonly allowEmpty?: boolean
  /**
   * The anchors of the headings in the request document. If absent, every anchor that is no task result counts as a
   * heading.
   */
  readonly headings?: ReadonlyArray<string>
}

/** Marks of finished tasks, such as "✓" or "(done)", before and after a name. */
const doneBefore = /^(?:[\s✓✔✅☑🗸~*_-]|\ufe0f|\[[xX✓✔]\]|\(?(?:done|completed?|finished)\)?\s*[:–—-]\s)+/iu
const doneBehind =
  /(?:[\s✓✔✅☑🗸~*_.]|\ufe0f|\[[xX✓✔]\]|[([](?:already )?(?:done|completed?|finished)[)\]]|\s[:–—-]\s*(?:already )?(?:done|completed?|finished))+$/iu

/** The slug of a task name without marks such as "✓". */
const doneSlug = (name: string): string => slugOf(name.replace(doneBefore, "").replace(doneBehind, ""))

/** A key of what a task asks for. Two tasks with the same key ask for the same work, even under different names. */
const workOf = ({ references, skill, whatIsNeeded }: Task): string =>
  JSON.stringify([
    skill,
    slugOf(whatIsNeeded),
    references.map(({ href }) => href).toSorted((one, other) => one.localeCompare(other))
  ])

/** Records an issue for each task that repeats the work of a finished task under another name. */
const checkWork = (reader: DocumentReader, steps: ReadonlyArray<Step>, work: ReadonlyArray<Task>): void => {
  const done = new Map(work.map((task) => [workOf(task), task.name]))
  for (const { tasks, title } of steps) {
    for (const task of tasks) {
      const name = done.get(workOf(task))
      if (name === undefined) continue
      const what = `"${task.name}" asks for the same as "${name}", which has finished.`
      const how = `Leave it out and link #${slugOf(name)}-results, or say what is needed beyond that result.`
      reader.issue("task-repeated", { section: title, task: task.name }, what, { how })
    }
  }
}

/** The unfinished tasks of a section. */
const dropFinished = (
  reader: DocumentReader,
  { line, section }: RawStep,
  tasks: ReadonlyArray<NamedTask>,
  finished: ReadonlySet<string>
): ReadonlyArray<NamedTask> => {
  const isDone = ({ name, slug }: NamedTask) => finished.has(slug) || finished.has(doneSlug(name))
  const outstanding = tasks.filter((task) => !isDone(task))
  for (const { name, raw } of tasks.filter(isDone)) {
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

/** Reads a task list. Returns a value if every task could be built, even if there are other issues. */
export const readTaskList = (text: string, options: TaskListOptions = {}): Reading<TaskList> => {
  const { finished = [], headings, allowEmpty = finished.length > 0 } = options
  const reader = new DocumentReader(text, { knownHeadings: taskListHeadings, hasFields: true })
  const { findings } = reader
  if (findings.issues.length > 0) return reader.reading()
  const prompt = reader.section("original-prompt")
  const goalsSection = reader.section("goals")
  const tasksSection = reader.section("tasks")
  const isOther = prompt === undefined && goalsSection === undefined && tasksSection === undefined
  const other = isOther ? otherForm(text) : undefined
  if (other !== undefined) {
    reader.issue("section-missing", { section: "Tasks" }, other.what, { how: other.how })
    return reader.reading()
  }
  if (prompt === undefined) {
    // Without these sections, the text is no task list.
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
    reader.addEmpty(goalsSection, "State the goal in one short paragraph.")
  if (tasksSection === undefined) return reader.reading()
  const done = finished.map((name) => ({ name, slug: slugOf(name) }))
  const finishedSlugs = new Set(done.map(({ slug }) => slug))
  const sections = readSteps(reader, tasksSection, allowEmpty)
  const named = Map.groupBy(nameTasks(sections, finishedSlugs), ({ step }) => step)
  const outstanding = sections.map((one, step) => dropFinished(reader, one, named.get(step) ?? [], finishedSlugs))
  checkNames(reader, outstanding.flat())
  const names = sections.flatMap((_, step) => (named.get(step) ?? []).map(({ name }) => name))
  const half = halfPlan(text, {
    goals: goalsSection?.line ?? tasksSection.line,
    tasks: tasksSection.line,
    titles: sections.map(({ section }) => section),
    names,
    all: names.length + done.length
  })
  if (half !== undefined && names.length > 0 && findings.issues.length === 0) {
    const where = { section: tasksSection.heading, ...(half.line === undefined ? {} : { line: half.line }) }
    reader.issue("plan-unfinished", where, `The list of tasks is not whole. ${half.what}`, { quote: half.quote })
  }
  const index = indexProducers([...done, ...outstanding.flat()])
  const read = (task: NamedTask): Task | undefined =>
    readNewTask(task, resolveInList(task, index, headings, findings), findings)
  const tasks = outstanding.map((step) => step.flatMap((task) => read(task) ?? []))
  const steps = sections.flatMap(({ section: title }, step) => {
    const own = tasks[step] ?? []
    return Arr.isReadonlyArrayNonEmpty(own) ? [new Step({ title, tasks: own })] : []
  })
  checkWork(reader, steps, options.work ?? [])
  const isWhole = goalsSection !== undefined && tasks.flat().length === outstanding.flat().length
  return reader.reading(isWhole ? new TaskList({ goals, steps }) : undefined)
}

const wholeFence = /^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/

/** The prompt in a plan file, without a fence around it. Undefined if the file has none. */
export const originalPrompt = (markdown: string): string | undefined => {
  const plan = outline(markdown)
  const section = plan.sections.find(({ heading }) => slugOf(heading.replace(/:\s*$/, "")) === "original-prompt")
  const body = section === undefined ? "" : bodyOf(plan, section).trim()
  const text = (wholeFence.exec(body)?.[2] ?? body).trim()
  return text === "" ? undefined : text
}

/** The prompt for a run of a plan file: the prompt in the file, or a sentence that names the file. */
export const promptOfPlan = (markdown: string, file: string): string =>
  originalPrompt(markdown) ?? `Carry out the plan ${file}.`
