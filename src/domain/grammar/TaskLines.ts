/**
 * The lines of a task section, each with what it is: a label, a list item, text, a fence, a heading, a rule, a blank.
 */
import { type Fence, findFences } from "../markdown/MarkdownFences.ts"
import { indentOf, isBlank, isComment, isRule, readBullets, readHashes } from "../markdown/MarkdownLines.ts"
import { type LabelledLine, readLabel } from "./TaskFields.ts"

/** One line, or one fence with all its lines. `line` is 1-based, `text` is the line as it stands. */
export type TaskLine = { readonly line: number; readonly text: string } & (
  | { readonly kind: "blank" }
  | { readonly kind: "rule" | "comment"; readonly indent: number }
  | { readonly kind: "heading" }
  | { readonly kind: "label"; readonly label: LabelledLine }
  | { readonly kind: "item" | "text"; readonly indent: number; readonly rest: string }
  | { readonly kind: "fence"; readonly fence: Fence; readonly afterLabel: boolean }
)

const classify = (text: string, line: number): TaskLine => {
  if (isBlank(text)) return { kind: "blank", line, text }
  const indent = indentOf(text)
  const hashes = indent === 0 ? readHashes(text) : undefined
  if (hashes?.spaced === true) return { kind: "heading", line, text: hashes.text }
  if (isRule(text)) return { kind: "rule", line, text, indent }
  if (isComment(text)) return { kind: "comment", line, text, indent }
  const label = readLabel(text)
  if (label !== undefined) return { kind: "label", line, text, label }
  const { marker, rest } = readBullets(text)
  return { kind: marker === "none" ? "text" : "item", line, text, indent, rest }
}

const fenceLines = (fence: Fence, line: number): ReadonlyArray<TaskLine> => {
  const label = readLabel(fence.lead)
  const text = fence.source[0] ?? ""
  if (label === undefined) return [{ kind: "fence", line, text, fence, afterLabel: false }]
  const [opening = "", ...rest] = fence.source
  const moved = { ...fence, source: [" ".repeat(label.content) + opening.slice(fence.lead.length), ...rest] }
  return [
    { kind: "label", line, text: fence.lead, label },
    { kind: "fence", line, text, fence: moved, afterLabel: true }
  ]
}

/** Classifies a range of the lines of a document; `before` is the number of lines before the first of `lines`. */
export const classifyLines = (
  lines: ReadonlyArray<string>,
  first: number,
  last: number,
  fences: ReadonlyMap<number, Fence>,
  before = 0
): ReadonlyArray<TaskLine> => {
  const result: Array<TaskLine> = []
  for (let index = first; index < last; index += 1) {
    const fence = fences.get(index)
    if (fence === undefined) {
      result.push(classify(lines[index] ?? "", before + index + 1))
      continue
    }
    result.push(...fenceLines(fence, before + index + 1))
    index = fence.last
  }
  return result
}

/** Classifies the lines of a text on its own; `line` is the line before its first. */
export const taskLines = (lines: ReadonlyArray<string>, line: number): ReadonlyArray<TaskLine> => {
  const fences = new Map(findFences(lines, () => false).map((fence) => [fence.first, fence]))
  return classifyLines(lines, 0, lines.length, fences, line)
}
