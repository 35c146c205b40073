/** Reads the result of a task. `## Result summary` is required. The program keeps the whole document. */
import { type Reading, inDocumentOrder } from "../findings/Issue.ts"
import { DocumentReader } from "../grammar/DocumentReader.ts"
import { isPlaceholder } from "../grammar/FieldValues.ts"
import type { MarkdownDocument } from "../markdown/Markdown.ts"
import { visibleText } from "../markdown/HiddenText.ts"
import { resultHeadings } from "../markdown/MarkdownHeadings.ts"
import type { ResultDocument } from "../plan/TaskResult.ts"
import { mentionsCall } from "../tools/ToolCallTraces.ts"
import { noEnd, unwrapped } from "./NoEnd.ts"
import { repeatedText, withoutRepeats } from "./RepeatedParagraphs.ts"

const marks = /(?:\*\*|__)?/.source
const labelEnd = `[ \\t]*(?:(?:\\*\\*|__)[ \\t]*[:：]|[:：][ \\t]*${marks})[ \\t]*(?=\\S|$)`
/** "Result summary:" as a label at the beginning of a line. */
const label = new RegExp(`^[ \\t]*${marks}result summary${labelEnd}`, "i")
/** "Summary:" or "Result:" as a label, accepted only on the first line of an answer. */
const otherLabel = new RegExp(`^[ \\t]*${marks}(?:summary|results?)${labelEnd}`, "i")

/** A document under an added heading, with the repair that added it. */
interface Headed {
  readonly text: string
  readonly code: "heading-form" | "summary-unheaded"
  readonly message: string
}

/** The index of the only line with the label "Result summary". Undefined if none or several have it. */
const labelledLine = ({ fences, lines }: MarkdownDocument): number | undefined => {
  const [at, ...others] = lines.flatMap(({ text }, index) => (!fences.has(index) && label.test(text) ? [index] : []))
  if (at !== undefined) return others.length === 0 ? at : undefined
  const first = lines.findIndex((line) => !line.isBlank)
  return !fences.has(first) && otherLabel.test(lines[first]?.text ?? "") ? first : undefined
}

/** Phrases of a model that has not done the work, or that asks for something. */
const noResult =
  /\b(?:I (?:cannot|can't|can not|could not|couldn't|am unable to|am not able to|do not have|don't have|need|will|would|am going to|should|must)|I['’](?:ll|m (?:unable|not able|going))|as an AI|let me(?! know)|let['’]s|please (?:provide|share|send|give)|could you|can you|would you)\b/i

/** Three words in a row. */
const sentence = /\p{L}+[ \n]+\p{L}+[ \n]+\p{L}+/u
// oxlint-disable-next-line no-control-regex -- a string with control characters is no report
const control = /[\u0000-\u0008\u000b-\u001f\u007f\ufffd]/
/** The end of a sentence, a block or a list item. A text that was cut off does not end like this. */
const endOfReport = /[.!)\]`*_"”’|]$|(?:^|\n)\s*(?:[-*+]|\d+[.)])\s[^\n?:,;]*[^\n?:,;\s]$/

/** True for prose that reports work and contains no call, question or other document. */
const isReport = ({ fences, lines, sections, text }: MarkdownDocument): boolean => {
  const prose = lines.flatMap((line, index) => (fences.has(index) ? [] : [line.text])).join("\n")
  return (
    sections.length === 0 &&
    sentence.test(prose) &&
    !control.test(prose) &&
    endOfReport.test(text.trim()) &&
    !/^\s*[{[<]/.test(prose) &&
    !mentionsCall(prose) &&
    !noResult.test(prose) &&
    !lines.some((line) => line.isField || label.test(line.text)) &&
    ![...fences.values()].some((fence) => /^#{1,6} /m.test(fence.text))
  )
}

/** The result under an added heading. Undefined if the place of the heading is unclear. */
const withHeading = ({ document, findings }: DocumentReader): Headed | undefined => {
  const { lines, sections, text } = document
  if (sections.some(({ knownHeading }) => knownHeading !== undefined) || findings.issues.length > 0) return undefined
  const at = labelledLine(document)
  if (at !== undefined) {
    const headed = lines.map((line, index) =>
      index === at
        ? line.text.replace(label, "## Result summary\n").replace(otherLabel, "## Result summary\n")
        : line.text
    )
    const message = 'Read the label as the heading "## Result summary".'
    return { text: headed.join("\n"), code: "heading-form", message }
  }
  const message = "Read the whole answer as the summary."
  return isReport(document)
    ? { text: `## Result summary\n\n${text.trim()}\n`, code: "summary-unheaded", message }
    : undefined
}

/**
 * The result under an added heading. Undefined if the result already has its heading, or if the place of the heading is
 * unclear.
 */
export const headedResult = (text: string): string | undefined =>
  withHeading(new DocumentReader(text, { knownHeadings: resultHeadings }))?.text

const saysSomething = (text: string): boolean =>
  /[^\s\p{P}\p{S}]/u.test(visibleText(text).replace(/<\/[a-z][^<>]*>/gi, ""))

export const readResult = (text: string): Reading<ResultDocument> => {
  const reader = new DocumentReader(text, { knownHeadings: resultHeadings }, true)
  const { document, findings } = reader
  if (findings.issues.length > 0) return reader.reading()
  const section = reader.section("result-summary")
  const headed = section === undefined ? withHeading(reader) : undefined
  if (headed !== undefined) {
    reader.repair(headed.code, {}, headed.message)
    const { issues, repairs, value } = readResult(headed.text)
    // The first reading, without a heading, found only a preamble. The repair of that preamble no longer applies.
    const own = findings.repairs.filter(({ code }) => code !== "preamble-ignored")
    return { value, ...inDocumentOrder({ issues, repairs: [...own, ...repairs] }) }
  }
  if (section === undefined) {
    if (findings.issues.length === 0) reader.addMissing("Result summary")
    return reader.reading()
  }
  reader.checkFences(section)
  const summary = reader.sourceOf(section)
  const end =
    unwrapped(summary) === undefined
      ? noEnd(summary)
      : { what: "It is an object around its text.", how: "Write the text itself." }
  if (end !== undefined && !isPlaceholder(summary)) {
    reader.issue(
      "answer-unfinished",
      { section: section.heading, line: section.line },
      `The summary is none. ${end.what}`,
      { how: end.how, quote: summary }
    )
    return reader.reading()
  }
  if (saysSomething(summary) && !isPlaceholder(summary)) {
    const whole = withoutRepeats(document.text.trim())
    if (whole.dropped > 0) reader.repair("answer-repeats", {}, repeatedText(whole.dropped))
    return reader.reading({ summary: withoutRepeats(summary).text, document: whole.text })
  }
  reader.addEmpty(section, "Say in a few sentences what was found or done.")
  return reader.reading()
}
