/**
 * How the document of a stage announces itself: by a heading, a code block, or a line that belongs to it. The stages name
 * the shape they wait for, domain/documents/AnswerWatch looks for it while the answer is written.
 */
import { type KnownHeadings, refinementHeadings, resultHeadings, taskListHeadings } from "../markdown/KnownHeadings.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { openingOf } from "../markdown/MarkdownFences.ts"
import { readBullets } from "../markdown/MarkdownLines.ts"
import { isField } from "../grammar/TaskFields.ts"

export interface AnswerShape {
  /** The heading that the strict document begins with. */
  readonly begins: string
  readonly knownHeadings: KnownHeadings
  /** True for a line that only this kind of document has. */
  readonly isPart: (line: string) => boolean
}

export const taskListShape: AnswerShape = {
  begins: "## Original prompt",
  knownHeadings: taskListHeadings,
  isPart: isField
}

export const refinementShape: AnswerShape = { begins: "## Task", knownHeadings: refinementHeadings, isPart: isField }

/** A result may be any report before its summary, so any list counts. */
export const resultShape: AnswerShape = {
  begins: "## Result summary",
  knownHeadings: resultHeadings,
  isPart: (line) => readBullets(line).marker !== "none"
}

/** True when the document may have begun on this line. `before` is the line above, which may be underlined by it. */
export const isSign = ({ isPart, knownHeadings }: AnswerShape, before: string, line: string): boolean =>
  openingOf(line) !== undefined ||
  isPart(line) ||
  readMarkdown(`${before}\n${line}`, { knownHeadings }).sections.length > 0
