/**
 * The result document: the answer of an executor. `## Result summary` is required and becomes the task's result; the whole
 * document is kept.
 */
import type { Reading } from "../findings/Issue.ts"
import { inDocumentOrder } from "../findings/IssueCode.ts"
import { DocumentReader } from "../grammar/DocumentReader.ts"
import { isPlaceholder } from "../grammar/Placeholder.ts"
import { resultHeadings } from "../markdown/MarkdownHeadings.ts"
import type { ResultDocument } from "../plan/TaskResult.ts"

/** The heading as a label, without any mark, on the first line of the answer. */
const labelled = /^\s*result summary[ \t]*[:：][ \t]*(?=\S|\n)/i

/** The result under a heading, when the answer begins with the label in its place; nothing otherwise. */
export const headedResult = (text: string): string | undefined => {
  const { document, findings } = new DocumentReader(text, { knownHeadings: resultHeadings })
  const isHeaded = document.sections.some(({ known }) => known !== undefined)
  return isHeaded || findings.issues.length > 0 || !labelled.test(document.text)
    ? undefined
    : document.text.replace(labelled, "## Result summary\n")
}

export const readResult = (text: string): Reading<ResultDocument> => {
  const reader = new DocumentReader(text, { knownHeadings: resultHeadings })
  const { document, findings } = reader
  const section = reader.section("result-summary")
  const headed = section === undefined ? headedResult(text) : undefined
  if (headed !== undefined) {
    reader.repair("heading-form", {}, 'Read the first line as the heading "## Result summary".')
    const { issues, repairs, value } = readResult(headed)
    // The label is the beginning of the result, not text before it.
    const own = findings.repairs.filter(({ code }) => code !== "preamble-ignored")
    return { value, ...inDocumentOrder({ issues, repairs: [...own, ...repairs] }) }
  }
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
