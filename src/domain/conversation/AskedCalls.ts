/**
 * The calls that a model requests in a conversation. They are read as those of a refinement are: what has one meaning is
 * repaired, the rest is an issue. Calls that a model writes into its text are found, too, and calls that it repeats without
 * a new result are detected.
 */
import type { AskedCall } from "../models/ModelAnswer.ts"
import type { Issue, Repair } from "../findings/Issue.ts"
import { type Findings, makeRepair } from "../findings/IssueCode.ts"
import type { ToolCall, CallOutcome } from "../tools/ToolCall.ts"
import { joinBlocks, readFencedCalls } from "../tools/ToolCallTraces.ts"
import { meantTool } from "../tools/ArgumentCheck.ts"
import { readCallBlock } from "../tools/ToolCallFormat.ts"
import { canonicalJson } from "../text/CanonicalJson.ts"
import { ownBlocks } from "./OwnBlocks.ts"

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
