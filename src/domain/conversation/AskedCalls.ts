/**
 * The calls that a model requests in a conversation. They are read as those of a refinement are: what has one meaning is
 * repaired, the rest is an issue. Calls that a model writes into its text are found, too, and calls that it repeats without
 * a new result are detected.
 */
import { type Issue, type Repair, type Findings, makeRepair } from "../findings/Issue.ts"
import { fencedBlocks, proseLines } from "../markdown/Outline.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import { canonicalJson } from "../text/Json.ts"
import { meantTool } from "../tools/ArgumentCheck.ts"
import { joinBlocks, readFencedCalls, holdsCall } from "../tools/ToolCallTraces.ts"
import { hasMarkedLine, markedParts } from "../tools/MarkedCalls.ts"
import type { ToolCall, CallOutcome } from "../tools/ToolCall.ts"
import { readCallBlock } from "../tools/ToolCallFormat.ts"

/** A requested call. When there are `issues`, it cannot be run, and `call` holds only its name. */
export interface ReadAskedCall {
  readonly asked: AskedCall
  readonly call: ToolCall
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** Reads one call; `uid` identifies it within the message. */
export const readAskedCall = (asked: AskedCall, uid: string): ReadAskedCall => {
  const findings: Findings = { issues: [], repairs: [] }
  const text = JSON.stringify({ uid, name: asked.name, arguments: asked.arguments })
  const [call] = readCallBlock(text, {}, findings)
  return { asked, call: call === undefined ? { uid, name: asked.name, arguments: {} } : { ...call, uid }, ...findings }
}

/** The blocks of calls in their order, and the text before them. */
interface OwnBlocks {
  readonly blocks: ReadonlyArray<string>
  readonly rest: string
}

const none: OwnBlocks = { blocks: [], rest: "" }

/** Types of code blocks that hold calls; in any other one a call is an example. */
const callLanguages = new Set(["", "json", "jsonc", "json5", "xml", "tool", "tool_call", "tool_calls", "tool_code"])

const isOwn = (language: string): boolean => callLanguages.has(language.toLowerCase())

/** The code blocks of a string that holds nothing else. */
const loneFences = (text: string): ReadonlyArray<string> => {
  if (!/(?:`{3,}|~{3,})$/.test(text)) return []
  const fences = fencedBlocks(text)
  const isAlone = proseLines(text).every((line) => line.text.trim() === "")
  const areOwn = fences.every(
    ({ language, text: inside }, index) => isOwn(language) || (index > 0 && !holdsCall(inside))
  )
  return isAlone && areOwn ? fences.map((fence) => fence.text) : []
}

const fenceLine = /^ {0,3}(?:`{3,}|~{3,})/gm
const openThought = /<(think|thinking|thought|reasoning)>(?![^]*<\/\1>)/i
const intention = /\b(?:I(?:['’]ll| will| am going to|['’]m going to| need to| want to)|let me|let['’]s)\b/i
const example =
  /\b(?:examples?|e\.g\.|syntax|formats?|looks? like|shows?|says?|contains?|reads|quotes?|written|writes)\b/i

/** What is opened and not closed again: elements that hold foreign text, data, verbatim text, the turn of somebody else. */
const openElement =
  /<(details|blockquote|pre|code|script|style|template|textarea|document|file|quote|tool_response)\b[^<>]*>(?![^]*<\/\1)|<!\[CDATA\[(?![^]*\]\]>)|\\begin\{(\w+)\}(?![^]*\\end\{\2\})|<\|(?:im_start|start_header_id)\|>\s*(?:user|tool|system)/i
const frontMatter = /^-{3,}\n[^]*\n-{3,}$/
/** A sentence that says what must not be run, or what somebody else wants. */
const rejects =
  /(?:\bnot|\bnever|n['’]t|\brefuse to|\bavoid)\s+(?:\w+\s+)?(?:run|send|call|execute|use)\b|\b(?:page|file|document|comment|text|readme|site|website|result|output|author|attacker|note)\b[^.!?]*\b(?:wants?|asks?|tells?|told|instructs?|orders?|demands?)\b/i

/** True for a string after which a call is still inside of something, or is announced as something to look at. */
const leadsToQuote = (before: string): boolean => {
  const last = before.slice(before.lastIndexOf("\n") + 1).trim()
  const sentence = last.split(/[.!?]\s+/).at(-1) ?? ""
  const isOpen =
    (before.match(fenceLine) ?? []).length % 2 === 1 ||
    before.lastIndexOf("<!--") > before.lastIndexOf("-->") ||
    openThought.test(before) ||
    openElement.test(before) ||
    frontMatter.test(before.trim()) ||
    ((before.split(/\n[ \t]*\n/).at(-1) ?? "").match(/"/g) ?? []).length % 2 === 1
  const isInside =
    /^(?:>|[-*+]\s|\d+[.)]\s|\||\[[^\]]+\]:|#{1,6}\s.*\b(?:contents?|excerpt|output|quote)\b)/i.test(last) ||
    /(?:<[a-z][^<>]*>|["'“‘«`(])$/i.test(last)
  const announces = /[:—–]$/.test(last) && !(intention.test(sentence) && !example.test(sentence.replace(intention, "")))
  return isOpen || isInside || announces || rejects.test(sentence)
}

/** The calls that end a string, each beginning a line. */
const lastCalls = (text: string): OwnBlocks => {
  const parts = markedParts(text)
  const [first] = parts
  const before = first?.kind === "text" ? first.text : ""
  const blocks = parts.flatMap((part) => (part.kind === "call" ? [part.json] : []))
  return parts.length > blocks.length + (before === "" ? 0 : 1) || leadsToQuote(before)
    ? none
    : { blocks, rest: before }
}

/**
 * What the answer calls at its own level, as opposed to what it quotes, explains or repeats. Only a text that is nothing but
 * calls counts, and calls in tags that end the text. Calls in a sentence, a quotation, a comment or a code block beside
 * other text are part of the answer: running them would let a file that is quoted decide what is run.
 */
const ownBlocks = (text: string): OwnBlocks => {
  const trimmed = text.trim()
  if (/^(?:`{3,}|~{3,})/.test(trimmed)) return { blocks: loneFences(trimmed), rest: "" }
  if (hasMarkedLine(trimmed)) return lastCalls(trimmed)
  return /^[{[][^]*[}\]]$/.test(trimmed) ? { blocks: [trimmed], rest: "" } : none
}

/** The calls in the text of an answer, and the rest of the text. */
interface CallsInText {
  readonly calls: ReadonlyArray<AskedCall>
  readonly text: string
  readonly repairs: ReadonlyArray<Repair>
}

/**
 * The calls in the text of an answer that has no calls of its own; nothing unless all can be read and every name is that of
 * a tool. `idOf` gives their ids by their position from 1.
 */
export const callsInText = (
  text: string,
  tools: ReadonlySet<string>,
  idOf: (position: number) => string
): CallsInText | undefined => {
  const { blocks, rest } = ownBlocks(text)
  const findings: Findings = { issues: [], repairs: [] }
  const read = blocks.map((block) => readFencedCalls(block, true, {}))
  const calls = joinBlocks(read, findings)
  const isTool = (name: string): boolean => tools.has(name) || meantTool(name, [...tools]) !== undefined
  if (calls.length === 0 || findings.issues.length > 0 || calls.some(({ name }) => !isTool(name))) return undefined
  const number = calls.length === 1 ? "a tool call" : `${calls.length} tool calls`
  return {
    calls: calls.map((call, index) => ({ id: idOf(index + 1), name: call.name, arguments: call.arguments })),
    text: rest,
    repairs: [
      ...findings.repairs,
      makeRepair("tool-call-repaired", {}, `Read ${number} out of the text of the answer.`)
    ]
  }
}

const callKey = ({ call }: CallOutcome): string => canonicalJson([call.name, call.arguments])

const resultKey = ({ result }: CallOutcome): string =>
  canonicalJson([result.success, result.error_type, result.data, result.error_message])

/** Detects a model that repeats a call without a new result, within one message of the person. */
export class RepeatedCallDetector {
  readonly #limit: number
  readonly #seen = new Map<string, { readonly result: string; readonly times: number }>()

  /** `limit` is how often a call may give the same result. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Adds the outcomes of one iteration, in which a call counts once, and gives the name of a tool that has reached the limit. */
  add(outcomes: ReadonlyArray<CallOutcome>): string | undefined {
    const once = new Map(outcomes.map((outcome) => [callKey(outcome), outcome]))
    for (const [key, outcome] of once) {
      const before = this.#seen.get(key)
      const result = resultKey(outcome)
      this.#seen.set(key, { result, times: before?.result === result ? before.times + 1 : 1 })
    }
    return [...once].find(([key]) => (this.#seen.get(key)?.times ?? 0) >= this.#limit)?.[1].call.name
  }
}
