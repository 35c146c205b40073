/**
 * Classifies the lines of a task section, and collects each task as it is written: fields, code blocks, and deviations
 * from the strict form. Issues and repairs follow only later, when the task has its name.
 */
import type { RepairCode } from "../findings/Issue.ts"
import { dedent, type Fence, Line } from "../markdown/Line.ts"
import type { MarkdownDocument } from "../markdown/Markdown.ts"
import type { CodeBlock } from "../markdown/PromptBlock.ts"
import { type FieldKey, fieldLabels, type LabelledLine } from "../markdown/TaskFields.ts"
import type { EscapedLine } from "./TextEscaping.ts"

interface Place {
  /** The line number, from 1. */
  readonly line: number
  /** The line as written; for a heading, only its text. */
  readonly text: string
  readonly indent: number
}

export interface Labelled extends Place {
  readonly kind: "label"
  readonly label: LabelledLine
}

/** A line without a label. `rest` is the text after the list markers. */
export interface Loose extends Place {
  readonly kind: "item" | "text"
  readonly rest: string
}

/** A fence with all its lines. A label before the fence is a separate line. */
export interface FenceLine extends Place {
  readonly kind: "fence"
  readonly fence: Fence
  readonly afterLabel: boolean
}

export type TaskLine =
  | Labelled
  | Loose
  | FenceLine
  | (Place & { readonly kind: "blank" | "heading" | "rule" | "comment" })

const classify = (source: Line, line: number): TaskLine => {
  const { hashes, indent, text } = source
  const place = { line, text, indent }
  if (source.isBlank) return { kind: "blank", ...place }
  if (indent === 0 && hashes !== undefined) return { kind: "heading", ...place, text: hashes.text }
  if (source.isRule) return { kind: "rule", ...place }
  if (source.isComment) return { kind: "comment", ...place }
  if (source.label !== undefined) return { kind: "label", ...place, label: source.label }
  const { marker, rest } = source.bullets
  return { kind: marker === "none" ? "text" : "item", ...place, rest }
}

const fenceLines = (fence: Fence, line: number): ReadonlyArray<TaskLine> => {
  const { indent, label } = new Line(fence.lead)
  const [{ text } = new Line(""), ...rest] = fence.source
  const place = { line, text, indent }
  if (label === undefined) return [{ kind: "fence", ...place, fence, afterLabel: false }]
  const source = [new Line(" ".repeat(label.content) + text.slice(fence.lead.length)), ...rest]
  return [
    { kind: "label", ...place, text: fence.lead, label },
    { kind: "fence", ...place, fence: { ...fence, source }, afterLabel: true }
  ]
}

/** The lines of a document from index `first` up to index `last` (exclusive). */
export const taskLines = (
  { fences, lines }: Pick<MarkdownDocument, "fences" | "lines">,
  first: number,
  last: number
): ReadonlyArray<TaskLine> => {
  const result: Array<TaskLine> = []
  let index = first
  for (let line = lines[index]; line !== undefined && index < last; line = lines[index]) {
    const fence = fences.get(index)
    result.push(...(fence === undefined ? [classify(line, index + 1)] : fenceLines(fence, index + 1)))
    index = (fence?.last ?? index) + 1
  }
  return result
}

/** Finds the first line of prose that stands where a list or a call is expected. An issue quotes it. */
export const firstProse = (lines: ReadonlyArray<TaskLine>): string | undefined =>
  lines.find(({ kind }) => kind === "text" || kind === "item" || kind === "label")?.text.trim()

/** A field as written: the text after the label, and the lines below it. */
export interface RawField {
  readonly key: FieldKey
  readonly line: number
  readonly indent: number
  readonly content: number
  readonly first: string
  readonly rest: Array<EscapedLine>
}

/** An unknown label, or one that occurs twice in its task. */
export interface LabelFault {
  readonly kind: "unknown" | "duplicate"
  readonly label: string
  readonly line: number
  readonly quote: string
}

/** A deviation that the reader repaired in the field `key`. */
export interface TaskNote {
  readonly code: RepairCode
  readonly key?: FieldKey
  readonly line: number
  readonly message: string
}

/** A task as written. `title` is the heading or list item above the fields. */
export interface RawTask {
  readonly line: number
  readonly title: string
  readonly fields: ReadonlyMap<FieldKey, RawField>
  readonly codeBlocks: ReadonlyArray<CodeBlock>
  readonly faults: ReadonlyArray<LabelFault>
  readonly notes: ReadonlyArray<TaskNote>
}

/** A task section, with its tasks as written. */
export interface RawStep {
  readonly section: string
  readonly line: number
  readonly tasks: ReadonlyArray<RawTask>
}

const prose: ReadonlySet<FieldKey> = new Set(["needed", "expected", "output"])

/** A short excerpt for a message. */
export const excerpt = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 80)

/** A task that is still being read line by line. */
export class OpenTask implements RawTask {
  readonly line: number
  readonly title: string
  readonly fields = new Map<FieldKey, RawField>()
  readonly codeBlocks: Array<CodeBlock> = []
  readonly faults: Array<LabelFault> = []
  readonly notes: Array<TaskNote> = []
  /** The column at which the fields of the task begin. */
  level: number
  /** In the nested form, the column of the list item that contains the fields. */
  parent: number | undefined
  /** The field to which the next text belongs. Undefined after a code block. */
  field: RawField | undefined
  #blanks: Array<string> = []
  /** Text after the last field. It belongs to that field only if another field follows. */
  #pending: Array<Loose> = []

  constructor(line: number, level: number, title: string) {
    this.line = line
    this.level = level
    this.title = title
  }

  get followsBlank(): boolean {
    return this.#blanks.length > 0
  }

  addBlank(text: string): void {
    this.#blanks.push(text)
  }

  /** Adds a line to the current field, and the blank lines skipped before it. */
  addText(text: string, fenced = false): void {
    const { field } = this
    if (field === undefined) return
    for (const blank of this.#blanks) field.rest.push({ text: dedent(blank, field.content), fenced: false })
    this.#blanks = []
    field.rest.push({ text: dedent(text, field.content), fenced })
  }

  addField(key: FieldKey, labelled: Labelled): void {
    const { label, line } = labelled
    const field = this.#openField(key, labelled)
    if (this.fields.has(key)) return this.#addFault("duplicate", fieldLabels[key], labelled)
    this.fields.set(key, field)
    if (label.match !== "exact")
      this.#note("field-spelling", key, line, `Read the label "${label.label}" as "${fieldLabels[key]}".`)
    if (!label.strict) this.#note("field-label", key, line, `Read the field as "- **${fieldLabels[key]}** ...".`)
  }

  addMisplacedField(key: FieldKey, labelled: Labelled): void {
    const message = "Read a field with another indentation as one of the same task."
    this.#note("field-indentation", key, labelled.line, message)
    this.addField(key, labelled)
  }

  /** Adds a field for an unknown label, so that its text does not join the field before it. */
  addUnknown(labelled: Labelled): void {
    this.#openField("output", labelled)
    this.#addFault("unknown", labelled.label.label, labelled)
  }

  addLoose(loose: Loose): void {
    const { field } = this
    if (field === undefined || loose.indent > field.indent) return this.addText(loose.text)
    if (loose.kind === "item" && (prose.has(field.key) || field.key === "references")) {
      const message = "Read a list item without a label as part of the field before it."
      this.#note("text-attached", field.key, loose.line, message)
      return this.addText(loose.text)
    }
    if (!this.followsBlank && this.#pending.length === 0) return this.addText(loose.text)
    this.#pending.push(loose)
  }

  /** Adds a code block: to the text field around it, or else to the task. */
  addFence(fence: Fence, line: number, afterLabel: boolean): void {
    const { field } = this
    const isInside = field !== undefined && (afterLabel || fence.indent >= Math.max(field.content, field.indent + 1))
    if (isInside && prose.has(field.key)) {
      for (const { text } of fence.source) this.addText(text, true)
      return
    }
    if (isInside) this.#note("code-block-moved", field.key, line, "Moved a code block from the field to the task.")
    this.close()
    this.codeBlocks.push({ language: fence.language, text: fence.text })
    this.field = undefined
  }

  /** Ends the last field. Pending text is ignored, because no field follows. */
  close(): void {
    const [first] = this.#pending
    if (first !== undefined) {
      const text = excerpt(this.#pending.map((one) => one.text).join(" "))
      this.#note("text-ignored", undefined, first.line, `Ignored text that belongs to no field: "${text}".`)
    }
    this.#pending = []
    this.#blanks = []
  }

  /** Begins a field. Pending text belongs to the field before it. */
  #openField(key: FieldKey, { label, line }: Labelled): RawField {
    const [first] = this.#pending
    if (first !== undefined && this.field !== undefined) {
      const message = "Read text without indentation as part of the field before it."
      this.#note("text-attached", this.field.key, first.line, message)
      for (const pending of this.#pending) this.addText(pending.text)
    }
    this.#pending = []
    this.#blanks = []
    this.field = { key, line, indent: label.indent, content: label.content, first: label.value, rest: [] }
    return this.field
  }

  #addFault(kind: LabelFault["kind"], label: string, { line, text }: Labelled): void {
    this.faults.push({ kind, label, line, quote: text.trim() })
  }

  #note(code: RepairCode, key: FieldKey | undefined, line: number, message: string): void {
    this.notes.push({ code, key, line, message })
  }
}
