/**
 * JSON with one spelling per value, so that equal values have equal hashes and equal keys. Called by the gate.
 */
import type * as Schema from "effect/Schema"

/** Object keys sorted by code unit, no blanks. */
export const canonicalJson = (value: Schema.Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`
}
