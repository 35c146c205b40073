/**
 * Reads blocks of calls that belong together. A call that writes a file may have the content of the file in the block after
 * it, which spares a model the quotes and line breaks of JSON.
 */
import type { Where } from "../findings/Issue.ts"
import { addRepair, type Findings, noFindings } from "../findings/IssueCode.ts"
import { meantTool } from "./ArgumentNames.ts"
import { readCallBlock, type UnnumberedCall } from "./ToolCallFormat.ts"
import { holdsCall } from "./ToolCallTraces.ts"

/** What one block gave; `content` is its text when it may be the content of a file. */
export interface ReadBlock {
  readonly calls: ReadonlyArray<UnnumberedCall>
  readonly findings: Findings
  readonly content?: string
}

/** Reads a fenced block by itself. A block that is cut off is no content. */
export const readFencedCalls = (text: string, closed: boolean, where: Where): ReadBlock => {
  const findings = noFindings()
  const calls = readCallBlock(text, where, findings)
  const isContent = closed && calls.length === 0 && text.trim() !== "" && !holdsCall(text)
  return { calls, findings, ...(isContent ? { content: text } : {}) }
}

const writer = "write_file"
const contentNames = new Set(["content", "contents", "text", "filetext", "body", "data"])

const lacksContent = ({ arguments: given, name }: UnnumberedCall): boolean =>
  meantTool(name, [writer]) === writer &&
  Object.keys(given).length > 0 &&
  !Object.keys(given).some((key) => contentNames.has(key.toLowerCase().replace(/[-_]/g, "")))

/** The position of the only block that is the content of the only call that lacks it; -1 when that is not clear. */
const findContent = (blocks: ReadonlyArray<ReadBlock>): number => {
  const at = blocks.findIndex(({ content }) => content !== undefined)
  const isOnly = blocks.every(({ calls }, index) => index === at || calls.length > 0)
  const lacking = blocks.flatMap(({ calls }) => calls.filter(lacksContent))
  const before = blocks[at - 1]?.calls ?? []
  return isOnly && lacking.length === 1 && before.length === 1 && before[0] === lacking[0] ? at : -1
}

/** The calls of all blocks in order. */
export const joinBlocks = (blocks: ReadonlyArray<ReadBlock>, findings: Findings): ReadonlyArray<UnnumberedCall> => {
  const at = findContent(blocks)
  const content = blocks[at]?.content
  return blocks.flatMap(({ calls, findings: found }, index) => {
    if (content !== undefined && index === at) return []
    findings.issues.push(...found.issues)
    findings.repairs.push(...found.repairs)
    if (content === undefined || index !== at - 1) return calls
    return calls.map((call) => {
      const message = `Read the block after the call of ${call.name} as its "content".`
      addRepair(findings, "tool-call-content", call.where, message)
      return { ...call, arguments: { ...call.arguments, content: `${content}\n` } }
    })
  })
}
