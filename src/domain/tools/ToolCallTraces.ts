/**
 * Recognises tool calls where no reader expects them: under another heading, in running text, in a code block, or in
 * the syntax of another protocol. They would never run, so they are reported.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isCallKey } from "./ToolCallFormat.ts"
import { readBlock } from "./ToolCallJson.ts"

const isCall = (value: Schema.Json): boolean => {
  if (Array.isArray(value)) return value.some(isCall)
  if (typeof value !== "object" || value === null) return false
  const keys = Object.keys(value)
  return (
    keys.includes("tool_calls") || (keys.every(isCallKey) && keys.some((key) => /^(?:name|tool|function)/.test(key)))
  )
}

const namesTool = new Set(["tool", "tool_name", "toolName", "function_name"])

/**
 * True if the block contains only JSON objects with a tool name, such as `tool_name`. An object with only a `name` is
 * no call.
 */
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

/** True if the patterns match one after another. Takes linear time, unlike a single pattern. */
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

/** True for a block that contains a call, even an incomplete one. */
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

/** True for running text with a call in any syntax. */
export const mentionsCall = (text: string): boolean =>
  holdsInOrder(text, opening, nameSign) || callTag.test(text) || labelled.test(text) || functionCall.test(text)
