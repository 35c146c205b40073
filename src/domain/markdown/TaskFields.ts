/**
 * Recognises the lines on which fields of a task start: `- **Skill** search-code`. Common deviations are read too:
 * colons, missing bold marks or list markers, misspelled labels.
 */
import { distance } from "fastest-levenshtein"

/**
 * The list markers at the beginning of a line, and the text after them. A line may have several markers, such as `- 2.
 * `.
 */
export interface Bullets {
  readonly indent: number
  /** The column of the text after the marker; without a marker, `indent`. */
  readonly content: number
  readonly marker: "none" | "bullet" | "number"
  readonly rest: string
}

/** The exact labels, in the order of the document. */
export const fieldLabels = {
  name: "Name",
  needed: "What is needed",
  each: "For each",
  skill: "Skill",
  references: "References",
  expected: "Expected output",
  approval: "Requires user approval",
  output: "Output"
} as const

/** A field of a task. Only finished tasks have `output`. */
export type FieldKey = keyof typeof fieldLabels

export const requiredFields = ["needed", "skill", "expected"] as const

const keys = Object.keys(fieldLabels) as ReadonlyArray<FieldKey>

const labels = keys.map((key) => fieldLabels[key].toLowerCase())

/** Other wordings for each field, in lower case. */
const otherLabels: Partial<Readonly<Record<FieldKey, ReadonlyArray<string>>>> = {
  name: ["task name"],
  needed: ["what's needed", "what’s needed", "whats needed", "what is required"],
  each: ["foreach", "for every", "for all", "repeat for", "repeat for each", "loop over", "iterate over", "items"],
  skill: ["skills", "skill name", "skill to use", "required skill"],
  references: ["reference", "reference links"],
  expected: ["expected outputs", "expected result", "expected results"],
  approval: [
    "requires approval",
    "user approval",
    "user approval required",
    "needs user approval",
    "requires user approval?"
  ]
}

/** How a label was recognised: it is exact, is another spelling, or is only similar. */
type LabelMatch = "exact" | "spelling" | "near"

const matchLabel = (label: string): { readonly key: FieldKey; readonly match: LabelMatch } | undefined => {
  const exact = keys.find((key) => fieldLabels[key] === label)
  if (exact !== undefined) return { key: exact, match: "exact" }
  const plain = label
    .toLowerCase()
    .replace(/\s*\([^()]*\)$/, "")
    .replace(/[\s_]+/g, " ")
    .trim()
  const spelled =
    keys.find((key) => fieldLabels[key].toLowerCase() === plain) ??
    keys.find((key) => otherLabels[key]?.includes(plain) === true)
  if (spelled !== undefined) return { key: spelled, match: "spelling" }
  if (plain.length < 4 || plain.length > 40) return undefined
  const [near, ...others] = keys.filter((key) => {
    const known = fieldLabels[key].toLowerCase()
    return known.startsWith(`${plain} `) || distance(known, plain) <= (known.length > 8 ? 2 : 1)
  })
  return near === undefined || others.length > 0 ? undefined : { key: near, match: "near" }
}

export interface LabelledLine {
  readonly indent: number
  readonly content: number
  readonly label: string
  /** The field. Absent if the label belongs to no field. */
  readonly key: FieldKey | undefined
  readonly match: LabelMatch
  /** True for the strict form, `- **Skill** search-code`. */
  readonly strict: boolean
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
/** Matches the text that may directly follow a label. */
const labelEnd = /^(?:$|[\s:：])/
const longestLabel = 60

const cutAfter = (label: string, after: string, emphasis: Cut["emphasis"]): Cut => ({
  label,
  value: after.replace(separator, "").trimStart(),
  emphasis,
  hasColon: separator.test(after),
  strict: false
})

/**
 * Splits `**Label** value` into label and value. A colon may follow the label, and other marks such as `_` may be used.
 * The marks may also enclose both: `**Label: value**`.
 */
const cutMarked = (rest: string): Cut | undefined => {
  const mark = /^(?:\*{1,3}|_{1,3})(?=[^\s*_])/.exec(rest)?.[0]
  if (mark === undefined) return undefined
  const end = rest.slice(0, mark.length + longestLabel + 20).indexOf(mark, mark.length)
  if (end < 0) return cutUnclosed(rest.slice(mark.length))
  const inner = rest.slice(mark.length, end)
  const after = rest.slice(end + mark.length)
  if (mark.startsWith("_") && !labelEnd.test(after)) return undefined
  const colon = inner.search(/[:：]/)
  const label = (colon < 0 ? inner : inner.slice(0, colon)).trim()
  // In `**Skill search-code, **best**`, the second `**` follows a blank. It begins another emphasis and does not close
  // the label.
  if (/\s$/.test(inner) && matchLabel(label) === undefined) {
    const unclosed = cutUnclosed(rest.slice(mark.length))
    if (unclosed !== undefined) return unclosed
  }
  const cut = cutAfter(label, after, mark === "**" || mark === "__" ? "bold" : "other")
  if (colon < 0) return completeLabel({ ...cut, strict: mark === "**" && !cut.hasColon && /^(?:$|\s)/.test(after) })
  const inside = inner.slice(colon).replace(separator, "").trim()
  return { ...cut, value: [inside, cut.value].filter((part) => part !== "").join(" "), hasColon: true }
}

/** Completes a label whose marks end too early, as in `**Expected** output: Places.`. */
const completeLabel = (cut: Cut): Cut => {
  const start = `${cut.label.toLowerCase().replace(/\s+/g, " ")} `
  for (const known of labels) {
    if (!known.startsWith(start)) continue
    const missing = known.slice(start.length)
    const written = cut.value.slice(0, missing.length)
    const after = cut.value.slice(missing.length)
    if (written.toLowerCase() === missing && labelEnd.test(after)) {
      return cutAfter(`${cut.label} ${written}`, after, cut.emphasis)
    }
  }
  return cut
}

/**
 * Splits a label without a closing mark from its value, as in `**Skill search-code`. Works only for known labels,
 * because nothing else shows where the label ends.
 */
const cutUnclosed = (rest: string): Cut | undefined => {
  const lower = rest.toLowerCase()
  const knownLabel = keys
    .map((key) => fieldLabels[key])
    .find((label) => lower.startsWith(label.toLowerCase()) && labelEnd.test(rest.slice(label.length)))
  return knownLabel === undefined
    ? undefined
    : cutAfter(rest.slice(0, knownLabel.length), rest.slice(knownLabel.length), "bold")
}

/** Matches labels that are recognised even without a colon. */
const certainLabel =
  /^(?:(?:What is needed|For each|Expected output|Requires user approval)(?=$|\s)|Skill(?=\s+[a-z\d]+(?:[-_][a-z\d]+)*$)|References(?=\s+\[))/

/** Splits `Label: value`, or `Label value` for labels that need no colon. */
const cutPlain = (rest: string, hasMarker: boolean): Cut | undefined => {
  const colon = rest.slice(0, longestLabel).search(/[:：]/)
  if (colon > 0) return cutAfter(rest.slice(0, colon).trim(), rest.slice(colon), "none")
  const label = hasMarker ? certainLabel.exec(rest)?.[0] : undefined
  return label === undefined
    ? undefined
    : { ...cutAfter(label, "", "none"), value: rest.slice(label.length).trimStart() }
}

/**
 * True if the line is certainly a field. A line that looks less like a field needs a label that is closer to a known
 * label.
 */
const isCertain = (cut: Cut, match: LabelMatch, hasMarker: boolean): boolean => {
  if (cut.emphasis === "bold" && hasMarker) return true
  if (match === "exact") return hasMarker || cut.emphasis === "bold" || cut.hasColon
  return match === "spelling" && (hasMarker || (cut.emphasis === "bold" && cut.hasColon))
}

/** Reads a line with a label. After a list marker, a bold label counts even if it belongs to no field. */
export const readLabel = ({ content, indent, marker, rest }: Bullets): LabelledLine | undefined => {
  const hasMarker = marker !== "none"
  const cut = cutMarked(rest) ?? cutPlain(rest, hasMarker)
  if (cut === undefined || cut.label === "") return undefined
  const labelMatch = matchLabel(cut.label)
  const key = labelMatch !== undefined && isCertain(cut, labelMatch.match, hasMarker) ? labelMatch.key : undefined
  if (key === undefined && (cut.emphasis !== "bold" || !hasMarker)) return undefined
  const { label, value } = cut
  return {
    indent,
    content,
    label,
    key,
    match: labelMatch?.match ?? "exact",
    strict: cut.strict && marker === "bullet",
    value
  }
}
