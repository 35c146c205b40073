/** Reads calls of ReAct agents: `Action: read_file` and `Action Input: {"path": "a.ts"}`. */

import { pythonCallAt } from "./PythonCalls.ts"
import { callJson, endOfJson, type IsTool, type NativeRead, type Source, tornRead } from "./Source.ts"

const after = "[*_`]*[ \\t]*:[*_`]*[ \\t]*"
const actionLine = new RegExp(`[ \\t]*[*_]*action${after}[\`"'*]*([\\w.:-]+)[\`"'*]*(?:\\(\\))?[ \\t]*(?:\\n|$)`, "iy")
const inputLine = new RegExp(`\\s*[*_]*action[ _]input${after}(?:\\s*(?=[{\`]))?(?:\`\`\`\\w*\\s*|\`(?=\\{))?`, "iy")
/** Matches an input without brackets, on the line of its label. */
const inputLineEnd = /[`"']?([^\n{[]*?)[`"']?[ \t]*(?:\n|$)/y
const fenceEnd = /\s*`(?:``)?(?=\s|$)/y
/** Matches a tool name whose arguments follow in brackets. */
const bracketed = new RegExp(`[ \\t]*[*_]*action${after}[\`]?([\\w.]+)[ \\t]*(?=[([])`, "iy")

const readBracketed = (source: Source, at: number, isTool: IsTool): NativeRead | undefined => {
  const opening = source.match(bracketed, at)
  const name = opening?.[1] ?? ""
  if (opening === undefined || !isTool(name)) return undefined
  const start = at + opening[0].length
  const call = source.text[start] === "(" ? pythonCallAt(`${name}${source.text.slice(start)}`, 0) : undefined
  if (call !== undefined) {
    return { syntax: "react", calls: [call.json], end: source.skip(/`/y, start + call.end - name.length) }
  }
  const list = source.match(/\[["']?([^\]\n]*?)["']?\]`?[ \t]*(?=\n|$)/y, start)
  if (list === undefined) return undefined
  const calls = [callJson(name, JSON.stringify({ "": list[1] ?? "" }))]
  return { syntax: "react", calls, end: start + list[0].length }
}

/** Reads `Action: name` and the input on the next line. */
export const readAction = (source: Source, at: number, isTool: IsTool): NativeRead | undefined => {
  const within = readBracketed(source, at, isTool)
  if (within !== undefined) return within
  const opening = source.match(actionLine, at)
  const name = opening?.[1] ?? ""
  if (opening === undefined || !isTool(name)) return undefined
  const end = at + opening[0].length
  const input = source.match(inputLine, end)
  if (input === undefined) return undefined
  const start = end + input[0].length
  if (source.text[start] === "{") {
    const close = endOfJson(source.text, start)
    if (close === undefined) return tornRead(source, "The JSON of the call is not complete.", "tool-call-truncated")
    const fence = /`$|```/.test(input[0]) ? (source.match(fenceEnd, close)?.[0].length ?? 0) : 0
    return { syntax: "react", calls: [callJson(name, source.text.slice(start, close))], end: close + fence }
  }
  const value = source.match(inputLineEnd, start)
  return value?.[1] === undefined || value[1] === ""
    ? tornRead(source, "The arguments of the call cannot be read.")
    : { syntax: "react", calls: [callJson(name, JSON.stringify({ "": value[1] }))], end: start + value[0].length }
}
