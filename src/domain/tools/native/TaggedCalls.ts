/**
 * Reads calls whose parameters are tags: `<function=...>`, `<invoke name=...>`, `<arg_key>`, or a tag named like the
 * tool.
 */

import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { readBlock } from "../ToolCallJson.ts"
import { callJson, isObject, type IsTool, type NativeRead, type Source, tornRead } from "./Source.ts"

/** Names of tools from other programs. Their parameter `diff` contains blocks with conflict marks. */
const editTools = new Set(["replace_in_file", "apply_diff", "search_and_replace", "search_replace"])

/**
 * Converts the edit blocks of a foreign tool to this program's blocks. The result begins with a line that holds the
 * path.
 */
const editText = (path: string, blocks: string): string =>
  `${path.trim()}\n${blocks
    .replace(/^:(?:start|end)_line:.*\n/gm, "")
    .replace(/^-------\n/gm, "")
    .replace(/^[-<]{5,9}[ \t]*SEARCH>?[ \t]*$/gm, "<<<<<<< OLD")
    .replace(/^[+>]{5,9}[ \t]*REPLACE>?[ \t]*$/gm, ">>>>>>> NEW")}`

/**
 * The value without the line breaks next to its tags. The last line break stays if a value of several lines begins on
 * the line of its opening tag.
 */
const valueOf = (written: string): string => {
  const value = written.replace(/^\r?\n/, "")
  return value !== written || !/\n[^]*\n/.test(written) ? value.replace(/\r?\n[ \t]*$/, "") : value
}

/** The value without the indentation of its tag. */
const indentedValue = (written: string, indent: string): string => {
  const value = valueOf(written)
  const filled = value.split("\n").filter((line) => line.trim() !== "")
  if (indent === "" || value === written || !filled.every((line) => line.startsWith(indent))) return value
  const own = Math.min(...filled.map((line) => line.length - line.trimStart().length))
  return value.replaceAll(new RegExp(`^[ \\t]{0,${own}}`, "gm"), "")
}

type Entry = readonly [name: string, value: Schema.Json]

/**
 * Reads the value of a tag whose declared type is not string. If the text is not exactly one JSON value, returns the
 * text.
 */
const typedValue = (written: string): Schema.Json => {
  const read = readBlock(written)
  const [only, ...others] = Result.isSuccess(read) ? read.success.values : []
  return only === undefined || others.length > 0 ? written : only
}

const objectOf = (entries: ReadonlyArray<Entry>): string => JSON.stringify(Object.fromEntries(entries))

const prefix = "(?:antml:)?"
const parameterWords = "parameter|param|arg"
const tags = () =>
  new RegExp(
    `<(/?)${prefix}(?:(${parameterWords})|function|invoke|tool)(?:=["']?([\\w.:-]+)["']?|\\s+name=["']?([\\w.:-]+)["']?)?(?:\\s[^>\\n]*)?>`,
    "g"
  )
const noString = /\sstring=["']?false/

/** Closing tags after calls, which carry no information. */
export const afterCalls = new RegExp(
  `\\s*(?:</${prefix}(?:tool_calls?|function_calls?|(?:minimax|seed):tool_call|tool_use)>|<\\|(?:python_end|tool_call_end|eo[mt]_id)\\|>)`,
  "y"
)

const beginsLine = (text: string, at: number): boolean => /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 40), at))

/** The blanks before a tag that is the first text on its line. Empty for any other tag. */
const indentOf = (text: string, at: number): string =>
  /(?:^|\n)([ \t]*)$/.exec(text.slice(Math.max(0, at - 40), at))?.[1] ?? ""

/** True if closing tags of parameters are missing. In this case, a tag at a line start also ends a value. */
const mayLackClosing = (text: string, from: number): boolean => {
  const end = /<\/(?:antml:)?(?:function|invoke|tool_call)>|\n[ \t]*<(?:antml:)?(?:function|invoke|tool)[=\s]/g
  end.lastIndex = from
  const body = text.slice(from, end.exec(text)?.index)
  const count = (sign: string) =>
    (body.match(new RegExp(`<${sign}${prefix}(?:${parameterWords})\\b`, "g")) ?? []).length
  return count("/") < count("")
}

const unclosed = "A parameter of the call has no closing tag."

/** Reads the call after the tag with the tool name. The parameters are tags or a JSON object. */
const readParameters = (source: Source, name: string, from: number): NativeRead => {
  const { text } = source
  const json = /\s*(\{[^]*?\})\s*<\/(?:function|invoke)>/y
  const given = source.match(json, from)
  if (given !== undefined && isObject(given[1] ?? "")) {
    return { calls: [callJson(name, given[1] ?? "{}")], end: from + given[0].length }
  }
  const close = source.match(
    /(?=\s*<(?!\/?(?:antml:|parameter|param|arg)\b)\w+>)[^]*?(?=<\/(?:function|invoke)>)/y,
    from
  )
  const children = close === undefined ? undefined : childrenOf(source, from, from + close[0].length)
  if (close !== undefined && children !== undefined && children.length > 0) {
    return {
      calls: [callJson(name, objectOf(children))],
      end: source.skip(/<\/(?:function|invoke)>/y, from + close[0].length)
    }
  }
  const token = tags()
  token.lastIndex = from
  const entries: Array<Entry> = []
  let open: { readonly name: string; readonly word: string; readonly tag: string; readonly from: number } | undefined
  let end = from
  const lacks = mayLackClosing(text, from)
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [tag, slash = "", word, byEquals, byName] = match
    const parameterName = byEquals ?? byName
    if (open === undefined && text.slice(end, match.index).replace(afterCalls, "").trim() !== "") {
      return tornRead(source, "There is text among the parameters of the call.")
    }
    const isOther = word !== undefined && open !== undefined && word !== open.word
    if (isOther || (open !== undefined && slash === "" && parameterName === undefined)) continue
    if (open !== undefined) {
      const closesIt = slash === "/" && word === open.word
      if (!closesIt && !(lacks && beginsLine(text, match.index))) {
        if (word === undefined) continue
        return tornRead(source, unclosed)
      }
      if (entries.some(([one]) => one === open?.name)) {
        return tornRead(source, `The parameter ${open.name} of the call is given twice.`, "tool-call-key-duplicate")
      }
      const written = indentedValue(text.slice(open.from, match.index), indentOf(text, open.from - open.tag.length))
      entries.push([open.name, noString.test(open.tag) ? typedValue(written) : written])
      open = undefined
      end = match.index + (closesIt ? tag.length : 0)
      if (closesIt) continue
    }
    if (word === undefined) {
      if (slash === "/") end = match.index + tag.length
      return { calls: [callJson(name, objectOf(entries))], end }
    }
    if (slash === "/" || parameterName === undefined)
      return tornRead(source, "A tag of the call belongs to no parameter.")
    open = { name: parameterName, word, tag, from: match.index + tag.length }
  }
  if (open !== undefined) return tornRead(source, unclosed, "tool-call-truncated")
  const isAll = /^\s*(?:$|<\/?[\w:]*(?:tool_calls?|function_calls?)>)/.test(text.slice(end, end + 40))
  return entries.length > 0 || isAll
    ? { calls: [callJson(name, objectOf(entries))], end }
    : tornRead(source, "The call holds something else than parameters.")
}

const key = /\s*<(?:arg_key|tool_call)>\s*(?:<arg_key>)?([^<]*)(?:<\/arg_key>\s*)+(?:<arg_value>)?/y

const readArgumentPairs = (source: Source, name: string, from: number): NativeRead => {
  const entries: Array<Entry> = []
  let at = from
  for (let match = source.match(key, at); match !== undefined; match = source.match(key, at)) {
    const start = at + match[0].length
    const ends = ["</arg_value>", "\n<arg_key>", "</tool_call>"].flatMap((sign) => source.find(sign, start) ?? [])
    const end = Math.min(...ends)
    if (ends.length === 0) return tornRead(source, unclosed, "tool-call-truncated")
    entries.push([(match[1] ?? "").trim(), valueOf(source.text.slice(start, end))])
    at = source.text.startsWith("</arg_value>", end) ? end + "</arg_value>".length : end
  }
  return { calls: [callJson(name, objectOf(entries))], end: source.skip(/\s*<\/tool_call>/y, at) }
}

const child = /\s*<(\w+)(?:\s+(?:key|name)=["']?(\w+)["']?)?>/y
/** Tags that only group other tags. */
const gathers = new Set(["args", "arguments", "parameters", "params", "file", "input"])

/**
 * The tags of a text, with their values; undefined if there is other text. A grouping tag is replaced by the tags
 * inside it.
 */
const childrenOf = (source: Source, from: number, until: number): ReadonlyArray<Entry> | undefined => {
  const entries: Array<Entry> = []
  let at = from
  for (let match = source.match(child, at); match !== undefined; match = source.match(child, at)) {
    const name = match[1] ?? ""
    const start = at + match[0].length
    const end = source.find(`</${name}>`, start)
    if (start >= until || end === undefined || end > until) return undefined
    const inner = gathers.has(name) ? childrenOf(source, start, end) : undefined
    if (inner !== undefined && inner.length > 0) entries.push(...inner)
    else entries.push([match[2] ?? name, valueOf(source.text.slice(start, end))])
    at = end + name.length + 3
  }
  return source.text.slice(at, until).trim() === "" ? entries : undefined
}

/** Tools of other programs that end the work or ask the user. Each has the tag that contains its text. */
const answers = new Map([
  ["attempt_completion", "result"],
  ["ask_followup_question", "question"],
  ["plan_mode_respond", "response"]
])

const looks = /^(?:read|search|find|list|get)_/

/** Reads a call as a tag named like the tool, with an inner tag for each argument. */
const readToolTag = (source: Source, name: string, from: number): NativeRead | undefined => {
  const close = `</${name}>`
  const end = source.find(close, from)
  if (end === undefined) {
    // Only the last tag is missing. The call of a reading tool is accepted, which is cheaper than another question to
    // the model.
    const all = looks.test(name) ? childrenOf(source, from, source.text.length) : undefined
    return all === undefined || all.length === 0
      ? tornRead(source, `The tag <${name}> is not closed.`)
      : { syntax: "tool-tag", calls: [callJson(name, objectOf(all))], end: source.text.length }
  }
  const after = end + close.length
  const entries = childrenOf(source, from, end)
  const answer = entries?.find(([one]) => one === answers.get(name))?.[1]
  if (typeof answer === "string") return { syntax: "tool-tag", calls: [], text: answer, end: after }
  if (entries === undefined) return tornRead(source, `The tag <${name}> holds something else than arguments.`)
  const edit = Object.fromEntries(entries)
  if (editTools.has(name) && typeof edit["path"] === "string" && typeof edit["diff"] === "string") {
    return { syntax: "tool-tag", calls: [], text: editText(edit["path"], edit["diff"]), end: after }
  }
  const paths = entries.filter(([one]) => one === "path")
  const calls = paths.length > 1 && paths.length === entries.length ? paths.map((one) => [one]) : [entries]
  return { syntax: "tool-tag", calls: calls.map((one) => callJson(name, objectOf(one))), end: after }
}

const named = /\s*<(?:tool_?)?name>\s*([\w.:-]+)\s*<\/(?:tool_?)?name>/y
const givenTag = /\s*<(arguments|parameters|params|args|input|tool_input)>/y

/** Reads a call as `<name>` and `<arguments>` within a tag. */
const readNamedTag = (source: Source, tag: string, from: number): NativeRead | undefined => {
  const name = source.match(named, from)
  if (name === undefined) return undefined
  const afterName = from + name[0].length
  const opened = source.match(givenTag, afterName)
  const end = source.find(`</${opened?.[1] ?? tag}>`, afterName)
  if (end === undefined) return tornRead(source, `The tag <${opened?.[1] ?? tag}> is not closed.`)
  const start = afterName + (opened?.[0].length ?? 0)
  const inside = source.text.slice(start, end).trim()
  const entries = inside.startsWith("{") ? undefined : childrenOf(source, start, end)
  if (entries === undefined && !isObject(inside)) return tornRead(source, "The arguments of the call cannot be read.")
  const close = new RegExp(`\\s*</(?:${opened?.[1] ?? tag}|${tag})>`, "y")
  return {
    syntax: "name-tag",
    calls: [callJson(name[1] ?? "", entries === undefined ? inside : objectOf(entries))],
    end: source.skip(close, end)
  }
}

const pairValue = `("(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*'|[^\\s<>"'}]+)`
const pair = `([\\w-]+)\\s*=\\s*${pairValue}`
const taggedPairs = new RegExp(`<tool_call>\\s*([\\w.-]+)((?:\\s+${pair})+)\\s*(?:</tool_call>|$(?![^]))`, "y")
const arrows = /\[TOOL_CALL\]\s*\{\s*tool\s*=>\s*"([\w.-]+)"\s*,\s*args\s*=>\s*\{([^]*?)\}\s*\}\s*(?:\[\/TOOL_CALL\])?/y

const pairValueOf = (written: string): string | number | boolean => {
  if (/^-?\d+(?:\.\d+)?$/.test(written)) return Number(written)
  if (written === "true" || written === "false") return written === "true"
  if (!/^["']/.test(written)) return written
  return written.slice(1, -1).replace(/\\([\\"'n])/g, (_, sign: string) => (sign === "n" ? "\n" : sign))
}

const pairsOf = (text: string, one: RegExp): string =>
  JSON.stringify(
    Object.fromEntries([...text.matchAll(one)].map(([, key = "", given = ""]) => [key, pairValueOf(given)]))
  )

/** Reads a call as `name key="value"` in a tag, or as `tool => "name", args => { --key "value" }`. */
const readPairs = (source: Source, at: number): NativeRead | undefined => {
  const match = source.match(taggedPairs, at) ?? source.match(arrows, at)
  if (match === undefined) return undefined
  const isTagged = match[0].startsWith("<")
  const pairs = new RegExp(isTagged ? pair : `--([\\w-]+)\\s+${pairValue}`, "g")
  return {
    syntax: isTagged ? "name-and-pairs" : "minimax-arrows",
    calls: [callJson(match[1] ?? "", pairsOf(match[2] ?? "", pairs))],
    end: at + match[0].length
  }
}

const functionTag = new RegExp(
  `(?:<${prefix}(?:(?:tool|function)_calls?|(?:minimax|seed):tool_call|tool_use)>\\s*){0,3}<${prefix}(?:function|invoke|tool)(?:=|\\s+name=)["']?([\\w.:-]+)["']?\\s*>`,
  "y"
)
const pairsTag = /(?:<tool_call>\s*([\w.:-]+)\s*(?=<arg_key>|<\/?tool_call>)|([\w.:-]+)[ \t]*\n?\s*(?=<arg_key>))/y
/** A tool name and an object of arguments, also in a code fence. */
const namedObject = /<tool_call>\s*([\w.:-]+)\s*(?:```(?:json)?\s*)?(\{[^]*?\})\s*(?:```\s*)?<\/tool_call>/y
const holderTag = /<(tool_use|use_tool|tool_call|function_call|tool|action)>(?=\s*<(?:tool_?)?name>)/y
const toolTag = /<([a-z]+(?:_[a-z]+)*)>(?=\s*<\w+>)/y
const emptyTag = /<([a-z]+(?:_[a-z]+)+)>\s*(?=<\/\1>)/y

export const readTagged = (source: Source, at: number, isTool: IsTool): NativeRead | undefined => {
  const opening = source.match(functionTag, at)
  if (opening !== undefined) {
    const syntax = opening[0].includes("invoke") ? "invoke" : "function-tag"
    return { syntax, ...readParameters(source, opening[1] ?? "", at + opening[0].length) }
  }
  const pairs = source.match(pairsTag, at)
  if (pairs !== undefined) {
    const start = at + pairs[0].length
    return { syntax: "argument-pairs", ...readArgumentPairs(source, pairs[1] ?? pairs[2] ?? "", start) }
  }
  const object = source.match(namedObject, at)
  if (object !== undefined && isObject(object[2] ?? "")) {
    const calls = [callJson(object[1] ?? "", object[2] ?? "{}")]
    return { syntax: "name-and-json", calls, end: at + object[0].length }
  }
  const holder = source.match(holderTag, at)
  if (holder !== undefined) return readNamedTag(source, holder[1] ?? "", at + holder[0].length)
  const assigned = readPairs(source, at)
  if (assigned !== undefined) return assigned
  const own = source.match(toolTag, at) ?? source.match(emptyTag, at)
  return own?.[1]?.includes("_") === true && isTool(own[1])
    ? readToolTag(source, own[1], at + own[0].length)
    : undefined
}
