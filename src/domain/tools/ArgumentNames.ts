/**
 * Names of tools and arguments in another spelling. A name is read as another one only when exactly one can be meant:
 * one that has the same letters, or a usual other word for a parameter that the call does not have yet.
 */
import type * as Schema from "effect/Schema"
import type { Repair, Where } from "../findings/Issue.ts"
import { makeRepair } from "../findings/IssueCode.ts"
import type { Arguments, ToolCall } from "./ToolCall.ts"
import { type JsonSchema, propertiesOf } from "./ToolSchema.ts"

const lettersOf = (name: string): string => name.toLowerCase().replace(/[-_]/g, "")

const only = (found: ReadonlyArray<string>): string | undefined => (found.length === 1 ? found[0] : undefined)

/** `functions.read_file`, `tool:read_file` */
const group = /^(?:functions?|default_api|tools?|api)[.:/]/

/** The tool that a name in another spelling stands for; nothing when that is not clear. */
export const meantTool = (name: string, usable: ReadonlyArray<string>): string | undefined => {
  const letters = lettersOf(name.replace(group, "").replace(/\(\)$/, ""))
  return only(usable.filter((one) => lettersOf(one) === letters))
}

const otherWords: Readonly<Record<string, ReadonlyArray<string>>> = {
  path: ["file", "filepath", "filename"],
  pattern: ["query", "q"],
  oldtext: ["oldstring", "oldstr"],
  newtext: ["newstring", "newstr"],
  content: ["contents", "filetext"],
  url: ["uri"]
}

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
      const other = open.filter((one) => otherWords[lettersOf(one)]?.includes(lettersOf(name)) === true)
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
