/**
 * Reads tool calls from JSON text. An unreadable call becomes an issue, never an empty call. Tools and arguments are
 * checked later.
 */
import type * as Schema from "effect/Schema"
import { type Where, addRepair, type Findings, addIssue, type IssueCode } from "../findings/Issue.ts"
import * as Result from "effect/Result"
import { ruleOf } from "../findings/rules/Rules.ts"
import { markedCalls } from "./MarkedCalls.ts"
import { type Arguments, type CallOutcome, isArguments, type ToolCall } from "./ToolCall.ts"
import { readBlock } from "./ToolCallJson.ts"

/** Other names that models use for the keys of a call. */
const otherKeys = {
  uid: ["id", "call_id", "tool_call_id", "callId"],
  name: ["tool", "tool_name", "toolName", "function", "function_name"],
  arguments: ["args", "parameters", "params", "input", "arguments_json"]
} as const

/** Keys that models add and that no tool reads. */
const remarks = new Set(
  (
    "type index description reason reasoning purpose comment comments " +
    "explanation note notes thought thoughts title status"
  ).split(" ")
)

const callKeys = new Set([...Object.entries(otherKeys).flat(2), ...remarks])

export const isCallKey = (key: string): boolean => callKeys.has(key)

/** A uid as text; empty if there is none. */
const readUid = (value: Schema.Json | undefined): string =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : ""

const named = (keys: ReadonlyArray<string>): string => keys.map((key) => `"${key}"`).join(", ")

/** Prefixes of ids from servers or this program. An `id` without such a prefix may be an argument of the tool. */
const ofHost = /^(?:call|tool|toolu|chatcmpl|function)[-_]?/i
const isWordOfProtocol = (key: string, value: Schema.Json | undefined): boolean =>
  key === "type" && typeof value === "string" && /^(?:function|tool)(?:_call)?$/.test(value)

/** True for a key that may be an argument of the tool or a key of the call itself. */
const isUnclear = (key: string, value: Schema.Json | undefined): boolean =>
  !remarks.has(key) && isCallKey(key) && !(otherKeys.uid.some((one) => one === key) && ofHost.test(readUid(value)))

/**
 * Collects arguments that stand beside the tool name: `{ "tool": "read_file", "path": "a.ts" }`. Undefined if there are
 * none, or if a key could be another part of the call.
 */
const gatherArguments = (
  call: Arguments,
  { name: nameKey, uid: uidKey }: { readonly name: string; readonly uid: string | undefined },
  where: Where,
  findings: Findings
): Arguments | undefined => {
  const others = Object.entries(call).filter(([key]) => key !== nameKey && key !== "uid")
  const uid = others.find(([key]) => key === uidKey)
  const argumentEntries = others.filter((one) => one !== uid && !isWordOfProtocol(...one))
  if (!argumentEntries.some(([key]) => !remarks.has(key))) return undefined
  if ([...argumentEntries, ...(uid === undefined ? [] : [uid])].some((one) => isUnclear(...one))) return undefined
  const names = argumentEntries.map(([key]) => key)
  addRepair(findings, "tool-call-flat", where, `Read ${named(names)} beside the name as arguments.`)
  const own: Arguments = uidKey === undefined ? {} : { uid: call[uidKey] ?? null }
  return { ...own, name: call[nameKey] ?? null, arguments: Object.fromEntries(argumentEntries) }
}

/** The uid of a call in a turn: `turn-1/call-1`. */
export const turnUid = (turn: number, uid: string): string => `turn-${turn}/${uid}`

/** The number of the turn in a uid; 0 without one. */
export const turnNumber = (uid: string): number => Number(/^turn-(\d+)\//.exec(uid)?.[1] ?? 0)

/** The beginning of a uid, which is the same for all calls of an answer. */
export const turnOf = ({ call }: CallOutcome): string => call.uid.split("/", 1)[0] ?? ""

/**
 * Replacing a text in all files makes one edit for each file. This is the uid of one of these edits, such as
 * `block-1-all-2`. `index` starts at 0.
 */
export const replacementUid = (uid: string, index: number): string => `${uid}-all-${index + 1}`
export const isOfReplacement = ({ call }: CallOutcome): boolean => /-all-\d+$/.test(call.uid)

/** A uid without the prefix of a turn, which a model may have copied. */
export const plainUid = (uid: string): string => uid.replace(/^(?:turn-\d+\/)+/, "")

/** A call whose uid may be missing or not unique. */
export interface UnnumberedCall {
  readonly uid: string
  readonly name: string
  readonly arguments: Arguments
  readonly where: Where
}

interface Block {
  readonly text: string
  readonly where: Where
  readonly findings: Findings
}

const addCallIssue = ({ findings, text, where }: Block, code: IssueCode, what: string, how?: string): undefined => {
  addIssue(findings, code, where, { what, how, quote: text })
  return undefined
}

/**
 * The key under which a call has a part such as `arguments`: the strict key if it is present, else an alternative key if
 * the call has exactly one.
 */
const keyOf = (call: Arguments, part: keyof typeof otherKeys, block: Block): string | undefined => {
  if (Object.hasOwn(call, part)) return part
  const keys = otherKeys[part].filter((key) => Object.hasOwn(call, key))
  if (keys.length > 1) {
    return addCallIssue(
      block,
      "tool-call-key-duplicate",
      `The call has the keys ${keys.map((key) => `"${key}"`).join(" and ")}, which mean the same.`,
      `Use the key "${part}" once.`
    )
  }
  if (keys[0] !== undefined)
    addRepair(block.findings, "tool-call-alias", block.where, `Read the key "${keys[0]}" as "${part}".`)
  return keys[0]
}

/** Unwraps `{ "type": "function", "function": { "name", "arguments" } }`, the form of other servers. */
const flatten = (call: Arguments, block: Block): Arguments => {
  const inner = call["function"]
  if (!isArguments(inner)) return call
  addRepair(block.findings, "tool-call-alias", block.where, 'Read the object under "function" as the call.')
  const { function: _, ...rest } = call
  return { ...rest, ...inner }
}

const readArguments = (value: Schema.Json | undefined, block: Block): Arguments | undefined => {
  if (value === undefined || value === null) {
    addRepair(block.findings, "tool-call-alias", block.where, "Read a call without arguments as one with {}.")
    return {}
  }
  if (isArguments(value)) return value
  if (typeof value !== "string") return addCallIssue(block, "tool-call-arguments", '"arguments" is not an object.')
  const inner = readBlock(value)
  if (Result.isFailure(inner))
    return addCallIssue(
      block,
      inner.failure.code,
      `"arguments" is a text. ${inner.failure.what}`,
      ruleOf("tool-call-arguments").fix
    )
  const [only, ...others] = inner.success.values
  if (!isArguments(only) || others.length > 0)
    return addCallIssue(block, "tool-call-arguments", '"arguments" is a text that holds no object.')
  addRepair(block.findings, "tool-call-alias", block.where, 'Read the text under "arguments" as JSON.')
  return only
}

const checkExtraKeys = (call: Arguments, used: ReadonlyArray<string | undefined>, block: Block): void => {
  const extra = Object.keys(call).filter((key) => !used.includes(key))
  const unknown = extra.filter((key) => !remarks.has(key))
  if (unknown.length > 0) {
    addCallIssue(
      block,
      "tool-call-key-unknown",
      `The call has the unknown ${unknown.length === 1 ? "key" : "keys"} ${named(unknown)}.`
    )
  } else if (extra.length > 0) {
    addRepair(block.findings, "tool-call-extra", block.where, `Ignored ${named(extra)} beside the call.`)
  }
}

const readCall = (written: Arguments, block: Block): UnnumberedCall | undefined => {
  const { findings, where } = block
  const before = findings.issues.length
  const call = flatten(written, block)
  const uidKey = keyOf(call, "uid", block)
  const nameKey = keyOf(call, "name", block)
  const argumentsKey = keyOf(call, "arguments", block)
  if (findings.issues.length > before) return undefined
  const gathered =
    argumentsKey === undefined && nameKey !== undefined
      ? gatherArguments(call, { uid: uidKey, name: nameKey }, where, findings)
      : undefined
  if (gathered !== undefined) return readCall(gathered, block)
  checkExtraKeys(call, [uidKey, nameKey, argumentsKey], block)
  const name = nameKey === undefined ? undefined : call[nameKey]
  if (typeof name !== "string" || name.trim() === "") {
    return addCallIssue(block, "tool-call-name", "The call has no name.")
  }
  if (findings.issues.length > before) return undefined
  const values = readArguments(argumentsKey === undefined ? undefined : call[argumentsKey], block)
  if (values === undefined) return undefined
  const given = uidKey === undefined ? undefined : call[uidKey]
  if (typeof given === "number") addRepair(findings, "tool-call-uid", where, `Read the uid ${given} as a text.`)
  return { uid: readUid(given), name: name.trim(), arguments: values, where }
}

/** The calls in a value: a call, a list of calls, or an object with the list under `tool_calls`. */
const callsIn = (value: Schema.Json): ReadonlyArray<Schema.Json> => {
  if (Array.isArray(value)) return value
  if (!isArguments(value)) return [value]
  const inner = value["tool_calls"] ?? value["calls"]
  return Array.isArray(inner) && Object.keys(value).length === 1 ? inner : [value]
}

const readJsonCalls = (block: Block): ReadonlyArray<UnnumberedCall> => {
  const { findings, text, where } = block
  const read = readBlock(text)
  if (Result.isFailure(read)) {
    addCallIssue(block, read.failure.code, read.failure.what)
    return []
  }
  const { repaired, split, values } = read.success
  if (repaired) addRepair(findings, "tool-call-repaired", where, "Fixed the JSON of a tool call.")
  const calls = values.flatMap(callsIn)
  if (split || calls.length !== values.length || calls.some((call, index) => call !== values[index]))
    addRepair(findings, "tool-call-split", where, `Read ${calls.length} calls out of one block.`)
  return calls.flatMap((call) => {
    if (isArguments(call)) return readCall(call, block) ?? []
    addCallIssue(block, "tool-call-not-object", "The block is not a JSON object.")
    return []
  })
}

/** Reads the calls of one block, usually a single one. */
export const readCallBlock = (text: string, where: Where, findings: Findings): ReadonlyArray<UnnumberedCall> =>
  (markedCalls(text) ?? [text]).flatMap((call) => readJsonCalls({ text: call, where, findings }))

/** Makes uids unique. A missing uid becomes `call-<n>`, and a repeated uid gets a number. */
export const numberCalls = (calls: ReadonlyArray<UnnumberedCall>, findings: Findings): ReadonlyArray<ToolCall> => {
  const writtenUids = new Set(calls.map((call) => call.uid))
  const used = new Set<string>()
  // The last number tried for each uid. The next search begins there, so that many equal uids do not make it slow.
  const reached = new Map<string, number>()
  return calls.map(({ where, ...call }, index) => {
    const base = call.uid === "" ? `call-${index + 1}` : call.uid
    let uid = base
    let number = reached.get(base) ?? 1
    while (used.has(uid) || (uid !== call.uid && writtenUids.has(uid))) {
      number += 1
      uid = `${base}-${number}`
    }
    reached.set(base, number)
    used.add(uid)
    if (uid !== call.uid) {
      const message =
        call.uid === ""
          ? `Gave a call without uid the uid "${uid}".`
          : `Gave the second call "${call.uid}" the uid "${uid}".`
      addRepair(findings, "tool-call-uid", where, message)
    }
    return { ...call, uid }
  })
}
