/**
 * The result document: what an executor answers. `## Result summary` is required and becomes the task's result; the whole
 * document is kept.
 */
import type { Reading } from "../findings/Issue.ts"
import type { Findings } from "../findings/IssueCode.ts"
import {
  addEmptySection,
  addMissingSection,
  checkStrayFences,
  lastSection,
  reading,
  sectionSource
} from "../grammar/DocumentSections.ts"
import { isPlaceholder } from "../grammar/TextEscaping.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { resultHeadings } from "../markdown/MarkdownHeadings.ts"
import type { ResultDocument } from "../plan/TaskResult.ts"

/** Reads the answer of an executor. */
export const readResult = (text: string): Reading<ResultDocument> => {
  const document = readMarkdown(text, { knownHeadings: resultHeadings })
  const findings: Findings = { issues: [...document.issues], repairs: [...document.repairs] }
  const section = lastSection(document, "result-summary", findings)
  if (section === undefined) {
    if (document.issues.length === 0) addMissingSection(document, "Result summary", findings)
    return reading(findings)
  }
  checkStrayFences(document, section, findings)
  const summary = sectionSource(document, section)
  if (summary !== "" && !isPlaceholder(summary)) return reading(findings, { summary, document: document.text.trim() })
  addEmptySection(section, "Say in a few sentences what was found or done.", findings)
  return reading(findings)
}
