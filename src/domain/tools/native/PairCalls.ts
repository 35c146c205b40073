/** Calls as a name with pairs, and as the line that another program shows for a call. */

import { pythonCallAt } from "./PythonCalls.ts"
import { callJson, type NativeRead, type Source } from "./Source.ts"

const value = `("(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*'|[^\\s<>"'}]+)`
const pair = `([\\w-]+)\\s*=\\s*${value}`
const tagged = new RegExp(`<tool_call>\\s*([\\w.-]+)((?:\\s+${pair})+)\\s*(?:</tool_call>|$(?![^]))`, "y")
const arrows = /\[TOOL_CALL\]\s*\{\s*tool\s*=>\s*"([\w.-]+)"\s*,\s*args\s*=>\s*\{([^]*?)\}\s*\}\s*(?:\[\/TOOL_CALL\])?/y
const shown = /\[(?:calling[ _]tool|tool[ _]call|calling|call)\s*:\s*/iy

const valueOf = (written: string): string | number | boolean => {
  if (/^-?\d+(?:\.\d+)?$/.test(written)) return Number(written)
  if (written === "true" || written === "false") return written === "true"
  if (!/^["']/.test(written)) return written
  return written.slice(1, -1).replace(/\\([\\"'n])/g, (_, sign: string) => (sign === "n" ? "\n" : sign))
}

const pairsOf = (text: string, one: RegExp): string =>
  JSON.stringify(Object.fromEntries([...text.matchAll(one)].map(([, key = "", given = ""]) => [key, valueOf(given)])))

/** A call as `name key="value"` in a tag, as `tool => "name", args => { --key "value" }`, or as `[Calling tool: name(...)]`. */
export const readPairs = (source: Source, at: number, isTool: (name: string) => boolean): NativeRead | undefined => {
  const found = source.match(tagged, at) ?? source.match(arrows, at)
  if (found !== undefined) {
    const isTagged = found[0].startsWith("<")
    const pairs = new RegExp(isTagged ? pair : `--([\\w-]+)\\s+${value}`, "g")
    return { calls: [callJson(found[1] ?? "", pairsOf(found[2] ?? "", pairs))], end: at + found[0].length }
  }
  const line = source.match(shown, at)
  const call = line === undefined ? undefined : pythonCallAt(source.text, at + line[0].length)
  if (call === undefined || !isTool(call.name)) return undefined
  const close = source.match(/\s*\]/y, call.end)
  return close === undefined ? undefined : { calls: [call.json], end: call.end + close[0].length }
}
