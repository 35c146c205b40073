/**
 * Answers of a refinement that are nothing but tool calls: a block, an object, or the tags of another program, without any
 * heading. With a planned task there is one thing that they can mean.
 */
import * as Result from "effect/Result"
import type { Where } from "../findings/Issue.ts"
import type { MarkdownDocument } from "../markdown/Markdown.ts"
import { holdsCall } from "../tools/ToolCallTraces.ts"
import { readBlock } from "../tools/ToolCallJson.ts"

const heading = "## Tool Calls\n\n"
const added = heading.split("\n").length - 1

/** Findings with their places in the answer, from those in the text with the heading. */
export const placedInAnswer = <A extends { readonly where: Where }>(found: ReadonlyArray<A>): ReadonlyArray<A> =>
  found.map((one) => {
    const { line } = one.where
    return line === undefined
      ? one
      : Object.assign({}, one, { where: { ...one.where, line: Math.max(1, line - added) } })
  })

const marks = /<\/?(?:tool|function)_call>|^\s*\[TOOL_CALLS\]|<\|python_tag\|>/g

/** True for text that is JSON of calls from its first to its last character, but for marks around calls. */
const isOnlyCalls = (text: string): boolean => {
  const bare = text.replace(marks, "\n")
  return /^\s*[{[]/.test(bare) && Result.isSuccess(readBlock(bare)) && holdsCall(bare)
}

/** The answer with the heading of the calls, when it is nothing else than calls. */
export const callsAlone = ({ fences, lines, sections, text }: MarkdownDocument): string | undefined => {
  if (sections.length > 0) return undefined
  const blocks = [...new Set(fences.values())]
  const isOutside = lines.some((line, index) => !fences.has(index) && !line.isBlank)
  const isBlocks = blocks.length > 0 && !isOutside && blocks.every((block) => isOnlyCalls(block.text))
  if (!isBlocks && (blocks.length > 0 || !isOnlyCalls(text))) return undefined
  return `${heading}${text.replaceAll("<|python_tag|>", "")}`
}
