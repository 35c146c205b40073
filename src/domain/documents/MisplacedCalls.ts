/**
 * Finds tool calls of a refinement that stand where no call is read: under the task when there is no other place for them,
 * before the first heading, under headings that nobody reads. They would never run, so each is an issue.
 */
import { landmarkEnd, noteIgnoredSections, type SectionSpan } from "../grammar/DocumentSections.ts"
import { addIssue, type Findings } from "../findings/IssueCode.ts"
import type { MarkdownDocument, MarkdownSection } from "../markdown/Markdown.ts"
import { isBlank } from "../markdown/MarkdownLines.ts"
import { holdsCall, mentionsCall } from "../tools/ToolCallTraces.ts"

/** A line on which a call without a code block may start. */
const loose = /^\s*(?:[-*+]\s+)?`?(?:\{|\[\s*(?:\{|TOOL_CALLS)|<(?:tool_call|function_call|function=|invoke))/

interface FoundCall {
  /** 0-based. */
  readonly index: number
  readonly text: string
}

const looseCall = (document: MarkdownDocument, first: number, last: number): string => {
  let end = first
  while (end < last && !document.fences.has(end) && !isBlank(document.lines[end] ?? "")) end += 1
  return document.lines.slice(first, end).join("\n")
}

const callsIn = (document: MarkdownDocument, { first, last }: SectionSpan): ReadonlyArray<FoundCall> => {
  const found: Array<FoundCall> = []
  for (let index = first; index < last; index += 1) {
    const fence = document.fences.get(index)
    if (fence !== undefined) {
      if (holdsCall(fence.text)) found.push({ index, text: fence.text })
      index = fence.last
    } else if (loose.test(document.lines[index] ?? "")) {
      const text = looseCall(document, index, last)
      if (mentionsCall(text)) found.push({ index, text })
      index += text.split("\n").length - 1
    }
  }
  return found
}

/** Records calls that stand outside of `calls`; those under `task` only when there is no section for calls. */
export const checkMisplacedCalls = (
  document: MarkdownDocument,
  task: MarkdownSection | undefined,
  calls: MarkdownSection | undefined,
  findings: Findings
): void => {
  const ignored = noteIgnoredSections(document, Infinity, findings)
  const spans =
    calls === undefined
      ? [
          { heading: "", first: 0, last: (document.sections[0]?.line ?? document.lines.length + 1) - 1 },
          ...(task === undefined
            ? []
            : [{ heading: task.heading, first: task.first, last: landmarkEnd(document, task) }]),
          ...ignored
        ]
      : ignored.filter(({ first }) => first > calls.line)
  for (const span of spans) {
    for (const { index, text } of callsIn(document, span)) {
      const where = { ...(span.heading === "" ? {} : { section: span.heading }), line: index + 1 }
      addIssue(findings, "tool-call-misplaced", where, {
        what: `A tool call stands ${span.heading === "" ? "before the first heading" : `under "${span.heading}"`} and would never run.`,
        quote: text
      })
    }
  }
}
