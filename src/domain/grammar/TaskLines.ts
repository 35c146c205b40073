/**
 * The lines of a section by kind; a code block counts as one line.
 */
import { Line, readLines, type Fence, fenceByLine, findFences } from "../markdown/Line.ts"
import type { MarkdownDocument } from "../markdown/Markdown.ts"
import type { LabelledLine } from "../markdown/TaskFields.ts"

interface Place {
  /** 1-based. */
  readonly line: number
  /** The line as it stands; of a heading only its text. */
  readonly text: string
  readonly indent: number
}

export interface Labelled extends Place {
  readonly kind: "label"
  readonly label: LabelledLine
}

/** A line without a label; `rest` is what follows its list markers. */
export interface Loose extends Place {
  readonly kind: "item" | "text"
  readonly rest: string
}

/** A fence with all its lines. A label before the fence is a line of its own. */
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
  if (indent === 0 && hashes?.spaced === true) return { kind: "heading", ...place, text: hashes.text }
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

/** The lines of a document from a position up to another, which is excluded; `before` lines stand before the first. */
export const taskLines = (
  { fences, lines }: Pick<MarkdownDocument, "fences" | "lines">,
  first: number,
  last: number,
  before = 0
): ReadonlyArray<TaskLine> => {
  const result: Array<TaskLine> = []
  let index = first
  for (let line = lines[index]; line !== undefined && index < last; line = lines[index]) {
    const fence = fences.get(index)
    result.push(...(fence === undefined ? [classify(line, before + index + 1)] : fenceLines(fence, before + index + 1)))
    index = (fence?.last ?? index) + 1
  }
  return result
}

/** The lines of a text of its own; `before` is the line before its first. */
export const linesOfText = (text: string, before: number): ReadonlyArray<TaskLine> => {
  const lines = readLines(text)
  return taskLines({ lines, fences: fenceByLine(findFences(lines, () => false)) }, 0, lines.length, before)
}

/** The first line of prose, where a list or a call should be; nothing without any. */
export const firstProse = (lines: ReadonlyArray<TaskLine>): string | undefined =>
  lines.find(({ kind }) => kind === "text" || kind === "item" || kind === "label")?.text.trim()
