/**
 * Names of tools and arguments in another spelling. A name is read as another one only when exactly one can be meant:
 * one that has the same letters, for a tool also one letter more or less, or a usual other word for a parameter that the
 * call does not have yet.
 */
import type * as Schema from "effect/Schema"
import type { Repair, Where } from "../findings/Issue.ts"
import { makeRepair } from "../findings/IssueCode.ts"
import { intentOf } from "../text/Nearest.ts"
import type { Arguments, ToolCall } from "./ToolCall.ts"
import { type JsonSchema, propertiesOf } from "./ToolSchema.ts"

const lettersOf = (name: string): string => name.toLowerCase().replace(/[-_]/g, "")

const only = (found: ReadonlyArray<string>): string | undefined => (found.length === 1 ? found[0] : undefined)

/** `functions.read_file`, `tool:read_file` */
const group = /^(?:functions?|default_api|tools?|api)[.:/]/

/** True when one letter more makes the shorter text the longer one; digits tell tools apart. */
const lacksLetter = (short: string, long: string): boolean => {
  if (long.length !== short.length + 1 || short.length < 6) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  return /\p{L}/u.test(long.charAt(at)) && short.slice(at) === long.slice(at + 1)
}

/** True for names of which one changes something and the other looks. */
const isOpposite = (a: string, b: string): boolean => {
  const [one, other] = [intentOf(a), intentOf(b)]
  return one !== undefined && other !== undefined && one !== other
}

/** The tool that a name in another spelling stands for; nothing when that is not clear. */
export const meantTool = (name: string, usable: ReadonlyArray<string>): string | undefined => {
  const bare = name.replace(group, "").replace(/\(\)$/, "")
  const letters = lettersOf(bare)
  const same = usable.filter((one) => lettersOf(one) === letters)
  if (same.length > 0) return only(same)
  const near = usable.filter((one) => lacksLetter(letters, lettersOf(one)) || lacksLetter(lettersOf(one), letters))
  return near.some((one) => isOpposite(one, bare)) ? undefined : only(near)
}

/** A map, since an argument may have any name, also what every object has. */
const otherWords: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["path", ["file", "filepath", "filename"]],
  ["pattern", ["query", "q"]],
  ["oldtext", ["oldstring", "oldstr"]],
  ["newtext", ["newstring", "newstr"]],
  ["content", ["contents", "filetext"]],
  ["url", ["uri"]]
])

const isObject = (value: Schema.Json | undefined): value is Arguments =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const wrappers = new Set(["arguments", "args", "parameters", "params", "input"])

/** `{ "arguments": { "path": "a" } }` in the place of the arguments. */
const unwrap = (given: Arguments, properties: ReadonlyMap<string, JsonSchema>): Arguments => {
  const [[name, inner] = ["", undefined], ...others] = Object.entries(given)
  return others.length === 0 && wrappers.has(name) && !properties.has(name) && isObject(inner) ? inner : given
}

/** Reads arguments under the names that the tool has; what is not clear stays as it is. */
export const renameArguments = (call: ToolCall, schema: JsonSchema, where: Where) => {
  const repairs: Array<Repair> = []
  const properties = propertiesOf(schema)
  if (schema["additionalProperties"] !== undefined) return { call, repairs }
  const given = unwrap(call.arguments, properties)
  if (given !== call.arguments)
    repairs.push(makeRepair("argument-renamed", where, "Read the arguments out of an object around them."))
  const unknown = Object.keys(given).filter((name) => !properties.has(name))
  const open = [...properties.keys()].filter((name) => !Object.hasOwn(given, name))
  const meant = new Map(
    unknown.map((name) => {
      const same = open.filter((one) => lettersOf(one) === lettersOf(name))
      const other = open.filter((one) => otherWords.get(lettersOf(one))?.includes(lettersOf(name)) === true)
      return [name, only(same) ?? only(other)]
    })
  )
  const targets = [...meant.values()]
  const nameOf = (name: string): string => {
    const target = meant.get(name)
    if (target === undefined || targets.filter((one) => one === target).length > 1) return name
    repairs.push(makeRepair("argument-renamed", where, `Read the argument "${name}" as "${target}".`))
    return target
  }
  const named = Object.entries(given).map(([name, value]) => [nameOf(name), value] as const)
  return { call: { ...call, arguments: Object.fromEntries(named) satisfies Arguments }, repairs }
}

/** Why the call is made: what models add to calls, as a text. */
const reasons = new Set(
  "reason reasoning explanation thought thoughts thinking rationale justification purpose intent".split(" ")
)

/** Leaves out reasons that the tool has no parameter for. */
export const dropReasons = (call: ToolCall, schema: JsonSchema, where: Where) => {
  const repairs: Array<Repair> = []
  const properties = propertiesOf(schema)
  if (schema["additionalProperties"] !== undefined) return { call, repairs }
  const kept = Object.entries(call.arguments).filter(([name, value]) => {
    const isReason = !properties.has(name) && reasons.has(name.toLowerCase()) && typeof value === "string"
    if (isReason) repairs.push(makeRepair("argument-remark", where, `Left out the argument "${name}", a remark.`))
    return !isReason
  })
  return { call: { ...call, arguments: Object.fromEntries(kept) satisfies Arguments }, repairs }
}
