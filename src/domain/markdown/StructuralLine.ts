/**
 * Lines that a reader of documents takes for a part of their structure. Free text is written so that none of its lines is one.
 */
import type { Line } from "./Line.ts"
import { isThinkingTag } from "./MarkdownCleaning.ts"
import { isKnownHeadingText } from "./MarkdownHeadings.ts"

/** True for a line that is a heading of some document, in whatever form. */
export const isHeadingLine = ({ hashes, text }: Line): boolean =>
  hashes !== undefined || isKnownHeadingText(text.trim().replace(/^(?:\*\*|__)|(?:\*\*|__):?$/g, ""))

/** True for a heading, a field, a fence, a rule, a comment or a tag of thoughts; a backslash before it makes it text. */
export const isStructural = (line: Line): boolean =>
  !line.isBlank &&
  !/^\s*\\/.test(line.text) &&
  (line.isRule ||
    line.isComment ||
    isThinkingTag(line.text) ||
    line.opening !== undefined ||
    (line.isField && line.label?.match !== "near") ||
    isHeadingLine(line))
