/**
 * Finds the task sections under `## Tasks` and reads their raw tasks. Other content there is an issue, or is ignored with
 * a note when no task is lost by it.
 */
import type { DocumentReader } from "../grammar/DocumentReader.ts"
import { excerpt, type RawStep } from "../grammar/RawTask.ts"
import { firstProse, taskLines } from "../grammar/TaskLines.ts"
import { collectTasks } from "../grammar/TaskParser.ts"
import type { MarkdownSection } from "../markdown/Markdown.ts"

interface Span {
  readonly section: MarkdownSection
  /** The number in the heading of a task that is a section of its own. */
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

/** `Task 2: Read the loader`, and `Task 2`. */
const numberedTask = /^task\s*#?\s*(\d{1,9})(?:\s*[:.–—-].*)?$/i

const isSection = ({ depth, known }: MarkdownSection, tasks: MarkdownSection): boolean =>
  known?.key === "task-section" && (known.exact || depth > tasks.depth)

/** The task sections after the heading Tasks, each with its sub-headings. */
const findSpans = (reader: DocumentReader, tasks: MarkdownSection): ReadonlyArray<Span> => {
  const spans: Array<Span> = addTaskOutside(reader, tasks) ? [{ section: tasks, last: tasks.last }] : []
  let open: Span | undefined
  const below = reader.document.sections.filter(({ line }) => line > tasks.line)
  const hasSections = below.some((section) => isSection(section, tasks))
  for (const section of below) {
    const { depth, heading, known, last, line } = section
    const where = { section: heading, line }
    const number = known === undefined && holdsFields(reader, section) ? numberedTask.exec(heading)?.[1] : undefined
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
    } else if (open !== undefined && known === undefined && depth > Math.min(open.section.depth, sectionDepth)) {
      open.last = last
    } else if (known === undefined && depth > Math.max(tasks.depth, sectionDepth - 1)) {
      open = undefined
      reader.issue("section-unknown", where, `The heading "${heading}" is not a task section.`, { quote: heading })
    } else {
      open = undefined
      if (addTaskOutside(reader, section)) spans.push({ section, last })
      else if (known === undefined) reader.repair("section-ignored", where, `Ignored the section "${heading}".`)
    }
  }
  return spans
}

const nothingToDo =
  /^[(*_[\s]*(?:none|n\/?a|empty|nothing|no (?:more |further |outstanding |remaining |new |additional |pending )*tasks?|all (?:the )?(?:tasks|goals|work))\b/i

/** What models say where nothing is left to do. */
const polite =
  /^(?:please )?(?:let me know|feel free|(?:i )?hope|thanks?\b|you(?:'|’)re welcome|happy to|glad to|if you (?:need|want|have|would|like)|do you (?:need|want)|is there anything|shall i\b|should i\b|this (?:should )?covers? (?:everything|all|it)\b|(?:the |this |that |all |everything |it )(?:[a-z-]+ )?(?:is|are|was|were|has been|have been) (?:now |already |all |fully )*(?:met|done|complete|completed|finished|answered|fulfilled|reached|satisfied|there)\b|(?:that|this) (?:is|was) (?:all|it|everything)\b|that(?:'|’)s (?:all|it|everything)\b)/i

const doneOrPolite = (sentence: string): boolean =>
  nothingToDo.test(sentence) ||
  (polite.test(sentence) && !/\b(?:but|except|however|then|still|yet|only)\b/i.test(sentence))

/** True for words that only say that nothing is left to do. */
const saysNothing = (text: string): boolean =>
  text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s*_(]*(?:note:?[\s*_]*)?/i, ""))
    .every((sentence) => sentence === "" || doneOrPolite(sentence))
/** What stands where tasks should be. */
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

/** `TASK SECTION #1`, and a colon with nothing after it. */
const writtenTitle = /^[^\p{L}\p{N}]*task[\s_-]*section(?:\s*[#_-]?\s*(\d+))?(?:\s*[:.]$)?/iu

const strictTitle = ({ heading, known }: MarkdownSection, position: number): string => {
  if (known?.key !== "task-section") return heading
  if (known.exact)
    return heading.replace(writtenTitle, (_, number: string = "") => `Task section${number === "" ? "" : ` ${number}`}`)
  const [, number = "", suffix = ""] = otherTitle.exec(heading) ?? []
  return `Task section ${number === "" ? position + 1 : number}${suffix === "" ? "" : `: ${suffix}`}`
}

const numberIn = /^(task[\s_-]*section[\s_-]*#?)(\d{1,9})(?!\d)/i

/** Strict titles in order. Falling numbers are an issue, repeated ones are counted on. */
const sectionTitles = (reader: DocumentReader, spans: ReadonlyArray<Span>): ReadonlyArray<string> => {
  let written = -1
  let counted = -1
  return spans.map(({ number: ofTask, section }, position) => {
    const title = ofTask === undefined ? strictTitle(section, position) : `Task section ${ofTask}`
    const where = { section: title, line: section.line }
    const number = Number(numberIn.exec(title)?.[2] ?? Number.NaN)
    if (Number.isNaN(number)) return title
    if (number < written) reader.issue("section-order", where, `The section "${title}" comes after section ${written}.`)
    if (number === written)
      reader.repair("section-number", where, "Numbered the sections in order, because two have the same number.")
    written = number
    counted = Math.max(number, counted + 1)
    return number === counted ? title : title.replace(numberIn, `$1${counted}`)
  })
}

/** The task sections under the heading Tasks with their raw tasks. */
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
    const found = collectTasks(written, section, findings)
    if (found.length === 0) {
      const quote = firstProse(written)
      const what = `The section "${section}" has no task${onlyText(quote)}.`
      reader.issue("step-empty", { section, line }, what, { quote })
    }
    return { section, line, tasks: found }
  })
}
