/**
 * The titles of task sections as a strict document writes them, and whether their numbers agree with their order.
 */
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import type { MarkdownSection } from "../markdown/Markdown.ts"

const otherTitle =
  /^(?:\d+[.)]?\s*)?(?:tasks?[\s-]*)?(?:section|step|phase|stage|group)s?\s*#?\s*(\d*)\s*[:.–—-]*\s*(.*)$/i

/** `TASK SECTION #1`, and a colon with nothing after it. */
const writtenTitle = /^[^\p{L}\p{N}]*task[\s_-]*section(?:\s*[#_-]?\s*(\d+))?(?:\s*[:.]$)?/iu

const strictTitle = ({ heading, landmark }: MarkdownSection, position: number): string => {
  if (landmark?.key !== "task-section") return heading
  if (landmark.exact)
    return heading.replace(writtenTitle, (_, number: string = "") => `Task section${number === "" ? "" : ` ${number}`}`)
  const [, number = "", suffix = ""] = otherTitle.exec(heading) ?? []
  return `Task section ${number === "" ? position + 1 : number}${suffix === "" ? "" : `: ${suffix}`}`
}

const numberIn = /^(task[\s_-]*section[\s_-]*#?)(\d{1,9})(?!\d)/i

/** Strict titles in order. Falling numbers are an issue, repeated ones are counted on. */
export const sectionTitles = (sections: ReadonlyArray<MarkdownSection>, findings: Findings): ReadonlyArray<string> => {
  let written = -1
  let counted = -1
  return sections.map((section, position) => {
    const title = strictTitle(section, position)
    const where = { section: title, line: section.line }
    const number = Number(numberIn.exec(title)?.[2] ?? Number.NaN)
    if (Number.isNaN(number)) return title
    if (number < written) {
      addIssue(findings, "section-order", where, {
        what: `The section "${title}" stands after section ${written}.`
      })
    }
    if (number === written)
      addRepair(findings, "section-number", where, "Counted on where two sections have the same number.")
    written = number
    counted = Math.max(number, counted + 1)
    return number === counted ? title : title.replace(numberIn, `$1${counted}`)
  })
}
