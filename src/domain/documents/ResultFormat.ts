/**
 * The result document: what an executor answers. `## Result summary` is required and becomes the task's result; the whole
 * document is kept.
 */
import * as Option from "effect/Option"
import { addMissingSection, checkStrayFences, lastSection, sectionSource } from "../grammar/DocumentSections.ts"
import type { Reading } from "../findings/Issue.ts"
import { addIssue, type Findings, inDocumentOrder } from "../findings/IssueCode.ts"
import { resultHeadings } from "../markdown/KnownHeadings.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { isPlaceholder } from "../grammar/TextEscaping.ts"
import type { ResultDocument } from "../plan/TaskResult.ts"

/** Reads the answer of an executor. */
export const readResult = (text: string): Reading<ResultDocument> => {
  const document = readMarkdown(text, { knownHeadings: resultHeadings })
  const findings: Findings = { issues: [...document.issues], repairs: [...document.repairs] }
  const section = lastSection(document, "result-summary", findings)
  if (section === undefined) {
    if (document.issues.length === 0) addMissingSection(document, "Result summary", findings)
    return { value: Option.none(), ...inDocumentOrder(findings) }
  }
  checkStrayFences(document, section, findings)
  const summary = sectionSource(document, section)
  if (summary === "" || isPlaceholder(summary)) {
    addIssue(
      findings,
      "section-empty",
      { section: section.heading, line: section.line },
      {
        what: `The section "${section.heading}" is empty.`,
        how: "Say in a few sentences what was found or done."
      }
    )
    return { value: Option.none(), ...inDocumentOrder(findings) }
  }
  return { value: Option.some({ summary, document: document.text.trim() }), ...inDocumentOrder(findings) }
}
