/** Calls as JSON after the marks of a family of models. Each family is one record. */

import { pythonCallAt } from "./PythonCalls.ts"
import { callJson, endOfJson, type NativeRead, type Source, tornRead } from "./Source.ts"

interface Family {
  /** Up to the JSON; its first group is the name of the tool, when that stands outside of the JSON. */
  readonly opening: RegExp
  /** The marks after the JSON. */
  readonly closing: RegExp
  /** True when the opening may follow a sentence on its line. */
  readonly isMark: boolean
}

const bar = "[|｜]"
const gap = "[▁_ ]"
const deepSeek = (what: string): string => `<${bar}tool${gap}${what}${bar}>`
const deepSeekBegin = `(?:${deepSeek(`calls?${gap}begin`)}\\s*)`
const name = "([\\w.:-]+)"
const json = "(?:```\\w*\\s*)?(?=\\{)"

const family = (opening: string, closing: string, isMark = true): Family => ({
  opening: new RegExp(opening, "y"),
  closing: new RegExp(closing, "y"),
  isMark
})

/** The name stands before the JSON of the arguments. */
const named: ReadonlyArray<Family> = [
  // Mistral, Devstral
  family(
    `(?:\\[TOOL_CALLS\\]\\s*)?${name}(?:\\[CALL_ID\\]\\w*)?\\s*\\[ARGS\\]\\s*(?=\\{)`,
    "\\s*(?:\\[/TOOL_CALLS\\])?"
  ),
  family(`\\[TOOL_CALLS\\]\\s*${name}\\s*(?=\\{)`, "\\s*(?:\\[/TOOL_CALLS\\])?"),
  // DeepSeek
  family(
    `${deepSeekBegin}{0,4}(?:function\\s*)?${deepSeek("sep")}\\s*${name}\\s*${json}`,
    `\\s*(?:\`\`\`)?(?:\\s*${deepSeek(`calls?${gap}end`)})*(?:<${bar}end${gap}of${gap}sentence${bar}>)?`
  ),
  family(
    `${deepSeekBegin}{0,4}${name}\\s*${deepSeek("sep")}\\s*${json}`,
    `\\s*(?:\`\`\`)?(?:\\s*${deepSeek(`calls?${gap}end`)})*(?:<${bar}end${gap}of${gap}sentence${bar}>)?`
  ),
  family(`${deepSeekBegin}{1,4}${name}\\s*${json}`, `\\s*(?:\`\`\`)?(?:\\s*${deepSeek(`calls?${gap}end`)})*`),
  // Kimi
  family(
    `(?:<\\|tool_calls_section_begin\\|>\\s*)?(?:<\\|tool_call_begin\\|>\\s*)?(?:functions\\.)?([\\w.-]+)(?::\\d+)?\\s*<\\|tool_call_argument_begin\\|>\\s*(?=\\{)`,
    "(?:\\s*<\\|tool_calls?(?:_section)?_end\\|>)*"
  ),
  // gpt-oss, with or without the marks of its channels; what it thinks is no call
  family(
    `(?:<\\|start\\|>)?(?:assistant)?\\s*(?:<\\|channel\\|>)?\\s*(?:commentary)?\\s*to=(?:functions\\.)?([\\w.:-]+?)\\s*(?:<\\|channel\\|>\\s*commentary)?\\s*(?:<\\|constrain\\|>)?\\s*(?:json|code)?\\s*(?:<\\|message\\|>)?\\s*(?=\\{)`,
    "\\s*(?:<\\|(?:call|end|return)\\|>)?"
  ),
  // Kimi, without its tokens
  family("functions\\.([\\w.-]+):\\d+\\s*(?=\\{)", "", false),
  // GLM, in the place of its tags
  family(`<tool_call>\\s*${name}[ \\t]*(?=\\{)`, "\\s*(?:</tool_call>)?"),
  // Functionary
  family(`>>>${name}[ \\t]*\\n\\s*(?=\\{)`, "", false),
  // Llama
  family(`<function=${name}>\\s*(?=\\{)`, "\\s*</function>(?:<\\|eo[mt]_id\\|>)?")
]

/** The JSON holds the name. */
const whole: ReadonlyArray<Family> = [
  family("(?:<tool_calls>\\s*)?<tool_call>\\s*(?=[{[])", "\\s*(?:</tool_call>)?"),
  family("\\[TOOL_CALLS\\]\\s*(?=[{[])", "\\s*(?:\\[/TOOL_CALLS\\])?"),
  family("\\[TOOL_REQUEST\\]\\s*(?=[{[])", "\\s*(?:\\[END_TOOL_REQUEST\\])?"),
  family("<TOOLCALL>\\s*(?=[{[])", "\\s*(?:</TOOLCALL>)?"),
  family("<\\|python_tag\\|>\\s*(?=[{[])", "\\s*(?:<\\|eo[mt]_id\\|>)?"),
  family("<\\|START_ACTION\\|>\\s*(?=[{[])", "\\s*(?:<\\|END_ACTION\\|>)?"),
  family("<\\|action_start\\|>\\s*(?:<\\|plugin\\|>)?\\s*(?=[{[])", "\\s*(?:<\\|action_end\\|>)?"),
  family("<\\|tool_call\\|>\\s*(?=[{[])", "\\s*(?:<\\|/tool_call\\|>)?"),
  family("<(?:tool_calls|function_calls?)>\\s*(?=[{[])", "\\s*(?:</(?:tool_calls|function_calls?)>)?"),
  family("<tools>\\s*(?=[{[])", "\\s*(?:</tools>)?"),
  family("\\[(?:tool_calls?|TOOL_CALL)\\]\\s*(?=\\{\\s*[\"'])", "\\s*(?:\\[/(?:tool_calls?|TOOL_CALL)\\])?"),
  family("functools(?=\\[)", "", false)
]

const lostOpening = /(?=\{)/y
const closingTag = /\s*<\/(?:tool_call|function_call)>/y

/** Without the second pair of braces, which some models copy from a template. */
const withoutDoubledBraces = (json: string): string => (/^\{\{[^]*\}\}$/.test(json) ? json.slice(1, -1) : json)

const unfinished = "The JSON of the call is not complete."

/** Where JSON between `<tool_call>` tags ends: its brackets may be broken, and a string in it may hold the tag. */
const endOfTagged = (source: Source, start: number, opening: string): number | undefined => {
  if (!opening.includes("<tool_call>")) return undefined
  const end = endOfJson(source.text, start)
  if (end !== undefined && source.match(/\s*<\/?(?:tool_call|function_call)>/y, end) !== undefined) return end
  return source.find("</tool_call>", start)
}

/** The call that begins at a place with the marks of a family. `isLineStart` is false after a sentence. */
export const readMarkedJson = (source: Source, at: number, isLineStart: boolean): NativeRead | undefined => {
  const { text } = source
  for (const { closing, isMark, opening } of [...named, ...whole]) {
    if (!isLineStart && !isMark) continue
    const found = source.match(opening, at)
    if (found === undefined) continue
    const start = at + found[0].length
    const end = endOfTagged(source, start, found[0]) ?? endOfJson(text, start)
    if (end === undefined) return tornRead(source, unfinished, "tool-call-truncated")
    const value = withoutDoubledBraces(text.slice(start, end).trim())
    const calls = [found[1] === undefined ? value : callJson(found[1], value)]
    let last = end
    for (
      let next = source.match(/[\s;,]*(?=\{)/y, last);
      found[1] === undefined && next !== undefined;
      next = source.match(/[\s;,]*(?=\{)/y, last)
    ) {
      const from = last + next[0].length
      const to = endOfJson(text, from)
      if (to === undefined) return tornRead(source, unfinished, "tool-call-truncated")
      if (!/"(?:name|tool|function)/.test(text.slice(from, to))) break
      calls.push(text.slice(from, to))
      last = to
    }
    return { calls, end: last + (source.match(closing, last)?.[0].length ?? 0) }
  }
  if (!isLineStart || source.match(lostOpening, at) === undefined) return undefined
  // The opening tag is lost. Without the closing one the text is JSON, which others read.
  const end = source.find("_call>", at) === undefined ? undefined : endOfJson(text, at)
  const close = end === undefined ? undefined : source.match(closingTag, end)
  return end === undefined || close === undefined
    ? undefined
    : { calls: [text.slice(at, end)], end: end + close[0].length }
}

const gemma = /(?:<\|?tool_call\|?>\s*|<start_function_call>\s*|(?<=^|\n))call:([\w.:-]+)\s*(?=[{(])/y
const gemmaEnds = ["<tool_call|>", "<end_function_call>", "</tool_call>", "<|/tool_call|>"]

/** A call of Gemma: `call:name{path:<escape>a.ts<escape>}` between its marks. */
export const readGemma = (source: Source, at: number, isTool: (name: string) => boolean): NativeRead | undefined => {
  const found = source.match(gemma, at)
  if (found === undefined || (found[0].startsWith("call:") && !isTool(found[1] ?? ""))) return undefined
  const start = at + found[0].length
  const ends = gemmaEnds.flatMap((sign) => {
    const end = source.find(sign, start)
    return end === undefined ? [] : [{ end, after: end + sign.length }]
  })
  const first = ends.sort((a, b) => a.end - b.end)[0] ?? { end: source.text.length, after: source.text.length }
  const quoted = /(<\|"\|>|<escape>)([^]*?)\1/g
  const written = source.text.slice(start, first.end)
  const given = written.replace(quoted, (_, _sign, value: string) => JSON.stringify(value))
  const call = given.startsWith("(") ? pythonCallAt(`${found[1] ?? ""}${given}`, 0) : undefined
  const end = given.startsWith("(") ? undefined : endOfJson(given, 0)
  if (call === undefined && end === undefined) return tornRead(source, unfinished, "tool-call-truncated")
  const isMarked = first.after !== first.end
  const length = call === undefined ? (end ?? 0) : call.end - (found[1] ?? "").length
  return {
    calls: [call?.json ?? callJson(found[1] ?? "", withoutQuotes(given.slice(0, end)))],
    end: isMarked || given !== written ? first.after : start + length
  }
}

/** An object whose values stand without quotes, as JSON. */
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
