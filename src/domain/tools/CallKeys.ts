/**
 * The keys of a call, `uid`, `name` and `arguments`, under the names that models and other programs give them, and the keys
 * that models add beside them.
 */
import type * as Schema from "effect/Schema"

/** The other names of the parts of a call. */
export const otherKeys = {
  uid: ["id", "call_id", "tool_call_id", "callId"],
  name: ["tool", "tool_name", "toolName", "function", "function_name"],
  arguments: ["args", "parameters", "params", "input", "arguments_json"]
} as const

/** Keys that models add and no tool reads. */
export const remarks = new Set(
  (
    "type index description reason reasoning purpose comment comments " +
    "explanation note notes thought thoughts title status"
  ).split(" ")
)

const callKeys = new Set([...Object.entries(otherKeys).flat(2), ...remarks])

/** True for a key of a call, in any of its spellings. */
export const isCallKey = (key: string): boolean => callKeys.has(key)

/** A uid as text; empty when there is none. */
export const readUid = (value: Schema.Json | undefined): string =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : ""

/** Keys in a message. */
export const named = (keys: ReadonlyArray<string>): string => keys.map((key) => `"${key}"`).join(", ")
