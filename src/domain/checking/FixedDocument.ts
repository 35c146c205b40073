/**
 * Writes a document without the deviations that its reader repaired, for `check --fix`. The new text is read again before
 * it is returned: the meaning of a document never changes.
 */
import * as Option from "effect/Option"
import { type RefinementDocument, readRefinement } from "../documents/RefinementFormat.ts"
import { headedResult } from "../documents/ResultFormat.ts"
import { readTaskList } from "../documents/TaskListFormat.ts"
import { renderTask, renderTaskList } from "../documents/TaskRendering.ts"
import { DocumentReader } from "../grammar/DocumentReader.ts"
import { textOfLines } from "../markdown/Markdown.ts"
import { resultHeadings, taskListHeadings } from "../markdown/MarkdownHeadings.ts"
import type { TaskList } from "../plan/TaskList.ts"
import { checkDocument, type CheckOptions, type CheckReport, type DocumentKind } from "./CheckReport.ts"

/** A report with the text that needs none of its repairs; the text as it was when there is nothing to fix. */
export interface FixedDocument {
  readonly report: CheckReport
  readonly text: string
}

/** The prompt of a list: everything up to the next part of the document, without a fence around all of it. */
const promptOf = (text: string): string => {
  const reader = new DocumentReader(text, { knownHeadings: taskListHeadings, hasFields: true })
  const { document } = reader
  const [prompt, ...others] = ["original-prompt", "goals", "tasks", "issues"].map((key) => reader.section(key))
  if (prompt === undefined) return ""
  const next = others.flatMap((part) => (part !== undefined && part.line > prompt.line ? [part.line - 1] : []))
  const inside = document.lines.slice(prompt.first, Math.min(document.lines.length, ...next))
  const first = prompt.first + inside.findIndex((line) => !line.isBlank)
  const last = prompt.first + inside.findLastIndex((line) => !line.isBlank)
  if (last < prompt.first) return ""
  const fence = document.fences.get(first)
  return fence?.first === first && fence.last === last ? fence.text : textOfLines(document, first, last + 1)
}

/** The whole result with its heading in the strict form, or at its own level when the strict one would own more text. */
const renderResult = (written: string): ReadonlyArray<string> => {
  const text = headedResult(written) ?? written
  const reader = new DocumentReader(text, { knownHeadings: resultHeadings })
  const { document } = reader
  const section = reader.section("result-summary")
  if (section === undefined) return []
  const { depth, first, heading, known, lead, line } = section
  const title = known?.title ?? heading
  const before = line === 1 ? "" : `${textOfLines(document, 0, line - 1)}\n`
  const after = `${lead === "" ? "" : `\n\n${lead}`}\n${textOfLines(document, first)}`
  return [2, depth].map((level) => `${`${before}${"#".repeat(level)} ${title}${after}`.trim()}\n`)
}

/** The strict forms of values that were read; `text` is the document that they were read from. */
export const renderFixedList = (text: string, list: TaskList): ReadonlyArray<string> => [
  renderTaskList(list, { prompt: promptOf(text) })
]
export const renderFixedRefinement = (refinement: RefinementDocument): ReadonlyArray<string> => [
  `${renderTask(refinement.task, { _tag: "RefinementRetry", ...refinement })}\n`
]

/** Texts that should mean the same, best first. */
const render = (kind: DocumentKind, text: string, { finished = [] }: CheckOptions): ReadonlyArray<string> => {
  switch (kind) {
    case "task-list": {
      const list = Option.getOrUndefined(readTaskList(text, { finished, headings: [] }).value)
      return list === undefined ? [] : renderFixedList(text, list)
    }
    case "refinement": {
      const refinement = Option.getOrUndefined(readRefinement(text).value)
      return refinement === undefined ? [] : renderFixedRefinement(refinement)
    }
    case "result":
      return renderResult(text)
  }
}

/** True when a text reads back as the same value with fewer repairs. */
export const isBetter = (before: CheckReport, again: CheckReport): boolean =>
  again.verdict !== "rejected" &&
  JSON.stringify(again.value) === JSON.stringify(before.value) &&
  again.repairs.length < before.repairs.length

/**
 * Checks a document and fixes it when there are only repairs. A rejected document is left as it is, and so is one that
 * would not read back as the same value with fewer repairs.
 */
export const fixDocument = (kind: DocumentKind, text: string, options: CheckOptions = {}): FixedDocument => {
  const report = checkDocument(kind, text, options)
  const isFix = (candidate: string): boolean => isBetter(report, checkDocument(kind, candidate, options))
  const fixed = report.verdict === "repaired" ? render(kind, text, options).find(isFix) : undefined
  return { report, text: fixed ?? text }
}
