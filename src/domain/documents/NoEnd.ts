/**
 * Recognises texts that cannot end the work: a call, a promise, a copied template, an unfinished sentence, or a refusal
 * by a model that has the files. A long text, or a text with a link, is never judged: it may be a result.
 */
import { fencedBlocks, proseLines } from "../markdown/Outline.ts"
import { readNative } from "../tools/native/NativeCalls.ts"
import { readBlock } from "../tools/ToolCallJson.ts"
import { holdsCall } from "../tools/ToolCallTraces.ts"
import * as Result from "effect/Result"

/** What is wrong with the text, and how the model can correct it. */
interface NoEnd {
  readonly what: string
  readonly how: string
}

/** A text with more characters than this is not judged. */
const mostJudged = 300

const promise =
  /\b(?:I(?:['’]ll| will| am going to|['’]m going to| need to| have to| should| must)|let me(?! know)|let['’]s)\b[^.!?]*\b(?:look|read|check|search|open|find|see|examine|inspect|investigate|analy[sz]e|review|run|start|begin|explore|gather|fetch|list|call|use|try|first|now|next)\b/i
const politeness =
  /^(?:sure|okay|ok|certainly|of course|great|alright|absolutely|got it|understood|yes|no problem)\b[^.!?]{0,40}$/i
const doing =
  /^(?:(?:now )?(?:reading|searching|looking|checking|calling|running|opening|fetching|writing)\b|here (?:you go|it is|is the (?:tool )?call)|I(?:['’]ll| will) wait\b|let me know\b|please wait\b)[^.!?:]{0,60}[.!?:]*$/i
const refusal =
  /\b(?:cannot|can't|can not|unable to|not able to|(?:do(?:n't| not) have|have no) (?:direct )?access)\b[^.!?]*\b(?:files?|file ?system|computer|codebase|code|repository|project|tools?|documents?)\b/i
/** Words that give a reason why a file was not read. If a refusal contains such a word, it counts as a result. */
const reason = /\b(?:denied|permission|allowed|refused|declined|exist|found|missing|binary|too large|outside)\b/i
const placeholder = /^<[a-z][^<>\n]{8,}>$/i

const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<=[.!?:])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")

const isCall = (text: string): boolean => {
  const { text: read } = readNative(text)
  if (/^\s*<tool_call>/.test(read)) return true
  const fences = fencedBlocks(text)
  const prose = proseLines(text)
    .map((line) => line.text)
    .join("\n")
    .trim()
  const [only = prose] = fences.map((fence) => fence.text)
  return (prose === "" || fences.length === 0) && /^\s*[{[]/.test(only) && holdsCall(only)
}

const isPlan = (text: string): boolean =>
  /^[-*\s]*\*\*Name\*\*/m.test(text) && /^[-*\s]*\*\*(?:Skill|What is needed)\*\*/m.test(text)

/** True if every sentence only promises a next step or is polite. */
export const onlyPromises = (text: string): boolean =>
  sentencesOf(text).every((one) => promise.test(one) || doing.test(one) || politeness.test(one.replace(/[.!?:]$/, "")))

export const headless = (report: string): string =>
  report.replace(/^\s*#{1,6}\s+\**result summary\**:?[ \t]*\n/i, "").trim()

/**
 * Why a text cannot end the work. Undefined if it can. `isRead` is true if the caller already knows that the text makes
 * no call.
 */
export const noEnd = (written: string, { hasFiles = true, isRead = false } = {}): NoEnd | undefined => {
  const text = headless(written)
  if (isPlan(text)) return { what: "It is a list of tasks.", how: "Write what was found or done." }
  if (!isRead && isCall(text)) return { what: "It is a tool call.", how: "Write what was found or done." }
  if (text.length > mostJudged || /\]\([^)\s]+\)|`{3}/.test(text)) return undefined
  if (placeholder.test(text)) return { what: "It is a copied template.", how: "Write what was found or done." }
  const sentences = sentencesOf(text)
  const promises = sentences.filter((one) => promise.test(one))
  if (
    promises.length > 0 &&
    sentences.every((one) => promises.includes(one) || politeness.test(one.replace(/[.!?:]$/, "")))
  ) {
    return { what: "It only says what comes next.", how: "Do it: ask for it now, or write what was found or done." }
  }
  if (text.endsWith(":") && !text.includes("\n")) return { what: "It breaks off.", how: "Write all of it." }
  if (hasFiles && refusal.test(text) && !reason.test(text)) {
    const how = "The tools give access to the files: use them, or write what their outputs say."
    return { what: "It says that files cannot be accessed.", how }
  }
  return undefined
}

const textKeys = new Set(
  "answer response result summary result_summary final_answer content message text output reply".split(" ")
)

/** Keys of a JSON answer that carry no content. */
const remarkKeys = new Set("type role status success done confidence title task name format language".split(" "))

/** The markers that some models write around their final answer. */
const finals = [
  /^(?:\**thought\**:[^\n]*\n\s*)*\**final answer\**:\**\s*([^]+)$/i,
  /^(?:thoughts?:[^\n]*\n\s*)?(?:<code>|```(?:py|python)?)?\s*final_answer\(\s*(?:f?"((?:[^"\\\n]|\\.)*)"|f?'([^'\n]*)')\s*\)\s*(?:<\/code>|```)?(?:<end_code>)?$/i
]

/** The text inside a JSON object, or after a marker of a final answer. Undefined for other answers. */
export const unwrapped = (answer: string): string | undefined => {
  const text = answer.trim()
  const final = finals.map((one) => one.exec(text)).find((found) => found !== null)
  if (final !== undefined)
    return (final[1] ?? final[2] ?? final[3] ?? "")
      .replace(/\\([\\"])/g, "$1")
      .replaceAll("\\n", "\n")
      .trim()
  const [fence, ...others] = fencedBlocks(text)
  const isFence = fence !== undefined && others.length === 0 && /^(?:`{3,}|~{3,})[^]*(?:`{3,}|~{3,})$/.test(text)
  const json = isFence ? fence.text : text
  if (!/^\s*\{[^]*\}\s*$/.test(json)) return undefined
  const read = readBlock(json)
  const [value, ...more] = Result.isSuccess(read) ? read.success.values : []
  if (typeof value !== "object" || value === null || Array.isArray(value) || more.length > 0) return undefined
  const entries = Object.entries(value)
  const [found, ...twice] = entries.filter(([key, inner]) => textKeys.has(key) && typeof inner === "string")
  const isAll = entries.every(([key]) => key === found?.[0] || remarkKeys.has(key))
  const inner = found?.[1]
  return twice.length === 0 && isAll && typeof inner === "string" && inner.trim() !== "" ? inner : undefined
}
