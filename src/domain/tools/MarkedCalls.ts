/**
 * Reads calls that are JSON between `<tool_call>` tags. `readNative` converts all other forms of calls to this form.
 * All functions take linear time.
 */

import { endOfJson } from "./native/Source.ts"
import { scanJson } from "../text/Json.ts"

/** A part of a text: the JSON of a call, or the text between calls. */
export type MarkedPart =
  | { readonly kind: "call"; readonly json: string }
  | { readonly kind: "text"; readonly text: string }

const tag = "<tool_call>"
const beginning = /^\s*<tool_call>/
const lineBeginning = /(?<=\n)[ \t]{0,3}<tool_call>/g

export const beginsWithMark = (text: string): boolean => beginning.test(text)

/** True if a line of the text begins with the tag of a call. */
export const hasMarkedLine = (text: string): boolean =>
  text.includes(tag) && (beginsWithMark(text) || text.search(lineBeginning) >= 0)

/** Tags around a group of calls. They carry no information. */
const wrapper = /(?:[\s,;]|<\/?tool_calls?>|<\|(?:eom_id|eot_id|im_end)\|>)*/y

/** Splits a text into calls and other text. The tag of a call must begin a line. */
export const markedParts = (text: string): ReadonlyArray<MarkedPart> => {
  const parts: Array<MarkedPart> = []
  let lastClosing: number | undefined
  let at = 0
  const addText = (): void => {
    lineBeginning.lastIndex = at + 1
    const next = lineBeginning.exec(text)?.index ?? text.length
    parts.push({ kind: "text", text: text.slice(at, next).trim() })
    at = next
  }
  if (!beginsWithMark(text) && text !== "") addText()
  while (at < text.length) {
    wrapper.lastIndex = at
    const [before = ""] = wrapper.exec(text) ?? []
    const start = at + before.length
    if (start >= text.length) break
    const isAfterMark = before.trim() !== "" || parts.at(-1)?.kind === "call"
    if (!isAfterMark || !/[{[]/.test(text.charAt(start))) {
      addText()
      continue
    }
    // A closing tag ends the call even if its JSON is broken. Without one, the brackets show the end.
    if (lastClosing === undefined || (lastClosing >= 0 && lastClosing < start)) {
      lastClosing = text.indexOf("</tool_call>", start)
    }
    const isTagged = /<tool_call>\s*$/.test(before) && lastClosing >= 0
    at = isTagged ? lastClosing : (endOfJson(text, start) ?? text.length)
    parts.push({ kind: "call", json: text.slice(start, at) })
  }
  return parts
}

/** True for a text that ends in the middle of a call between tags. */
export const endsInCall = (text: string): boolean => {
  if (!hasMarkedLine(text)) return false
  const last = text.lastIndexOf("_call>")
  return last === text.lastIndexOf(tag) + "<tool".length && scanJson(text.slice(last + "_call>".length)).open > 0
}

/** The JSON of the calls; undefined if there is other text. */
export const markedCalls = (text: string): ReadonlyArray<string> | undefined => {
  if (!beginsWithMark(text)) return undefined
  const parts = markedParts(text)
  const calls = parts.flatMap((part) => (part.kind === "call" ? [part.json] : []))
  return calls.length > 0 && calls.length === parts.length ? calls : undefined
}
