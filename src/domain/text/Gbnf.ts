/** Builds grammars in GBNF, the notation of llama.cpp. */
import type * as Schema from "effect/Schema"

/** The right side of a grammar rule, or a part of one. It can stand inside another part without brackets. */
export type Part = string

export const literal = (text: string): Part => JSON.stringify(text)

export const sequence = (...parts: ReadonlyArray<Part>): Part => parts.join(" ")

export const either = (parts: ReadonlyArray<Part>): Part =>
  parts.length === 1 ? (parts[0] ?? "") : `(${parts.join(" | ")})`

export const optional = (part: Part): Part => `(${part})?`

export const times = (part: Part, least: number, most: number): Part => `(${part}){${least},${most}}`

export const makeRules = () => {
  const rules = new Map<string, Part>()
  /** Adds the rule if it is new, and returns its name as a part. */
  const rule = (name: string, make: () => Part): Part => {
    if (!rules.has(name)) {
      rules.set(name, "")
      rules.set(name, make())
    }
    return name
  }
  const text = (root: Part): string =>
    [["root", root] as const, ...rules].map(([name, part]) => `${name} ::= ${part}\n`).join("")
  return { rule, text }
}
export type Rules = ReturnType<typeof makeRules>

type JsonSchema = { readonly [key: string]: Schema.Json }

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listed = (item: Part): Part => `"[" (${item} (", " ${item}){0,50})? "]"`

/** Rules for JSON on one line, with a blank after each colon and comma. */
export const makeJson = ({ rule }: Rules) => {
  const string = () => rule("string", () => String.raw`"\"" ([^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt])* "\""`)
  const number = () => rule("number", () => `${integer()} ("." [0-9]{1,9})?`)
  const integer = () => rule("integer", () => `"-"? ("0" | [1-9] [0-9]{0,14})`)
  const boolean = () => rule("boolean", () => `"true" | "false"`)
  const value = (): Part => rule("value", () => either([string(), number(), boolean(), `"null"`, `"[" "]"`, `"{" "}"`]))

  /** The required members of an object, followed by its optional members, in a fixed order. */
  const members = (schema: JsonSchema): Part => {
    const properties = Object.entries(isSchema(schema["properties"]) ? schema["properties"] : {})
    const required = Array.isArray(schema["required"]) ? schema["required"] : []
    const member = ([name, given]: readonly [string, Schema.Json]): Part =>
      sequence(literal(`${JSON.stringify(name)}: `), ofSchema(isSchema(given) ? given : {}))
    const must = properties.filter(([name]) => required.includes(name)).map(member)
    const may = properties.filter(([name]) => !required.includes(name)).map(member)
    if (must.length > 0) {
      return sequence(must.join(` ", " `), ...may.map((one) => optional(sequence(`", "`, one))))
    }
    const from = may.map((one, index) =>
      sequence(one, ...may.slice(index + 1).map((next) => optional(sequence(`", "`, next))))
    )
    return from.length === 0 ? `""` : optional(from.join(" | "))
  }

  const ofSchema = (schema: JsonSchema): Part => {
    const { anyOf, const: only, enum: choices, items, type } = schema
    if (only !== undefined) return literal(JSON.stringify(only))
    if (Array.isArray(choices)) return either(choices.map((one) => literal(JSON.stringify(one))))
    if (Array.isArray(anyOf)) return either(anyOf.map((one) => ofSchema(isSchema(one) ? one : {})))
    switch (type) {
      case "string":
        return string()
      case "integer":
        return integer()
      case "number":
        return number()
      case "boolean":
        return boolean()
      case "array":
        return listed(ofSchema(isSchema(items) ? items : {}))
      case "object":
        return sequence(`"{"`, members(schema), `"}"`)
      default:
        return value()
    }
  }
  return ofSchema
}
