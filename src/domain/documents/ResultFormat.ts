/**
 * The result document: the answer of an executor. `## Result summary` is required and becomes the task's result; the whole
 * document is kept.
 */
import type { Reading } from "../findings/Issue.ts"
import { DocumentReader } from "../grammar/DocumentReader.ts"
import { isPlaceholder } from "../grammar/Placeholder.ts"
import { resultHeadings } from "../markdown/MarkdownHeadings.ts"
import type { ResultDocument } from "../plan/TaskResult.ts"

export const readResult = (text: string): Reading<ResultDocument> => {
  const reader = new DocumentReader(text, { knownHeadings: resultHeadings })
  const { document, findings } = reader
  const section = reader.section("result-summary")
  if (section === undefined) {
    if (findings.issues.length === 0) reader.addMissing("Result summary")
    return reader.reading()
  }
  reader.checkFences(section)
  const summary = reader.sourceOf(section)
  if (summary !== "" && !isPlaceholder(summary)) return reader.reading({ summary, document: document.text.trim() })
  reader.addEmpty(section, "Say in a few sentences what was found or done.")
  return reader.reading()
}
