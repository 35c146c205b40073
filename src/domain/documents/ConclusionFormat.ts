/**
 * The conclusion: the answer to the prompt in free markdown. It has no grammar, but it is no document of another stage,
 * and it holds text.
 */
import * as Option from "effect/Option"
import type { Reading } from "../findings/Issue.ts"
import { addIssue } from "../findings/IssueCode.ts"
import { type MarkdownDocument, readMarkdown } from "../markdown/Markdown.ts"
import { type KnownHeadings, refinementHeadings, taskListHeadings } from "../markdown/MarkdownHeadings.ts"

const documents = [
  { name: "a task list", knownHeadings: taskListHeadings, begins: ["original-prompt"], holds: "tasks" },
  { name: "a refinement", knownHeadings: refinementHeadings, begins: ["task", "tool-calls"], holds: "tool-calls" }
]

const exactKey = (knownHeadings: KnownHeadings, heading: string): string | undefined => {
  const known = knownHeadings(heading)
  return known?.exact === true ? known.key : undefined
}

/** The document of another stage that a text is; nothing when it begins otherwise, whatever follows. */
const otherDocument = ({ lines, sections }: MarkdownDocument): string | undefined => {
  const first = lines.findIndex((line) => !line.isBlank)
  if (sections[0]?.line !== first + 1) return undefined
  return documents.find(({ begins, holds, knownHeadings }) => {
    const keys = sections.map(({ heading }) => exactKey(knownHeadings, heading))
    return begins.includes(keys[0] ?? "") && keys.includes(holds)
  })?.name
}

/** True when nothing is left without blank lines and the lines of fences. */
const isBlank = ({ fences, lines }: MarkdownDocument): boolean =>
  lines.every((line, index) => line.isBlank || (fences.has(index) && line.opening !== undefined))

/** What models say instead of answering, although the work has been done. */
const refusal =
  /\b(?:I (?:cannot|can't|can not|am unable to|am not able to|do not have access|don't have access)|I'm (?:unable|not able) to|as an AI)\b/i

/** True for an answer that links nothing and begins by saying that its author can do nothing. */
const isRefusal = ({ text }: MarkdownDocument): boolean =>
  !/\]\([^)\s]+\)/.test(text) && refusal.test(text.slice(0, 400))

/** Reads the answer to the prompt; `hasResults` tells whether there is work that it must report. */
export const readConclusion = (answer: string, { hasResults = false } = {}): Reading<string> => {
  const document = readMarkdown(answer)
  const findings = { issues: [...document.issues], repairs: [...document.repairs] }
  if (findings.issues.length > 0) return { value: Option.none(), ...findings }
  const other = otherDocument(document)
  if (isBlank(document)) addIssue(findings, "answer-empty", {}, { what: "The answer holds no text." })
  else if (other !== undefined) {
    addIssue(findings, "answer-shape", {}, { what: `The answer is ${other}.`, how: "Write the answer to the prompt." })
  }
  if (findings.issues.length === 0 && hasResults && isRefusal(document)) {
    addIssue(
      findings,
      "answer-shape",
      {},
      {
        what: "The answer says that the work cannot be done, but the tasks have done it: their results are in the prompt.",
        how: "Answer the prompt from the results, with their links."
      }
    )
  }
  return { value: Option.some(document.text.trim()), ...findings }
}
