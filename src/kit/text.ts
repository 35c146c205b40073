/**
 * Cutting, comparing and escaping texts, JSON, and Markdown. Imported as "task-conductor/kit/text". Every version may
 * change it, so only features, and packages of exactly this version, may import it.
 */

/* JSON, and descriptions of wrong values. */
export {
  canonicalJson,
  isNestedTooDeep,
  maxNesting,
  outputJson,
  snakeCase,
  textNestedTooDeep
} from "../domain/text/Json.ts"
export { type JsonProblem, readJson } from "../domain/text/JsonText.ts"
export { modelText, pathText, schemaErrorText, schemaFaults, schemaProblems } from "../domain/text/SchemaText.ts"

/* Cleans text from untrusted sources: escapes, invisible characters, secrets. */
export { unescaped } from "../domain/text/PercentEscapes.ts"
export { harmless, printable, printableJson, printableLines } from "../domain/text/Printable.ts"
export { makeValueRedaction, redacted } from "../domain/text/Redaction.ts"
export { decodeText } from "../domain/text/TextEncoding.ts"

/* Cutting, comparing and measuring texts; numbers as words. */
export { compareCodePoints } from "../domain/text/CodePointOrder.ts"
export { cutAtParagraph, shorten } from "../domain/text/Excerpt.ts"
export { belowHome, secondsText, shortDurationText, withoutProject } from "../domain/text/Format.ts"
export { nearest } from "../domain/text/Nearest.ts"
export { forgivingSlug, slugOf } from "../domain/text/Slug.ts"
export { cutText, textWidth, wrapLine } from "../domain/text/TextWidth.ts"

/* Markdown. */
export { isParsable, linksOf, parseMarkdown } from "../domain/markdown/MarkdownTree.ts"
export { fencedBlocks, outline, proseLines } from "../domain/markdown/Outline.ts"
export { fenced } from "../domain/markdown/PromptBlock.ts"
export { bodyOf, textUnder } from "../domain/markdown/Sections.ts"
