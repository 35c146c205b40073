/**
 * The fields of a task and the lines they stand on: `- **Skill** search-code`. Recognises the strict form and the forms
 * that models write instead (colons, missing bold, missing list markers, misspelled labels), and says which it was.
 */
import { distance } from "fastest-levenshtein"
import { readBullets } from "../markdown/MarkdownLines.ts"

/** A field of a task; `output` exists only for finished tasks. */
export type FieldKey = "name" | "needed" | "skill" | "references" | "expected" | "approval" | "output"

/** The exact labels, in the order of the document. */
export const fieldLabels: Readonly<Record<FieldKey, string>> = {
  name: "Name",
  needed: "What is needed",
  skill: "Skill",
  references: "References",
  expected: "Expected output",
  approval: "Requires user approval",
  output: "Output"
}

/** The fields that every task must have. */
export const requiredFields = ["needed", "skill", "expected"] as const

const keys: ReadonlyArray<FieldKey> = ["name", "needed", "skill", "references", "expected", "approval", "output"]

const otherLabels: Readonly<Record<string, FieldKey>> = {
  "task name": "name",
  "what's needed": "needed",
  "what’s needed": "needed",
  "whats needed": "needed",
  "what is required": "needed",
  skills: "skill",
  "skill name": "skill",
  "skill to use": "skill",
  "required skill": "skill",
  reference: "references",
  "reference links": "references",
  "expected outputs": "expected",
  "expected result": "expected",
  "expected results": "expected",
  "requires approval": "approval",
  "user approval": "approval",
  "user approval required": "approval",
  "needs user approval": "approval",
  "requires user approval?": "approval"
}

/** How sure a label is: as asked for, another spelling of it, or only close to it. */
export type LabelMatch = "exact" | "spelling" | "near"

/** The field a label means. */
const matchLabel = (label: string): { readonly key: FieldKey; readonly match: LabelMatch } | undefined => {
  const exact = keys.find((key) => fieldLabels[key] === label)
  if (exact !== undefined) return { key: exact, match: "exact" }
  const plain = label
    .toLowerCase()
    .replace(/\s*\([^()]*\)$/, "")
    .replace(/[\s_]+/g, " ")
    .trim()
  const spelled = keys.find((key) => fieldLabels[key].toLowerCase() === plain) ?? otherLabels[plain]
  if (spelled !== undefined) return { key: spelled, match: "spelling" }
  if (plain.length < 4 || plain.length > 40) return undefined
  const near = keys.filter((key) => {
    const known = fieldLabels[key].toLowerCase()
    return known.startsWith(`${plain} `) || distance(known, plain) <= (known.length > 8 ? 2 : 1)
  })
  return near.length === 1 && near[0] !== undefined ? { key: near[0], match: "near" } : undefined
}

/** A line with a label. */
export interface LabelledLine {
  readonly indent: number
  /** The column where the content of the item starts. */
  readonly content: number
  readonly marker: "none" | "bullet" | "number"
  readonly label: string
  /** Absent when no field has this label. */
  readonly key?: FieldKey
  readonly match: LabelMatch
  /** True for the form of the strict document. */
  readonly strict: boolean
  /** What follows the label. */
  readonly value: string
}

interface Cut {
  readonly label: string
  readonly value: string
  readonly emphasis: "bold" | "other" | "none"
  readonly hasColon: boolean
  readonly strict: boolean
}

const separator = /^\s*[:：]+\s*/
const longestLabel = 60

/** `**Label** value` and its relatives: colon inside or after, other marks, marks around label and value together. */
const cutMarked = (rest: string): Cut | undefined => {
  const mark = /^(?:\*{1,3}|_{1,3})(?=[^\s*_])/.exec(rest)?.[0]
  if (mark === undefined) return undefined
  const end = rest.slice(0, mark.length + longestLabel + 20).indexOf(mark, mark.length)
  const emphasis = mark === "**" || mark === "__" ? "bold" : "other"
  if (end < 0) return cutUnclosed(rest.slice(mark.length))
  const inner = rest.slice(mark.length, end)
  const after = rest.slice(end + mark.length)
  if (mark.startsWith("_") && !/^(?:$|[\s:：])/.test(after)) return undefined
  const colon = inner.search(/[:：]/)
  const label = (colon < 0 ? inner : inner.slice(0, colon)).trim()
  // `**Skill search-code, **best**`: marks after a blank open something, they do not close the label.
  if (/\s$/.test(inner) && matchLabel(label) === undefined) {
    const unclosed = cutUnclosed(rest.slice(mark.length))
    if (unclosed !== undefined) return unclosed
  }
  const inside = colon < 0 ? "" : inner.slice(colon).replace(separator, "").trim()
  const value = after.replace(separator, "").trimStart()
  const hasColon = colon >= 0 || separator.test(after)
  const strict = mark === "**" && !hasColon && (after === "" || /^\s/.test(after))
  const cut = {
    label,
    value: [inside, value].filter((part) => part !== "").join(" "),
    emphasis,
    hasColon,
    strict
  } as const
  return hasColon && colon >= 0 ? cut : completeLabel(cut)
}

/** `**Expected** output: Places.`: the marks end before the label does. */
const completeLabel = (cut: Cut): Cut => {
  const start = `${cut.label.toLowerCase().replace(/\s+/g, " ")} `
  for (const key of keys) {
    const known = fieldLabels[key].toLowerCase()
    const missing = known.slice(start.length)
    if (!known.startsWith(start) || !cut.value.toLowerCase().startsWith(missing)) continue
    const after = cut.value.slice(missing.length)
    if (!/^(?:$|[\s:：])/.test(after)) continue
    const label = `${cut.label} ${cut.value.slice(0, missing.length)}`
    const hasColon = separator.test(after)
    return { ...cut, label, value: after.replace(separator, "").trimStart(), hasColon, strict: false }
  }
  return cut
}

/** `**Skill search-code`: the marks are never closed, so only a known label tells where it ends. */
const cutUnclosed = (rest: string): Cut | undefined => {
  const lower = rest.toLowerCase()
  const key = keys.find((candidate) => {
    const label = fieldLabels[candidate].toLowerCase()
    return lower.startsWith(label) && /^(?:$|[\s:：])/.test(rest.slice(label.length))
  })
  if (key === undefined) return undefined
  const label = rest.slice(0, fieldLabels[key].length)
  const after = rest.slice(label.length)
  const hasColon = separator.test(after)
  return { label, value: after.replace(separator, "").trimStart(), emphasis: "bold", hasColon, strict: false }
}

const plain = (label: string, value: string, hasColon: boolean): Cut => ({
  label,
  value: value.trimStart(),
  emphasis: "none",
  hasColon,
  strict: false
})

/** `Label: value`, or for labels that cannot be mistaken `Label value`. */
const cutPlain = (rest: string, hasMarker: boolean): Cut | undefined => {
  const colon = rest.slice(0, longestLabel).search(/[:：]/)
  if (colon > 0) return plain(rest.slice(0, colon).trim(), rest.slice(colon).replace(separator, ""), true)
  if (!hasMarker) return undefined
  const label = ["What is needed", "Expected output", "Requires user approval"].find((known) => rest.startsWith(known))
  if (label !== undefined && /^(?:$|\s)/.test(rest.slice(label.length)))
    return plain(label, rest.slice(label.length), false)
  if (/^Skill\s+[a-z\d]+(?:[-_][a-z\d]+)*$/.test(rest)) return plain("Skill", rest.slice(5), false)
  return /^References\s+\[/.test(rest) ? plain("References", rest.slice(10), false) : undefined
}

/** The less a line looks like a field, the closer its label must be. */
const isCertain = (cut: Cut, match: LabelMatch, hasMarker: boolean): boolean => {
  if (cut.emphasis === "bold" && hasMarker) return true
  if (match === "exact") return hasMarker || cut.emphasis === "bold" || cut.hasColon
  return match === "spelling" && (hasMarker || (cut.emphasis === "bold" && cut.hasColon))
}

/** Reads a line as a labelled one. A label in bold after a list marker is returned also when no field has it. */
export const readLabel = (line: string): LabelledLine | undefined => {
  const { content, indent, marker, rest } = readBullets(line)
  const hasMarker = marker !== "none"
  const cut = cutMarked(rest) ?? cutPlain(rest, hasMarker)
  if (cut === undefined || cut.label === "") return undefined
  const found = matchLabel(cut.label)
  const key = found !== undefined && isCertain(cut, found.match, hasMarker) ? found.key : undefined
  if (key === undefined && (cut.emphasis !== "bold" || !hasMarker)) return undefined
  return {
    indent,
    content,
    marker,
    label: cut.label,
    ...(key === undefined ? {} : { key }),
    match: found?.match ?? "exact",
    strict: cut.strict && marker === "bullet",
    value: cut.value
  }
}

/** True for a line on which a field starts. */
export const isField = (line: string): boolean => readLabel(line)?.key !== undefined
