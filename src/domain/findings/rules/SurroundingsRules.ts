/** The rules of the family `surroundings`, in the order of their page. */
import { documentTooLarge } from "./surroundings/DocumentTooLarge.ts"
import { fenceUnclosed } from "./surroundings/FenceUnclosed.ts"
import { byteOrderMark } from "./surroundings/ByteOrderMark.ts"
import { lineEndings } from "./surroundings/LineEndings.ts"
import { thinkingRemoved } from "./surroundings/ThinkingRemoved.ts"
import { fenceUnwrapped } from "./surroundings/FenceUnwrapped.ts"
import { fenceClosed } from "./surroundings/FenceClosed.ts"
import { fenceIgnored } from "./surroundings/FenceIgnored.ts"
import { quoteUnwrapped } from "./surroundings/QuoteUnwrapped.ts"
import { indentationRemoved } from "./surroundings/IndentationRemoved.ts"
import { preambleIgnored } from "./surroundings/PreambleIgnored.ts"

export const surroundingsRules = {
  family: "surroundings",
  title: "What surrounds an answer",
  about:
    "A model puts things around its answer that are not the answer: thoughts, talk, a code block around everything. They are taken off, and line numbers stay those of the text as it came.",
  rules: [
    documentTooLarge,
    fenceUnclosed,
    byteOrderMark,
    lineEndings,
    thinkingRemoved,
    fenceUnwrapped,
    fenceClosed,
    fenceIgnored,
    quoteUnwrapped,
    indentationRemoved,
    preambleIgnored
  ]
} as const
