/**
 * Reads calls in JSON: after the marks of a model family, with the quotes of Gemma, or inside another object such as
 * the message of an API.
 */

import * as Result from "effect/Result"
import { type Arguments, isArguments } from "../ToolCall.ts"
import { readBlock } from "../ToolCallJson.ts"
import type { SyntaxCode } from "./CallSyntaxes.ts"
import { pythonCallAt } from "./PythonCalls.ts"
import {
  callJson,
  endOfJson,
  isMadeUpReply,
  isObject,
  type IsTool,
  type NativeRead,
  type Source,
  tornRead
} from "./Source.ts"

interface Marks {
  readonly syntax: SyntaxCode
  /** Matches what precedes the JSON. The first group is the tool name, if it is outside the JSON. */
  readonly opening: RegExp
  /** Matches the marks after the JSON. */
  readonly closing: RegExp
  /** True if a sentence may precede the call on its line. */
  readonly isMark: boolean
}

const bar = "[|｜]"
const gap = "[▁_ ]"
const deepSeek = (what: string): string => `<${bar}tool${gap}${what}${bar}>`
const deepSeekBegin = `(?:${deepSeek(`calls?${gap}begin`)}\\s*)`
const deepSeekEnd = `\\s*(?:\`\`\`)?(?:\\s*${deepSeek(`calls?${gap}end`)})*`
const sentenceEnd = `(?:<${bar}end${gap}of${gap}sentence${bar}>)?`
const name = "([\\w.:-]+)"
const json = "(?:```\\w*\\s*)?(?=\\{)"

const family = (syntax: SyntaxCode, opening: string, closing: string, isMark = true): Marks => ({
  syntax,
  opening: new RegExp(opening, "y"),
  closing: new RegExp(closing, "y"),
  isMark
})

/**
 * Forms of calls in which the tool name stands before the JSON of the arguments. Most forms are named after the models
 * or programs that write them.
 */
const named: ReadonlyArray<Marks> = [
  family(
    "mistral-arguments",
    `(?:\\[TOOL_CALLS\\]\\s*)?${name}(?:\\[CALL_ID\\]\\w*)?\\s*\\[ARGS\\]\\s*(?=\\{)`,
    "\\s*(?:\\[/TOOL_CALLS\\])?"
  ),
  family("mistral-arguments", `\\[TOOL_CALLS\\]\\s*${name}\\s*(?=\\{)`, "\\s*(?:\\[/TOOL_CALLS\\])?"),
  family(
    "deepseek",
    `${deepSeekBegin}{0,4}(?:function\\s*)?${deepSeek("sep")}\\s*${name}\\s*${json}`,
    deepSeekEnd + sentenceEnd
  ),
  family("deepseek", `${deepSeekBegin}{0,4}${name}\\s*${deepSeek("sep")}\\s*${json}`, deepSeekEnd + sentenceEnd),
  family("deepseek", `${deepSeekBegin}{1,4}${name}\\s*${json}`, deepSeekEnd),
  family(
    "kimi",
    `(?:<\\|tool_calls_section_begin\\|>\\s*)?(?:<\\|tool_call_begin\\|>\\s*)?(?:functions\\.)?([\\w.-]+)(?::\\d+)?\\s*<\\|tool_call_argument_begin\\|>\\s*(?=\\{)`,
    "(?:\\s*<\\|tool_calls?(?:_section)?_end\\|>)*"
  ),
  family(
    "harmony",
    `(?:<\\|start\\|>)?(?:assistant)?\\s*(?:<\\|channel\\|>)?\\s*(?:commentary)?\\s*to=(?:functions\\.)?([\\w.:-]+?)\\s*(?:<\\|channel\\|>\\s*commentary)?\\s*(?:<\\|constrain\\|>)?\\s*(?:json|code)?\\s*(?:<\\|message\\|>)?\\s*(?=\\{)`,
    "\\s*(?:<\\|(?:call|end|return)\\|>)?"
  ),
  family("kimi", "functions\\.([\\w.-]+):\\d+\\s*(?=\\{)", "", false),
  family("name-and-json", `<tool_call>\\s*${name}[ \\t]*(?=\\{)`, "\\s*(?:</tool_call>)?"),
  family("functionary", `>>>${name}[ \\t]*\\n\\s*(?=\\{)`, "", false),
  family("llama-function", `<function=${name}>\\s*(?=\\{)`, "\\s*</function>(?:<\\|eo[mt]_id\\|>)?")
]

/**
 * Forms of calls that contain the tool name in their JSON. Most names are those of models or programs that write the
 * form.
 */
const whole: ReadonlyArray<Marks> = [
  family("hermes", "(?:<tool_calls>\\s*)?<tool_call>\\s*(?=[{[])", "\\s*(?:</tool_call>)?"),
  family("mistral-list", "\\[TOOL_CALLS\\]\\s*(?=[{[])", "\\s*(?:\\[/TOOL_CALLS\\])?"),
  family("lm-studio", "\\[TOOL_REQUEST\\]\\s*(?=[{[])", "\\s*(?:\\[END_TOOL_REQUEST\\])?"),
  family("nemotron", "<TOOLCALL>\\s*(?=[{[])", "\\s*(?:</TOOLCALL>)?"),
  family("python-tag", "<\\|python_tag\\|>\\s*(?=[{[])", "\\s*(?:<\\|eo[mt]_id\\|>)?"),
  family("command-r", "<\\|START_ACTION\\|>\\s*(?=[{[])", "\\s*(?:<\\|END_ACTION\\|>)?"),
  family("internlm", "<\\|action_start\\|>\\s*(?:<\\|plugin\\|>)?\\s*(?=[{[])", "\\s*(?:<\\|action_end\\|>)?"),
  family("barred-list", "<\\|tool_call\\|>\\s*(?=[{[])", "\\s*(?:<\\|/tool_call\\|>)?"),
  family("plural-tag", "<(?:tool_calls|function_calls?)>\\s*(?=[{[])", "\\s*(?:</(?:tool_calls|function_calls?)>)?"),
  family("tools-tag", "<tools>\\s*(?=[{[])", "\\s*(?:</tools>)?"),
  family("functools", "functools(?=\\[)", "", false)
]

const lostOpening = /(?=\{)/y
const closingTag = /\s*<\/(?:tool_call|function_call)>/y

/** Removes a second pair of braces, which some models copy from a template. */
const withoutDoubledBraces = (json: string): string => (/^\{\{[^]*\}\}$/.test(json) ? json.slice(1, -1) : json)

const unfinished = "The JSON of the call is not complete."

/** The end of the JSON between `<tool_call>` tags. Its brackets may be unbalanced, and a string may contain the tag. */
const endOfTagged = (source: Source, start: number, opening: string): number | undefined => {
  if (!opening.includes("<tool_call>")) return undefined
  const end = endOfJson(source.text, start)
  if (end !== undefined && source.match(/\s*<\/?(?:tool_call|function_call)>/y, end) !== undefined) return end
  return source.find("</tool_call>", start)
}

/**
 * Reads a call in JSON between the marks that a family of models uses. `isLineStart` is false if other text precedes
 * the call on its line.
 */
export const readMarkedJson = (source: Source, at: number, isLineStart: boolean): NativeRead | undefined => {
  const { text } = source
  for (const { closing, isMark, opening, syntax } of [...named, ...whole]) {
    if (!isLineStart && !isMark) continue
    const match = source.match(opening, at)
    if (match === undefined) continue
    const start = at + match[0].length
    const end = endOfTagged(source, start, match[0]) ?? endOfJson(text, start)
    if (end === undefined) return tornRead(source, unfinished, "tool-call-truncated")
    const value = withoutDoubledBraces(text.slice(start, end).trim())
    const calls = [match[1] === undefined ? value : callJson(match[1], value)]
    let last = end
    while (match[1] === undefined && source.match(/[\s;,]*(?=\{)/y, last) !== undefined) {
      const from = source.skip(/[\s;,]+/y, last)
      const to = endOfJson(text, from)
      if (to === undefined) return tornRead(source, unfinished, "tool-call-truncated")
      if (!/"(?:name|tool|function)/.test(text.slice(from, to))) break
      calls.push(text.slice(from, to))
      last = to
    }
    return { syntax, calls, end: last + (source.match(closing, last)?.[0].length ?? 0) }
  }
  if (!isLineStart || source.match(lostOpening, at) === undefined) return undefined
  // The opening tag is missing. If there is no closing tag either, this is plain JSON for another reader.
  const end = source.find("_call>", at) === undefined ? undefined : endOfJson(text, at)
  const close = end === undefined ? undefined : source.match(closingTag, end)
  return end === undefined || close === undefined
    ? undefined
    : { syntax: "hermes", calls: [text.slice(at, end)], end: end + close[0].length }
}

const gemma = /(?:<\|?tool_call\|?>\s*|<start_function_call>\s*|(?<=^|\n))call:([\w.:-]+)\s*(?=[{(])/y
const gemmaEnds = ["<tool_call|>", "<end_function_call>", "</tool_call>", "<|/tool_call|>"]

/** Reads a call of Gemma: `call:name{path:<escape>a.ts<escape>}` between its marks. */
export const readGemma = (source: Source, at: number, isTool: IsTool): NativeRead | undefined => {
  const match = source.match(gemma, at)
  if (match === undefined || (match[0].startsWith("call:") && !isTool(match[1] ?? ""))) return undefined
  const start = at + match[0].length
  const ends = gemmaEnds.flatMap((sign) => {
    const end = source.find(sign, start)
    return end === undefined ? [] : [{ end, after: end + sign.length }]
  })
  const first = ends.sort((a, b) => a.end - b.end)[0] ?? { end: source.text.length, after: source.text.length }
  const quoted = /(<\|"\|>|<escape>)([^]*?)\1/g
  const written = source.text.slice(start, first.end)
  const json = written.replace(quoted, (_, _sign, value: string) => JSON.stringify(value))
  const call = json.startsWith("(") ? pythonCallAt(`${match[1] ?? ""}${json}`, 0) : undefined
  const end = json.startsWith("(") ? undefined : endOfJson(json, 0)
  if (call === undefined && end === undefined) return tornRead(source, unfinished, "tool-call-truncated")
  const isMarked = first.after !== first.end
  const length = call === undefined ? (end ?? 0) : call.end - (match[1] ?? "").length
  return {
    syntax: "gemma",
    calls: [call?.json ?? callJson(match[1] ?? "", withoutQuotes(json.slice(0, end)))],
    end: isMarked || json !== written ? first.after : start + length
  }
}

const withoutQuotes = (given: string): string => {
  const inside = /^\{([^{}"'[\]]*)\}$/.exec(given)?.[1]
  if (inside === undefined) return given
  const entries = inside.split(/,\s*(?=\w+\s*:)/).map((pair) => {
    const [key = "", ...value] = pair.split(":")
    const text = value.join(":").trim()
    return [key.trim(), /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(text) ? JSON.parse(text) : text] as const
  })
  return JSON.stringify(Object.fromEntries(entries.filter(([key]) => key !== "")))
}

const words = [
  ["action", "action_input"],
  ["tool_name", "tool_input"],
  ["tool", "tool_input"],
  ["recipient_name", "parameters"]
] as const
const messageKeys = new Set(["role", "content", "tool_calls", "calls", "tool_uses", "thought", "thoughts", "reasoning"])

const callOf = (value: Arguments, isTool: IsTool): string | undefined => {
  for (const [nameKey, givenKey] of words) {
    const name = value[nameKey]
    const values = value[givenKey]
    if (typeof name !== "string" || values === undefined) continue
    const plain = name.replace(/^functions\./, "")
    return isTool(plain) ? callJson(plain, JSON.stringify(isArguments(values) ? values : { "": values })) : undefined
  }
  return undefined
}

/**
 * The calls of an answer in another JSON form, such as an object with `tool_calls`. Undefined for other text, and for
 * calls in the usual form.
 */
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

const ownJson = /\{\s*["'](\w+)["']\s*:/y
const usualKeys = /^(?:name|type|tool|function)$/

/**
 * Reads a call that is written as JSON without tags. The call is either inside another JSON object, or it precedes a
 * reply that the model invented.
 */
export const readOwnJson = (source: Source, at: number, isTool: IsTool): NativeRead | undefined => {
  const key = source.match(ownJson, at)?.[1]
  if (key === undefined || !(usualKeys.test(key) || /^(?:role|content|action|tool_name|tool_calls)$/.test(key))) {
    return undefined
  }
  const end = endOfJson(source.text, at)
  if (end === undefined) return undefined
  const text = source.text.slice(at, end)
  const calls = jsonCalls(text, isTool)
  if (calls !== undefined) return { syntax: "json-envelope", calls, end }
  const name = /"(?:name|tool|function)"\s*:\s*"(\w+)"/.exec(text)?.[1] ?? ""
  const isCall = usualKeys.test(key) && isTool(name) && isMadeUpReply(source.text.slice(end, end + 200))
  return isCall && isObject(text) ? { syntax: "json-reply", calls: [text], end } : undefined
}
