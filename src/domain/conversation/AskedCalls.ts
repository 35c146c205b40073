/**
 * Reads the calls that a model asks for in a conversation into `ToolCall`, by the same rules as the calls of a
 * refinement: names and arguments that have one meaning are mended, the rest is an issue. Models that do not use the
 * field for calls write them into the text; those are found here too. Called by services/conversation/AskTurn.
 */
import type { AskedCall } from "../models/ModelAnswer.ts"
import type { Issue, Repair } from "../findings/Issue.ts"
import { type Findings, makeRepair } from "../findings/IssueCode.ts"
import { fencedBlocks } from "../markdown/Outline.ts"
import type { ToolCall } from "../tools/ToolCall.ts"
import { readCallBlock } from "../tools/ToolCallFormat.ts"

/** A call as it can be run; `issues` say why it cannot, and then `call` is only a name for it. */
export interface ReadAskedCall {
  readonly asked: AskedCall
  readonly call: ToolCall
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** Reads one call; `uid` is its name within the message. */
export const readAskedCall = (asked: AskedCall, uid: string): ReadAskedCall => {
  const findings: Findings = { issues: [], repairs: [] }
  const text = JSON.stringify({ uid, name: asked.name, arguments: asked.arguments })
  const [call] = readCallBlock(text, {}, findings)
  return { asked, call: call === undefined ? { uid, name: asked.name, arguments: {} } : { ...call, uid }, ...findings }
}

const tag = /<(tool|function)_call>([^]*?)(?:<\/\1_call>|$)/g

/** What may be calls: everything between tags, or a text that is nothing but JSON, fenced or not. */
const blocksOf = (text: string): { readonly blocks: ReadonlyArray<string>; readonly rest: string } => {
  const tagged = [...text.matchAll(tag)].map((match) => match[2] ?? "")
  if (tagged.length > 0) return { blocks: tagged, rest: text.replace(tag, "").trim() }
  const trimmed = text.trim()
  if (/^(?:[{[]|\[TOOL_CALLS\])[^]*[}\]]$/.test(trimmed)) return { blocks: [trimmed], rest: "" }
  const fences = /^(?:`{3,}|~{3,})[^]*(?:`{3,}|~{3,})$/.test(trimmed) ? fencedBlocks(trimmed) : []
  return { blocks: fences.map((fence) => fence.text), rest: "" }
}

/** Calls that stand in the text of an answer, and what is left of the text. */
export interface CallsInText {
  readonly calls: ReadonlyArray<AskedCall>
  readonly text: string
  readonly repairs: ReadonlyArray<Repair>
}

/**
 * The calls in the text of an answer without calls; nothing unless the whole can be read and every name is that of a
 * tool. `idOf` names them by their position from 1.
 */
export const callsInText = (
  text: string,
  tools: ReadonlySet<string>,
  idOf: (position: number) => string
): CallsInText | undefined => {
  const { blocks, rest } = blocksOf(text)
  const findings: Findings = { issues: [], repairs: [] }
  const calls = blocks.flatMap((block) => readCallBlock(block, {}, findings))
  if (calls.length === 0 || findings.issues.length > 0 || calls.some(({ name }) => !tools.has(name))) return undefined
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
