/**
 * Turns raw fields of tasks into values: names, skills, texts and approval. Text copied from the description of the
 * format counts as missing. Names come first, so that each issue can name its task.
 */
import { type Where, addRepair, type Findings } from "../findings/Issue.ts"
import { type FieldKey, fieldLabels } from "../markdown/TaskFields.ts"
import { slugOf } from "../text/Slug.ts"
import { excerpt, type RawField, type RawStep, type RawTask, type TaskNote } from "./RawTask.ts"
import { unescapeInline, unescapeValue } from "./TextEscaping.ts"

/**
 * The descriptions of the format that stand in angle brackets in prompts, also in custom prompts. A model may copy
 * them.
 */
const copied = new Set([
  "the prompt in one line",
  "one short paragraph: what will be known or done at the end",
  "short, unique",
  "what to find out or do, with the exact names and words to look for",
  "one name from the skills above",
  "one name from the skills below",
  "links only; leave the line out when there is none",
  "what the result must hold",
  "the goals as given",
  "as given",
  "as given, made more exact where you can",
  "as given; leave the line out when there is none",
  "what was found or done, complete and short, with links",
  "only what the summary lacks: excerpts, lists, reasons",
  "only if the summary is not enough: excerpts, lists, reasons"
])

/** The task text of the example in the plan prompt. */
const ofExample = new Set([
  "limit retries to 3 where the code retries, change or add the tests for it, and say it in the documentation. words: `retry`, `maxattempts`."
])

const dots = /^[<([{]?\s*(?:\.{3,}|…)\s*[>)\]}]?$/

const inBrackets = /^<([^<>]{1,100})>[.]?$/

const plain = (text: string): string => text.trim().replace(/\s+/g, " ").toLowerCase()

/** True for `...`, and for text that was copied from the description or the example of the format. */
export const isPlaceholder = (text: string): boolean => {
  const trimmed = text.trim()
  return dots.test(trimmed) || ofExample.has(plain(text)) || copied.has(plain(inBrackets.exec(trimmed)?.[1] ?? ""))
}

/** True for a text such as "as planned" or `...`, which keeps the planned value. */
export const isAsGiven = (text: string): boolean =>
  isPlaceholder(text) ||
  /^[(*_]*(?:(?:the )?same )?as (?:given|planned|before|above)(?: (?:above|before|in the plan))?[)*_]*\.?$|^unchanged\.?$/i.test(
    text.trim()
  )

export interface TaskPlace {
  readonly section: string
  readonly task: string
}

/** The place of a field. If the field is missing, `line` is the line of the task. */
export const placeOf = (raw: RawTask, place: TaskPlace, key: FieldKey): Where => ({
  ...place,
  field: fieldLabels[key],
  line: raw.fields.get(key)?.line ?? raw.line
})

interface Noted {
  readonly value: string
  readonly notes: ReadonlyArray<TaskNote>
}

const nothing: Noted = { value: "", notes: [] }

export const addNotes = (notes: ReadonlyArray<TaskNote>, place: TaskPlace, findings: Findings): void => {
  for (const { code, key, line, message } of notes) {
    addRepair(findings, code, { ...place, ...(key === undefined ? {} : { field: fieldLabels[key] }), line }, message)
  }
}

const marks = [
  /^\*\*(.+)\*\*$/s,
  /^__(.+)__$/s,
  /^`+([^`]+)`+$/s,
  /^["“”«](.+)["“”»]$/s,
  /^['‘’](.+)['‘’]$/s,
  /^\[(.+)\]\([^()]*\)$/s
]

/** Removes marks, quotes and links around a name. Long or deeply nested text cannot be a name, and stays. */
export const stripMarks = (text: string, depth = 0): string => {
  if (text.length > 500 || depth > 4 || !/^[*_`"“”«'‘’[]/.test(text)) return text
  const inner = marks.map((mark) => mark.exec(text)?.[1]).find((found) => found !== undefined)
  return inner === undefined ? text : stripMarks(inner.trim(), depth + 1)
}

const readInline = ({ first, key, line, rest: below }: RawField): Noted => {
  const lines = [first, ...below.map(({ text }) => text)].map((text) => text.trim())
  const [text = "", ...rest] = lines.filter((one) => one !== "")
  const isEscaped = text.startsWith("\\")
  const value = isEscaped ? unescapeInline(text).trim() : stripMarks(text.replace(/^[=–—-]\s+/, ""))
  const notes: Array<TaskNote> = []
  if (!isEscaped && value !== text) {
    const code = key === "name" ? "name-form" : "skill-form"
    notes.push({ code, key, line, message: `Read "${value}" without the marks around it.` })
  }
  if (rest.length > 0) {
    const message = `Ignored text after the first line: "${excerpt(rest.join(" "))}".`
    notes.push({ code: "text-ignored", key, line, message })
  }
  return { value, notes }
}

const nameFromTitle = ({ line, title }: RawTask): Noted => {
  if (title === "") return nothing
  const name = stripMarks(title.replace(/^(?:task|item)\s*#?\d*\s*[:.–—-]\s*/i, "").trim())
  if (/^(?:(?:task|item)\s*#?)?\d*[.:]?$/i.test(name) || slugOf(name) === "") return nothing
  const message = `Named the task "${name}" after its heading.`
  return { value: name, notes: [{ code: "name-from-heading", key: "name", line, message }] }
}

/** The name that the document gives to the task. Empty if it gives none. */
export const givenName = (raw: RawTask): Noted => {
  const field = raw.fields.get("name")
  const name = field === undefined ? nothing : readInline(field)
  if (name.value === "") return nameFromTitle(raw)
  const isCopied = isPlaceholder(name.value)
  if (slugOf(name.value) !== "" && !isCopied) return name
  const message = `Replaced the name "${name.value}", which ${isCopied ? "stands in the format" : "has no letter or digit"}.`
  return { value: "", notes: [{ code: "name-replaced", key: "name", line: field?.line ?? raw.line, message }] }
}

/** The skill that the document gives to the task. Empty if it gives none. */
export const givenSkill = (raw: RawTask): Noted => {
  const field = raw.fields.get("skill")
  return field === undefined ? nothing : readInline(field)
}

/** A raw task with its name and section. */
export interface NamedTask {
  readonly raw: RawTask
  readonly name: string
  readonly slug: string
  /**
   * The slug of the default name `<skill> <n>`, by which links can also find the task. Present only if the task's name
   * comes from its heading and no other task has this slug.
   */
  readonly also?: string
  /** The index of the step, from 0. */
  readonly step: number
  readonly section: string
  /** The repairs that led to this name. */
  readonly notes: ReadonlyArray<TaskNote>
}

export const defaultName = (skill: string, number: number): string =>
  `${slugOf(skill) === "" ? "Task" : skill} ${number}`

/**
 * Names all tasks. A task without a name becomes `<skill> <n>` or, without a skill, `Task <n>`. n is its position in
 * the list, or the next free number. New names avoid `finished`, the slugs of finished tasks.
 */
export const nameTasks = (steps: ReadonlyArray<RawStep>, finished: ReadonlySet<string>): ReadonlyArray<NamedTask> => {
  const writtenTasks = steps.flatMap(({ section, tasks }, step) =>
    tasks.map((raw) => ({ raw, section, step, ...givenName(raw) }))
  )
  const usedSlugs = new Set([
    ...finished,
    ...writtenTasks.flatMap(({ value }) => (value === "" ? [] : [slugOf(value)]))
  ])
  // The last number used for each skill. The search for a free number begins after it, so that many tasks do not make
  // it slow.
  const reached = new Map<string, number>()
  const freeName = (skill: string, position: number): string => {
    let number = Math.max(position, (reached.get(skill) ?? 0) + 1)
    while (usedSlugs.has(slugOf(defaultName(skill, number)))) number += 1
    reached.set(skill, number)
    usedSlugs.add(slugOf(defaultName(skill, number)))
    return defaultName(skill, number)
  }
  const named = writtenTasks.map(({ notes, raw, section, step, value }, index): NamedTask => {
    const name = value === "" ? freeName(givenSkill(raw).value, index + 1) : value
    return { raw, section, step, notes, name, slug: slugOf(name) }
  })
  return named.map((task, index) => {
    const also = slugOf(defaultName(givenSkill(task.raw).value, index + 1))
    const isFromHeading = task.notes.some(({ code }) => code === "name-from-heading")
    return isFromHeading && !usedSlugs.has(also) ? Object.assign({ also }, task) : task
  })
}

export const textOf = (raw: RawTask, key: FieldKey): string => {
  const field = raw.fields.get(key)
  return field === undefined ? "" : unescapeValue(field.first, field.rest)
}

const strictNo = /^(?:no|false)[.!]?$/i
const otherNo = /^(?:none|n\/?a|not (?:required|needed|necessary|applicable)|0|[-–—])[.!]?$|^no\b/i
const yes = /^(?:yes|true|required|y|1|x|✓|✔|✅|\(yes\)|\[x\])?[.!]?$/i

/** True if the task requires approval: the field exists and does not say no. */
export const approvalOf = (raw: RawTask, place: TaskPlace, findings: Findings): boolean => {
  if (!raw.fields.has("approval")) return false
  const text = stripMarks(textOf(raw, "approval"))
  if (yes.test(text)) return true
  if (strictNo.test(text)) return false
  const asks = !otherNo.test(text)
  const message = `Read "${excerpt(text)}" as ${asks ? "approval required" : "no approval"}.`
  addRepair(findings, "approval-value", placeOf(raw, place, "approval"), message)
  return asks
}
