/** Reads calls in Python syntax: `read_file(path="a.ts")`. Reads only literals, and runs nothing. */

import { callJson, type IsTool, type NativeRead, type Source, tornRead } from "./Source.ts"

/** A call in Python syntax, with its arguments as JSON. An argument without a name has the empty name. */
export interface PythonCall {
  readonly name: string
  readonly json: string
  /** The index after the call. */
  readonly end: number
}

type Value = string | number | boolean | null | ReadonlyArray<Value> | { readonly [name: string]: Value }

const space = /\s*/y
const word = /[A-Za-z_][\w.]*/y
const number = /[-+]?\d+(?:\.\d+)?/y
const string = /[bur]*(?:"""([^]*?)"""|'''([^]*?)'''|"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)')/iy
const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["True", true],
  ["true", true],
  ["False", false],
  ["false", false],
  ["None", null],
  ["null", null]
])
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" }

const unescape = (written: string): string =>
  written.replace(/\\(u[\da-f]{4}|x[\da-f]{2}|[^])/gi, (_, code: string) =>
    code.length > 1 ? String.fromCharCode(parseInt(code.slice(1), 16)) : (escapes[code] ?? code)
  )

const maxDepth = 20

/** Parses Python literals. Returns undefined for any other code. */
class Reader {
  at: number
  private readonly text: string

  constructor(text: string, at: number) {
    this.text = text
    this.at = at
  }

  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text) ?? undefined
    this.at += found?.[0].length ?? 0
    return found
  }

  takeSign(sign: string): boolean {
    this.take(space)
    const isThere = this.text.startsWith(sign, this.at)
    if (isThere) this.at += sign.length
    return isThere
  }

  /** Parses items between commas, up to the closing bracket. Returns false for other code. */
  private items(close: string, read: () => boolean): boolean {
    while (!this.takeSign(close)) {
      if (!read()) return false
      if (!this.takeSign(",")) return this.takeSign(close)
    }
    return true
  }

  value(depth = 0): Value | undefined {
    this.take(space)
    if (depth > maxDepth) return undefined
    if (this.takeSign("[") || this.takeSign("(")) {
      const close = this.text[this.at - 1] === "[" ? "]" : ")"
      const list: Array<Value> = []
      const read = () => {
        const one = this.value(depth + 1)
        if (one !== undefined) list.push(one)
        return one !== undefined
      }
      return this.items(close, read) ? list : undefined
    }
    if (this.takeSign("{")) {
      const entries: Array<[string, Value]> = []
      const read = () => {
        const name = this.value(depth + 1)
        const one = this.takeSign(":") ? this.value(depth + 1) : undefined
        if (typeof name === "string" && one !== undefined) entries.push([name, one])
        return typeof name === "string" && one !== undefined
      }
      return this.items("}", read) ? Object.fromEntries(entries) : undefined
    }
    const quoted = this.take(string)
    if (quoted !== undefined) {
      const written = quoted[1] ?? quoted[2] ?? quoted[3] ?? quoted[4] ?? ""
      const text = /^[bu]*r/i.test(quoted[0]) ? written : unescape(written)
      // String literals that follow each other are one string.
      this.take(space)
      const next = /["']/.test(this.text.charAt(this.at)) ? this.value(depth + 1) : ""
      return typeof next === "string" ? text + next : undefined
    }
    const digits = this.take(number)
    if (digits !== undefined) return Number(digits[0])
    const name = this.take(word)?.[0]
    return name === undefined ? undefined : constants.get(name)
  }

  /** The arguments up to the closing bracket, as a JSON object. */
  arguments(): string | undefined {
    const entries: Array<[string, Value]> = []
    const label = /([A-Za-z_]\w*)\s*(?:=(?!=)|:)/y
    const read = () => {
      this.take(space)
      const [, key = ""] = this.take(label) ?? []
      const one = this.value()
      if (one === undefined || (key === "" && entries.length > 0)) return false
      entries.push([key, one])
      return true
    }
    if (!this.items(")", read)) return undefined
    const [[name, only] = ["", undefined]] = entries
    // A single object without a name contains all arguments.
    const isAll = name === "" && typeof only === "object" && only !== null && !Array.isArray(only)
    return JSON.stringify(isAll ? only : Object.fromEntries(entries))
  }
}

/** The call at `at`; undefined if there is none, or if a value is no literal. */
export const pythonCallAt = (text: string, at: number): PythonCall | undefined => {
  const reader = new Reader(text, at)
  const name = reader.take(word)?.[0]
  if (name === undefined || !reader.takeSign("(")) return undefined
  const json = reader.arguments()
  const plainName =
    name
      .replace(/\.call$/, "")
      .split(".")
      .at(-1) ?? name
  return json === undefined ? undefined : { name: plainName, json: callJson(plainName, json), end: reader.at }
}

/** The calls of a list `[a(x=1), b()]` at `at`, and the index after it. */
export const pythonListAt = (
  text: string,
  at: number
): { readonly calls: ReadonlyArray<PythonCall>; readonly end: number } | undefined => {
  const reader = new Reader(text, at)
  const calls: Array<PythonCall> = []
  if (!reader.takeSign("[")) return undefined
  do {
    reader.take(space)
    const call = pythonCallAt(text, reader.at)
    if (call === undefined) return undefined
    calls.push(call)
    reader.at = call.end
  } while (reader.takeSign(","))
  return reader.takeSign("]") ? { calls, end: reader.at } : undefined
}

const remark = /^\s*(?:#.*|import\s.*|from\s.*|print\(\s*\w+\s*\)|\w+)?$/
const assigned = /^\s*(?:\w+(?:\s*:\s*\w+)?\s*=\s*)?/
const printed = /^print\(\s*/

/** The calls in Python code; undefined if it contains any other statement. */
export const pythonCalls = (code: string): ReadonlyArray<PythonCall> | undefined => {
  const calls: Array<PythonCall> = []
  let rest = code.trim()
  while (rest !== "") {
    const [line = ""] = rest.split("\n", 1)
    if (remark.test(line)) {
      rest = rest.slice(line.length).trimStart()
      continue
    }
    let at = assigned.exec(rest)?.[0].length ?? 0
    const isPrinted = printed.test(rest.slice(at))
    if (isPrinted) at += printed.exec(rest.slice(at))?.[0].length ?? 0
    const call = pythonCallAt(rest, at)
    if (call === undefined) return undefined
    calls.push(call)
    const after = rest.slice(call.end)
    const end = isPrinted ? /^\s*,?\s*\)/.exec(after)?.[0].length : 0
    if (end === undefined) return undefined
    rest = after.slice(end).replace(/^[ \t]*;?[ \t]*(?:#.*)?/, "")
    if (rest !== "" && !rest.startsWith("\n")) return undefined
    rest = rest.trimStart()
  }
  return calls.length > 0 ? calls : undefined
}

const listOpening = /\[\s*([A-Za-z_][\w.]*)\(/y

export const readPythonList = (source: Source, at: number, isTool: IsTool): NativeRead | undefined => {
  const name = source.match(listOpening, at)?.[1]?.split(".").at(-1)
  if (name === undefined || !isTool(name)) return undefined
  const list = pythonListAt(source.text, at)
  if (list?.calls.every((one) => isTool(one.name)) === true) {
    return { syntax: "python-list", calls: list.calls.map(({ json }) => json), end: list.end }
  }
  return name.includes("_") ? tornRead(source, "The list of calls cannot be read.") : undefined
}

const codeTag = /<code>[ \t]*\n([^]*?)\n[ \t]*<\/code>/y

export const readCodeTag = (source: Source, at: number, isTool: IsTool): NativeRead | undefined => {
  const match = source.match(codeTag, at)
  const calls = match === undefined ? undefined : pythonCalls(match[1] ?? "")
  return match !== undefined && calls?.every(({ name }) => isTool(name)) === true
    ? { syntax: "code-agent", calls: calls.map(({ json }) => json), end: at + match[0].length }
    : undefined
}

const python = /(?=(?:default_api\.|functions?\.|tools?\.)?[a-z_]\w*(?:\.call)?\()/iy

export const readPythonLine = (source: Source, at: number, isTool: IsTool): NativeRead | undefined => {
  const call = source.match(python, at) === undefined ? undefined : pythonCallAt(source.text, at)
  return call !== undefined &&
    isTool(call.name) &&
    call.name.includes("_") &&
    /^[ \t;]*(?:\n|$)/.test(source.text.slice(call.end, call.end + 200))
    ? { syntax: "python-line", calls: [call.json], end: call.end }
    : undefined
}

const callingTool = /\[calling[ _]tool:\s*/iy

/** Reads `[Calling tool: read_file({"path": "a.ts"})]`. */
export const readCallingTool = (source: Source, at: number, isTool: IsTool): NativeRead | undefined => {
  const opening = source.match(callingTool, at)
  const call = opening === undefined ? undefined : pythonCallAt(source.text, at + opening[0].length)
  if (call === undefined || !isTool(call.name)) return undefined
  const close = source.match(/\s*\]/y, call.end)
  return close === undefined
    ? undefined
    : { syntax: "calling-tool", calls: [call.json], end: call.end + close[0].length }
}
