/**
 * Turns the raw fields of one task into values: name, skill, texts, approval. References are read by TaskReferences.
 */
import { addRepair, type Findings } from "../findings/IssueCode.ts"
import { excerpt, type RawField, type RawTask, type TaskNote } from "./RawTask.ts"
import { type FieldKey, fieldLabels } from "./TaskFields.ts"
import { slugOf } from "../text/Slug.ts"
import { unescapeInline, unescapeValue } from "./TextEscaping.ts"

/** The place of a task: its section and its name. */
export interface TaskPlace {
  readonly section: string
  readonly task: string
}

/** A value with what was mended to get it. */
export interface Noted {
  readonly value: string
  readonly notes: ReadonlyArray<TaskNote>
}

/** Records what was mended in a task. */
export const addNotes = (notes: ReadonlyArray<TaskNote>, place: TaskPlace, findings: Findings): void => {
  for (const { code, field, line, message } of notes) {
    addRepair(findings, code, { ...place, ...(field === undefined ? {} : { field }), line }, message)
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

/** Takes marks, quotes and links off. Long texts are no names, and deep nesting is no emphasis: both stay as they are. */
export const stripMarks = (text: string, depth = 0): string => {
  if (text.length > 500 || depth > 4) return text
  const inner = marks.map((mark) => mark.exec(text)?.[1]).find((found) => found !== undefined)
  return inner === undefined ? text : stripMarks(inner.trim(), depth + 1)
}

/** The first line of a field as plain text. */
const readInline = (field: RawField): Noted => {
  const { key, line } = field
  const label = fieldLabels[key]
  const lines = [field.first, ...field.rest.map(({ text }) => text)].map((text) => text.trim())
  const [text = "", ...rest] = lines.filter((one) => one !== "")
  const isEscaped = text.startsWith("\\")
  const value = isEscaped ? unescapeInline(text) : stripMarks(text.replace(/^[=–—-]\s+/, ""))
  const notes: Array<TaskNote> = []
  if (!isEscaped && value !== text) {
    const code = key === "name" ? "name-form" : "skill-form"
    notes.push({ code, field: label, line, message: `Read "${value}" without the marks around it.` })
  }
  if (rest.length > 0) {
    const message = `Ignored text after the first line: "${excerpt(rest.join(" "))}".`
    notes.push({ code: "text-ignored", field: label, line, message })
  }
  return { value, notes }
}

const nameFromTitle = ({ line, title }: RawTask): Noted => {
  const name = stripMarks(title.replace(/^(?:task|item)\s*#?\d*\s*[:.–—-]\s*/i, "").trim())
  if (/^(?:(?:task|item)\s*#?)?\d*[.:]?$/i.test(name) || slugOf(name) === "") return { value: "", notes: [] }
  const message = `Named the task "${name}" after its heading.`
  return { value: name, notes: [{ code: "name-from-heading", field: fieldLabels.name, line, message }] }
}

/** The name that the document gives a task; empty when it gives none. */
export const givenName = (raw: RawTask): Noted => {
  const field = raw.fields.get("name")
  const { notes, value } = field === undefined ? { value: "", notes: [] } : readInline(field)
  if (value === "") return nameFromTitle(raw)
  if (slugOf(value) !== "") return { value, notes }
  const message = `Replaced the name "${value}", which has no letter or digit.`
  return {
    value: "",
    notes: [{ code: "name-replaced", field: fieldLabels.name, line: field?.line ?? raw.line, message }]
  }
}

/** The skill that the document gives a task; empty when it gives none. */
export const givenSkill = (raw: RawTask): Noted => {
  const field = raw.fields.get("skill")
  return field === undefined ? { value: "", notes: [] } : readInline(field)
}

/** The text of a field; empty when it is not there. */
export const textOf = (raw: RawTask, key: FieldKey): string => {
  const field = raw.fields.get(key)
  return field === undefined ? "" : unescapeValue(field.first, field.rest)
}

const strictNo = /^(?:no|false)[.!]?$/i
const otherNo = /^(?:none|n\/?a|not (?:required|needed|necessary|applicable)|0|[-–—])[.!]?$|^no\b/i
const yes = /^(?:yes|true|required|y|1|x|✓|✔|✅|\(yes\)|\[x\])?[.!]?$/i

/** Whether the list asks for approval: the field stands there and does not say no. */
export const approvalOf = (raw: RawTask, place: TaskPlace, findings: Findings): boolean => {
  const field = raw.fields.get("approval")
  if (field === undefined) return false
  const text = stripMarks(textOf(raw, "approval"))
  if (yes.test(text)) return true
  if (strictNo.test(text)) return false
  const refused = otherNo.test(text)
  const where = { ...place, field: fieldLabels.approval, line: field.line }
  const meaning = refused ? "no approval" : "approval required"
  addRepair(findings, "approval-value", where, `Read "${excerpt(text)}" as ${meaning}.`)
  return !refused
}
