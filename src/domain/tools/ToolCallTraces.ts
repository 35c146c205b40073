/**
 * Recognises tool calls in places where none is read (under another heading, in running text, in the syntax of another
 * protocol), and finds the blocks of a string that hold calls. Calls that are not read would never run, so they are
 * reported.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isCallKey, readCallBlock, type UnnumberedCall } from "./ToolCallFormat.ts"
import { readBlock } from "./ToolCallJson.ts"
import { type Where, addRepair, type Findings, noFindings } from "../findings/Issue.ts"
import { meantTool } from "./ArgumentCheck.ts"

const isCall = (value: Schema.Json): boolean => {
  if (Array.isArray(value)) return value.some(isCall)
  if (typeof value !== "object" || value === null) return false
  const keys = Object.keys(value)
  return (
    keys.includes("tool_calls") || (keys.every(isCallKey) && keys.some((key) => /^(?:name|tool|function)/.test(key)))
  )
}

const namesTool = new Set(["tool", "tool_name", "toolName", "function_name"])

/** True for JSON of calls whose arguments stand beside the name of the tool; a mere `name` is no sign of a call. */
export const isFlatCall = (block: string): boolean => {
  const read = readBlock(block)
  const values = Result.isSuccess(read) ? read.success.values.flat() : []
  return (
    values.length > 0 &&
    values.every(
      (value) =>
        typeof value === "object" &&
        value !== null &&
        Object.entries(value).some(([key, name]) => namesTool.has(key) && typeof name === "string")
    )
  )
}

/** True when a text holds these signs one after another; in linear time, as no pattern that holds all of them would take. */
const holdsInOrder = (text: string, ...signs: ReadonlyArray<RegExp>): boolean => {
  let at = 0
  for (const sign of signs) {
    const found = sign.exec(text.slice(at))
    if (found === null) return false
    at += found.index + found[0].length
  }
  return true
}

const opening = /[{<]/
const nameKey = /["'](?:name|tool|function)["']\s*:/
const argumentsKey = /["'](?:arguments|args|parameters|params|input)["']\s*:/

/** True for a block that is one or several calls, or a part of one. */
export const holdsCall = (block: string): boolean => {
  if (!/name|tool|function/.test(block)) return false
  const read = readBlock(block)
  return Result.isSuccess(read) ? read.success.values.some(isCall) : holdsInOrder(block, opening, nameKey, argumentsKey)
}

const nameSign = /\b(?:name|(?:tool|function)(?:_?[nN]ame)?)\b["']?\s*[:=]/
const callTag = /<(?:invoke|parameter)\b/
const labelled =
  /^\s*(?:[-*+]\s+|\d+[.)]\s+)?["'*`]*(?:name|tool|tool[ _]name|function|action(?:[ _]input)?)["'*`]*\s*[:=]["'*`]*\s*\S/im
const functionCall = /^(?:[-*+]\s+|\d+[.)]\s+)?`?\w+\([^\n]*\)`?[;,.]?$/m

/** True for running text that contains a call, in whatever syntax. */
export const mentionsCall = (text: string): boolean =>
  holdsInOrder(text, opening, nameSign) || callTag.test(text) || labelled.test(text) || functionCall.test(text)

export type ReadBlock = ReturnType<typeof readFencedCalls>

/**
 * Reads a fenced block by itself; `content` is its text when it may be the content of a file. A block that is cut off is none.
 */
export const readFencedCalls = (text: string, closed: boolean, where: Where) => {
  const findings = noFindings()
  const calls = readCallBlock(text, where, findings)
  const isContent = closed && calls.length === 0 && text.trim() !== "" && !holdsCall(text)
  const content: { readonly content?: string } = isContent ? { content: text } : {}
  return { calls, findings, ...content }
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
