/** Calls as lines with labels (`Action: read_file`, `**Tool:** read_file`) and as YAML. */

import * as Predicate from "effect/Predicate"
import { parse } from "yaml"
import * as Result from "effect/Result"
import { pythonCallAt } from "./PythonCalls.ts"
import { callJson, endOfJson, type NativeRead, type Source, tornRead } from "./Source.ts"

const lead = "[ \\t]*(?:[-*+][ \\t]+|\\d+[.)][ \\t]+)?[*_`]*"
const after = "[*_`]*[ \\t]*[:=][*_`]*[ \\t]*"
const toolLine = new RegExp(
  `${lead}(?:tool(?:[ _]name|[ _]call)?|action|function(?:[ _]name)?|name)${after}[\`"'*]*([\\w.:-]+)[\`"'*]*(?:\\(\\))?[ \\t]*(?:\\n|$)`,
  "iy"
)
const inputLine = new RegExp(
  `\\s*${lead}(?:action[ _]input|arguments?|args|parameters?|params|input)${after}(?:\\s*(?=[{\`]))?(?:\`\`\`\\w*\\s*|\`(?=\\{))?`,
  "iy"
)
/** A value without a name, on the line of its label. */
const inputLineEnd = /[`"']?([^\n{[]*?)[`"']?[ \t]*(?:\n|$)/y
const argumentLine = new RegExp(`${lead}([A-Za-z_][\\w ]*?)${after}[\`"']*(.*?)[\`"']*[ \\t]*(?:\\n|$)`, "y")
const fenceEnd = /\s*`(?:``)?(?=\s|$)/y
/** The arguments behind the name, in brackets. */
const bracketed = new RegExp(`${lead}(?:tool(?:[ _]call)?|action|function)${after}[\`]?([\\w.]+)[ \\t]*(?=[([])`, "iy")

const readBracketed = (source: Source, at: number, isTool: (name: string) => boolean): NativeRead | undefined => {
  const found = source.match(bracketed, at)
  const name = found?.[1] ?? ""
  if (found === undefined || !isTool(name)) return undefined
  const start = at + found[0].length
  const call = source.text[start] === "(" ? pythonCallAt(`${name}${source.text.slice(start)}`, 0) : undefined
  if (call !== undefined) {
    const end = start + call.end - name.length
    return { calls: [call.json], end: source.skip(/`/y, end) }
  }
  const list = source.match(/\[["']?([^\]\n]*?)["']?\]`?[ \t]*(?=\n|$)/y, start)
  return list === undefined
    ? undefined
    : { calls: [callJson(name, JSON.stringify({ "": list[1] ?? "" }))], end: start + list[0].length }
}

/** Reads `Action: name` and the lines after it that hold its arguments. */
export const readLabelled = (source: Source, at: number, isTool: (name: string) => boolean): NativeRead | undefined => {
  const within = readBracketed(source, at, isTool)
  if (within !== undefined) return within
  const found = source.match(toolLine, at)
  const name = found?.[1] ?? ""
  if (found === undefined || !isTool(name)) return undefined
  let end = at + found[0].length
  const input = source.match(inputLine, end)
  if (input !== undefined) {
    const start = end + input[0].length
    if (source.text[start] === "{") {
      const close = endOfJson(source.text, start)
      if (close === undefined) return tornRead(source, "The JSON of the call is not complete.", "tool-call-truncated")
      const fence = /`$|```/.test(input[0]) ? (source.match(fenceEnd, close)?.[0].length ?? 0) : 0
      return { calls: [callJson(name, source.text.slice(start, close))], end: close + fence }
    }
    const given = source.match(inputLineEnd, start)
    const value = given?.[1] ?? ""
    if (given !== undefined && value !== "" && !/^[-*+] /.test(value)) {
      return { calls: [callJson(name, JSON.stringify({ "": value }))], end: start + given[0].length }
    }
    end = source.skip(/[ \t]*\n/y, start)
  }
  if (input === undefined && !name.includes("_")) return undefined
  const entries: Array<readonly [string, string]> = []
  for (let one = source.match(argumentLine, end); one !== undefined; one = source.match(argumentLine, end)) {
    if (/^(?:observation|thought|result|output|final answer)$/i.test(one[1] ?? "")) break
    if (/^[[{]/.test(one[2] ?? "")) return tornRead(source, "The arguments of the call cannot be read.")
    entries.push([(one[1] ?? "").trim().toLowerCase().replaceAll(" ", "_"), one[2] ?? ""])
    end += one[0].length
  }
  return entries.length === 0 && input !== undefined
    ? tornRead(source, "The arguments of the call cannot be read.")
    : { calls: [callJson(name, JSON.stringify(Object.fromEntries(entries)))], end }
}

const nameKeys = ["tool", "name", "tool_name", "function", "action"]
const givenKeys = ["arguments", "args", "parameters", "params", "input", "action_input"]

const yamlLines = /(?:tool_calls|calls):[ \t]*\n(?:[ \t-].*(?:\n|$)|[ \t]*\n(?=[ \t-]))+/y

/** Calls as YAML without a code block. */
export const readYaml = (source: Source, at: number, isTool: (name: string) => boolean): NativeRead | undefined => {
  const found = source.match(yamlLines, at)
  const calls = found === undefined ? undefined : yamlCalls(found[0], isTool)
  return found === undefined || calls === undefined ? undefined : { calls, end: at + found[0].length }
}

const yamlName = /^[ \t-]*(?:tool|name|tool_name|function|action):[ \t]*["']?([\w.-]+)/m

/** True for a text that begins to be calls as YAML. */
export const beginsYaml = (text: string, isTool: (name: string) => boolean): boolean =>
  isTool(yamlName.exec(text)?.[1] ?? "")

/** The calls of a text that is YAML with nothing else. */
export const yamlCalls = (text: string, isTool: (name: string) => boolean): ReadonlyArray<string> | undefined => {
  if (!/^[ \t-]*(?:tool_calls|calls|tool|name|tool_name|function|action):/m.test(text)) return undefined
  const read = Result.try((): unknown => parse(text, { logLevel: "error", maxAliasCount: 0 }))
  if (Result.isFailure(read)) return undefined
  const found = read.success
  const inner = Predicate.isObject(found) ? (found["tool_calls"] ?? found["calls"] ?? found) : found
  const calls = (Array.isArray(inner) ? inner : [inner]).map((one: unknown) => {
    if (!Predicate.isObject(one)) return undefined
    const nameKey = nameKeys.find((key) => typeof one[key] === "string")
    const name = nameKey === undefined ? "" : String(one[nameKey])
    const givenKey = givenKeys.find((key) => Predicate.isObject(one[key]))
    const given =
      givenKey === undefined
        ? Object.fromEntries(Object.entries(one).filter(([key]) => key !== nameKey))
        : one[givenKey]
    return isTool(name) ? callJson(name, JSON.stringify(given)) : undefined
  })
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined
}
