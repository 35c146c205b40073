/** Explains why a tool's value is not JSON: the path of the wrong part, and what is there. */
import * as Schema from "effect/Schema"
import { isNestedTooDeep, maxNesting, maxParts } from "../text/Json.ts"

const isJson = Schema.is(Schema.Json)

/** If JSON cannot express the value, its kind as the end of a sentence, such as `is a BigInt`. Otherwise undefined. */
const kindOf = (value: unknown): string | undefined => {
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) return `is ${value}`
  if (typeof value === "bigint") return "is a BigInt"
  if (typeof value === "function" || typeof value === "symbol") return `is a ${typeof value}`
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name
  return name === undefined || name === "Object" ? undefined : `is an object of the class ${String(name)}`
}

/** Describes the first value that JSON cannot express, depth first. */
const faultIn = (whole: unknown): string | undefined => {
  let partsLeft = maxParts
  const search = (value: unknown, path: string, holders: ReadonlyArray<unknown>): string | undefined => {
    partsLeft -= 1
    if (partsLeft < 0 || holders.length > maxNesting) return undefined
    const kind = holders.includes(value) ? "refers to an object that holds it" : kindOf(value)
    if (kind !== undefined) return `${path === "" ? "it" : `"${path}"`} ${kind}`
    if (typeof value !== "object" || value === null) return undefined
    for (const [key, part] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      const place = typeof key === "number" ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`
      const fault = search(part, place, [...holders, value])
      if (fault !== undefined) return fault
    }
    return undefined
  }
  return search(whole, "", [])
}

/** What is wrong with a value, as the end of a sentence, or `deep` for too many levels. Undefined for JSON. */
export const jsonFault = (value: unknown): string | undefined => {
  if (isNestedTooDeep(value)) return faultIn(value) ?? "deep"
  return isJson(value) ? undefined : (faultIn(value) ?? "it is a value of another kind")
}
