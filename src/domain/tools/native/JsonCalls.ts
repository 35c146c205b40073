/** Calls as JSON with other words around them: the message of an API, the blob of an agent, the name of the tool as key. */

import * as Result from "effect/Result"
import { readBlock } from "../ToolCallJson.ts"
import { type Arguments, isArguments } from "../ToolCall.ts"
import { callJson } from "./Source.ts"

type IsTool = (name: string) => boolean

const words = [
  ["action", "action_input"],
  ["tool_name", "tool_input"],
  ["tool", "tool_input"],
  ["recipient_name", "parameters"]
] as const
const messageKeys = new Set(["role", "content", "tool_calls", "calls", "tool_uses", "thought", "thoughts", "reasoning"])

const callOf = (value: Arguments, isTool: IsTool): string | undefined => {
  const entries = Object.entries(value)
  const [[key, inner] = ["", null]] = entries
  if (entries.length === 1 && key.includes("_") && isTool(key) && isArguments(inner)) {
    return callJson(key, JSON.stringify(inner))
  }
  for (const [nameKey, givenKey] of words) {
    const name = value[nameKey]
    const given = value[givenKey]
    if (typeof name !== "string" || given === undefined) continue
    const plain = name.replace(/^functions\./, "")
    return isTool(plain) ? callJson(plain, JSON.stringify(isArguments(given) ? given : { "": given })) : undefined
  }
  return undefined
}

/** The calls of a text that is JSON of one of these kinds; nothing for any other text, calls in the usual form included. */
export const jsonCalls = (text: string, isTool: IsTool): ReadonlyArray<string> | undefined => {
  if (!/^\s*[{[]/.test(text)) return undefined
  const read = readBlock(text)
  if (Result.isFailure(read)) return undefined
  const calls = read.success.values.flat().flatMap((value) => {
    if (!isArguments(value)) return [undefined]
    const inner = value["tool_calls"] ?? value["tool_uses"] ?? value["calls"]
    if (
      Array.isArray(inner) &&
      Object.keys(value).length > 1 &&
      Object.keys(value).every((key) => messageKeys.has(key))
    ) {
      return inner.map((one) => (isArguments(one) ? (callOf(one, isTool) ?? JSON.stringify(one)) : undefined))
    }
    return [callOf(value, isTool)]
  })
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined
}
