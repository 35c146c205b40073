/**
 * Describes tools in a prompt in few tokens, with only what a model needs to write a call. Length limits and defaults
 * are left out: the program checks them.
 */
import type * as Schema from "effect/Schema"
import { codeSpan } from "../markdown/PromptBlock.ts"
import type { ToolInfo } from "../tools/ToolCall.ts"
import { isSchema, type JsonSchema, propertiesOf, requiredOf } from "../tools/ToolSchema.ts"

const withoutDefault = (text: string): string => text.replace(/\s*Default: [^\n]*?\.(?=\s|$)/, "").trim()

const deepest = 3

/**
 * A JSON schema as short text: `integer 1 to 5`, `"a" or "b"`, `array of { old_text: string, replace_all?: boolean }`.
 */
export const typeText = (schema: JsonSchema, depth = 0): string => {
  const { anyOf, const: only, enum: choices, items, maximum, minimum, type } = schema
  if (depth > deepest) return typeof type === "string" ? type : "any"
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(" or ")
  const options = Array.isArray(anyOf) ? anyOf : Array.isArray(schema["oneOf"]) ? schema["oneOf"] : []
  if (options.length > 0) {
    return options.map((option) => (isSchema(option) ? typeText(option, depth + 1) : "any")).join(" or ")
  }
  if (type === "array") return isSchema(items) ? `array of ${typeText(items, depth + 1)}` : "array"
  const properties = propertiesOf(schema)
  if (properties.size > 0) {
    const required = new Set(requiredOf(schema))
    const fields = [...properties].map(
      ([name, one]) => `${name}${required.has(name) ? "" : "?"}: ${typeText(one, depth + 1)}`
    )
    return `{ ${fields.join(", ")} }`
  }
  const name = Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : "any"
  return typeof minimum === "number" && typeof maximum === "number" ? `${name} ${minimum} to ${maximum}` : name
}

const parameterLine = (name: string, schema: JsonSchema, isRequired: boolean): string => {
  const meaning = typeof schema["description"] === "string" ? withoutDefault(schema["description"]) : ""
  const text = meaning.replace(/\s*\n\s*/g, " ")
  return `- \`${name}\` (${typeText(schema)}${isRequired ? ", required" : ""})${text === "" ? "" : `: ${text}`}`
}

const instruction = ({ description, example, name, parameters }: ToolInfo): string => {
  const schema = isSchema(parameters) ? parameters : {}
  const required = new Set(requiredOf(schema))
  const lines = [...propertiesOf(schema)].map(([one, property]) => parameterLine(one, property, required.has(one)))
  const call = `For example: ${codeSpan(JSON.stringify({ name, arguments: example }))}`
  return [`### ${name}`, description, lines.join("\n"), call].filter((text) => text !== "").join("\n")
}

/** Markdown for each tool: a heading, its description, a line for each parameter, and an example call. */
export const toolInstructions = (tools: ReadonlyArray<ToolInfo>): string => tools.map(instruction).join("\n\n")

const lengths = new Set(["minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "pattern", "default"])

/** The schema without length limits and defaults, for models that call tools natively. */
export const compactSchema = (schema: Schema.Json): Schema.Json => {
  if (Array.isArray(schema)) return schema.map(compactSchema)
  if (!isSchema(schema)) return schema
  const { properties, ...rest } = schema
  const entries = Object.entries(rest)
    .filter(([key]) => !lengths.has(key))
    .map(([key, value]): readonly [string, Schema.Json] =>
      key === "description" && typeof value === "string"
        ? [key, withoutDefault(value)]
        : [key, key === "enum" || key === "const" ? value : compactSchema(value)]
    )
  const named: Schema.JsonObject = isSchema(properties)
    ? { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, compactSchema(one)])) }
    : {}
  return { ...Object.fromEntries(entries), ...named }
}
