/**
 * Answers of a refinement that are nothing but tool calls: a block, an object, or the tags of another program, without any
 * heading. With a planned task there is one thing that they can mean.
 */
import * as Result from "effect/Result"
import type { Where } from "../findings/Issue.ts"
import { noFindings } from "../findings/IssueCode.ts"
import type { Fence } from "../markdown/Line.ts"
import type { MarkdownDocument } from "../markdown/Markdown.ts"
import { joinBlocks, readFencedCalls, holdsCall, isFlatCall } from "../tools/ToolCallTraces.ts"
import { markedCalls } from "../tools/MarkedCalls.ts"
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

/** True for text that is calls from its first to its last character, but for marks around them. */
const isOnlyCalls = (text: string): boolean =>
  (markedCalls(text)?.map(({ json }) => json) ?? [text]).every(
    (call) => /^\s*[{[]/.test(call) && Result.isSuccess(readBlock(call)) && (holdsCall(call) || isFlatCall(call))
  )

/** True for blocks of calls of which one has the content of a file in the block after it. */
const isCallsWithContent = (blocks: ReadonlyArray<Fence>): boolean => {
  const findings = noFindings()
  const read = blocks.map(({ closed, text }) => readFencedCalls(text, closed, {}))
  const others = blocks.filter(({ text }) => !isOnlyCalls(text))
  return joinBlocks(read, findings).length > 0 && others.length === 1 && findings.issues.length === 0
}

/** The answer with the heading of the calls, when it is nothing else than calls. */
export const callsAlone = ({ fences, lines, sections, text }: MarkdownDocument): string | undefined => {
  if (sections.length > 0) return undefined
  const blocks = [...new Set(fences.values())]
  const isOutside = lines.some((line, index) => !fences.has(index) && !line.isBlank)
  const isBlocks =
    blocks.length > 0 && !isOutside && (blocks.every(({ text: one }) => isOnlyCalls(one)) || isCallsWithContent(blocks))
  if (!isBlocks && (blocks.length > 0 || !isOnlyCalls(text))) return undefined
  return `${heading}${text}`
}
