/**
 * Calls in the syntax of other programs: JSON in tags or after a mark, a tag that names the tool, parameters as tags. Each
 * becomes the JSON of a call; what the values mean is read later. The cost is proportional to the length of the text.
 */

import { scanJson } from "../text/Json.ts"

/** A call as JSON, with the tag that named its tool. */
export interface MarkedCall {
  readonly kind: "call"
  readonly json: string
  readonly tag?: string
}

/** A piece of a string: a call, or what stands around calls. */
export type MarkedPart = MarkedCall | { readonly kind: "text"; readonly text: string }

const mark =
  /<(?:tool|function)_calls?>|<function=|<invoke\s+name=|<\|(?:python_tag|tool_call)\|>|\[TOOL_CALLS\](?=\s*[{[])/
    .source
const beginning = new RegExp(`^\\s*(?:${mark})`)
const lineBeginning = new RegExp(`(?<=\\n)[ \\t]{0,3}(?:${mark})`, "g")

/** True for a string that begins with a call in the syntax of another program. */
export const beginsWithMark = (text: string): boolean => beginning.test(text)

/** True when a line of the text begins with such a call. */
export const hasMarkedLine = (text: string): boolean =>
  (text.includes("<") || text.includes("[TOOL_CALLS]")) && (beginsWithMark(text) || text.search(lineBeginning) >= 0)

/** Tags around calls, and marks before and after them, which say nothing about the call itself. */
const wrapper =
  /(?:[\s,;]|<\/?(?:tool|function)_calls?>|<\|\/?(?:python_tag|tool_call|eom_id|eot_id|im_end)\|>|\[TOOL_CALLS\](?=\s*[{[]))*/y
const openingTag = /<(tool|function)_call>\s*$/
const named = /<function=["']?([\w.:-]+)["']?>|<invoke\s+name=["']?([\w.:-]+)["']?\s*>/y
const parameter = /\s*<parameter(?:=|\s+name=)["']?([\w.-]+)["']?\s*>([^]*?)<\/parameter>/y

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The arguments between the tags of a tool, as JSON; nothing when there is anything else. */
const argumentsIn = (body: string): string | undefined => {
  const trimmed = body.trim()
  // What is no strict JSON becomes a string, which is read with all its slips.
  if (trimmed.startsWith("{")) return isJson(trimmed) ? trimmed : JSON.stringify(trimmed)
  const entries: Array<string> = []
  let end = 0
  parameter.lastIndex = 0
  for (let found = parameter.exec(body); found !== null; found = parameter.exec(body)) {
    const [, name = "", value = ""] = found
    // A tag inside of a value says that the value before it never ended.
    if (/<(?:function=|parameter[=\s])/.test(value)) return undefined
    entries.push(`${JSON.stringify(name)}: ${JSON.stringify(value.replace(/^\n/, "").replace(/\n$/, ""))}`)
    end = parameter.lastIndex
  }
  return body.slice(end).trim() === "" ? `{ ${entries.join(", ")} }` : undefined
}

class MarkedText {
  readonly parts: Array<MarkedPart> = []
  readonly #text: string
  /** Closing signs that no later text holds. */
  readonly #missing = new Set<string>()
  /** Ends of tags that belong to no call, so that each is looked at once. */
  readonly #torn = new Set<number>()
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  #find(sign: string): number | undefined {
    if (this.#missing.has(sign)) return undefined
    const found = this.#text.indexOf(sign, this.#at)
    if (found >= 0) return found
    this.#missing.add(sign)
    return undefined
  }

  /** A call as JSON. Tags delimit it, also when it is broken; without them its brackets do. */
  #addJson(before: string): void {
    const tag = openingTag.exec(before)?.[1]
    const closing = tag === undefined ? undefined : this.#find(`</${tag}_call>`)
    const end = closing ?? this.#endOfValue() ?? this.#text.length
    this.parts.push({ kind: "call", json: this.#text.slice(this.#at, end) })
    this.#at = end
  }

  /** The position after the value that begins here; nothing when its brackets are not closed. */
  #endOfValue(): number | undefined {
    const token = /"(?:[^"\\]|\\[^])*"|[{}[\]]/g
    token.lastIndex = this.#at
    let depth = 0
    for (let found = token.exec(this.#text); found !== null; found = token.exec(this.#text)) {
      const [sign] = found
      if (sign === "{" || sign === "[") depth += 1
      if (sign === "}" || sign === "]") depth -= 1
      if (depth === 0) return token.lastIndex
    }
    return undefined
  }

  /** A call in a tag with the name of its tool; false when the tag does not end or holds anything else. */
  #addNamed(): boolean {
    named.lastIndex = this.#at
    const [tag, ofFunction, ofInvoke] = named.exec(this.#text) ?? []
    if (tag === undefined) return false
    const closing = ofFunction === undefined ? "</invoke>" : "</function>"
    const end = this.#find(closing)
    const given =
      end === undefined || this.#torn.has(end) ? undefined : argumentsIn(this.#text.slice(this.#at + tag.length, end))
    if (end === undefined) return false
    if (given === undefined) {
      this.#torn.add(end)
      return false
    }
    const name = JSON.stringify(ofFunction ?? ofInvoke)
    this.parts.push({ kind: "call", json: `{ "name": ${name}, "arguments": ${given} }`, tag })
    this.#at = end + closing.length
    return true
  }

  /** Text up to the next line that begins with a call. */
  #addText(): void {
    lineBeginning.lastIndex = this.#at + 1
    const next = lineBeginning.exec(this.#text)?.index ?? this.#text.length
    this.parts.push({ kind: "text", text: this.#text.slice(this.#at, next).trim() })
    this.#at = next
  }

  read(): ReadonlyArray<MarkedPart> {
    if (!beginsWithMark(this.#text) && this.#text !== "") this.#addText()
    while (this.#at < this.#text.length) {
      wrapper.lastIndex = this.#at
      const [before = ""] = wrapper.exec(this.#text) ?? []
      const start = this.#at
      this.#at += before.length
      if (this.#at >= this.#text.length) break
      const isAfterMark = before.trim() !== "" || this.parts.at(-1)?.kind === "call"
      if (isAfterMark && /[{[]/.test(this.#text.charAt(this.#at))) this.#addJson(before)
      else if (!this.#addNamed()) {
        this.#at = start
        this.#addText()
      }
    }
    return this.parts
  }
}

/** The parts of a string in order; a call begins the string or a line of it. */
export const markedParts = (text: string): ReadonlyArray<MarkedPart> => new MarkedText(text).read()

/** True for a string that ends inside of a call between tags. */
export const endsInCall = (text: string): boolean => {
  if (!hasMarkedLine(text)) return false
  const call = text.slice(Math.max(0, text.lastIndexOf("_call>") + "_call>".length))
  const isOpen =
    text.lastIndexOf("_call>") === text.lastIndexOf("<tool_call>") + "<tool".length && scanJson(call).open > 0
  return isOpen || text.lastIndexOf("<parameter") > text.lastIndexOf("</parameter>")
}

/** The calls of a string that is nothing else; nothing for any other string. */
export const markedCalls = (text: string): ReadonlyArray<MarkedCall> | undefined => {
  if (!beginsWithMark(text)) return undefined
  const parts = markedParts(text)
  const calls = parts.filter((part) => part.kind === "call")
  return calls.length > 0 && calls.length === parts.length ? calls : undefined
}
