/**
 * Simplifies the JSON schema of a tool's parameters for small models: removes references, additional properties and
 * bounds of safe integers. Also derives an example from a schema, and parameters from the schema of a server or a
 * configuration.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as JsonSchemaDocument from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import type { Arguments } from "./ToolCall.ts"

export type JsonSchema = { readonly [key: string]: Schema.Json }

export const isSchema = (value: unknown): value is JsonSchema => Predicate.isObject(value)

type Definitions = { readonly [name: string]: unknown }

const referencePrefix = "#/$defs/"
/** Keys that are left out. `prefixItems` is redundant, because effect writes it only with equal `items`. */
const leftOut = new Set(["$schema", "$defs", "$id", "prefixItems"])

const isSafeIntegerBound = (key: string, value: Schema.Json): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** Replaces a reference by its schema, and a recursive one by a schema for any value. */
const resolve = (schema: JsonSchema, definitions: Definitions, within: ReadonlyArray<string>): JsonSchema => {
  const { $ref, ...rest } = schema
  if (typeof $ref !== "string" || !$ref.startsWith(referencePrefix)) return schema
  const name = decodeURIComponent($ref.slice(referencePrefix.length)).replaceAll("~1", "/").replaceAll("~0", "~")
  const definition = definitions[name]
  if (!isSchema(definition) || within.includes(name)) return rest
  return { ...simplify(definition, definitions, [...within, name]), ...rest }
}

/**
 * A schema for `X or null` becomes the schema for X, because the model can leave the parameter out. The parts of an
 * `allOf` become one object.
 */
const unwrap = ({ allOf, anyOf, ...rest }: JsonSchema): JsonSchema => {
  const all = Array.isArray(allOf) ? allOf.filter(isSchema) : []
  const merged = Object.assign({}, ...all.map(unwrap), rest)
  if (!Array.isArray(anyOf)) return merged
  const options = anyOf.filter((option) => !isSchema(option) || option["type"] !== "null")
  const [only] = options
  return options.length === 1 && isSchema(only) ? { ...unwrap(only), ...merged } : { ...merged, anyOf: options }
}

const simplify = (schema: JsonSchema, definitions: Definitions, within: ReadonlyArray<string>): JsonSchema => {
  const nested = (value: Schema.Json): Schema.Json => {
    if (Array.isArray(value)) return value.map(nested)
    return isSchema(value) ? simplify(value, definitions, within) : value
  }
  const entries = Object.entries(unwrap(resolve(unwrap(schema), definitions, within)))
    .filter(([key, value]) => !leftOut.has(key) && !isSafeIntegerBound(key, value))
    .filter(([key, value]) => key !== "additionalProperties" || isSchema(value))
    .map(([key, value]): [string, Schema.Json] => {
      if (key !== "properties" || !isSchema(value)) return [key, nested(value)]
      return [key, Object.fromEntries(Object.entries(value).map(([name, property]) => [name, nested(property)]))]
    })
  return Object.fromEntries(entries)
}

export const parameterSchema = (parameters: Schema.Constraint): JsonSchema => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(parameters)
  const simplified = isSchema(schema) ? simplify(schema, definitions, []) : {}
  /* For a struct without fields, effect writes a schema for "any value but null". */
  return simplified["not"] === undefined ? simplified : { type: "object", properties: {} }
}

export const propertiesOf = (schema: JsonSchema): ReadonlyMap<string, JsonSchema> => {
  const properties = schema["properties"]
  if (!isSchema(properties)) return new Map()
  return new Map(Object.entries(properties).map(([name, property]) => [name, isSchema(property) ? property : {}]))
}

export const requiredOf = (schema: JsonSchema): ReadonlyArray<string> => {
  const required = schema["required"]
  return Array.isArray(required) ? required.filter(Predicate.isString) : []
}

const exampleValue = (name: string, schema: JsonSchema): Schema.Json => {
  const { anyOf, enum: choices, items, minimum, type } = schema
  if (Array.isArray(choices) && choices[0] !== undefined) return choices[0]
  if (Array.isArray(anyOf) && isSchema(anyOf[0])) return exampleValue(name, anyOf[0])
  switch (type) {
    case "integer":
    case "number":
      return typeof minimum === "number" ? minimum : 1
    case "boolean":
      return true
    case "array":
      return isSchema(items) ? [exampleValue(name, items)] : []
    case "object":
      return exampleArguments(schema)
    default:
      return `<${name}>`
  }
}

/** Example arguments, with a placeholder for each required parameter. */
export const exampleArguments = (schema: JsonSchema): Arguments => {
  const properties = propertiesOf(schema)
  return Object.fromEntries(requiredOf(schema).map((name) => [name, exampleValue(name, properties.get(name) ?? {})]))
}

const draft07 = /draft-0[4-7]/

/**
 * The parameters of a tool from the JSON schema of an object, or why the schema is unusable. Patterns apply only in a
 * trusted schema, because regular expressions can run without a time limit.
 */
export const jsonSchemaParameters = (
  schema: unknown,
  patterns: "apply" | "ignore" = "ignore"
): Result.Result<Schema.Codec<Arguments, unknown>, string> => {
  if (isSchema(schema) && schema["type"] !== "object") return Result.fail('its "type" is not "object"')
  return Result.map(jsonSchemaCodec(schema, patterns), (codec) => codec as Schema.Codec<Arguments, unknown>)
}

/**
 * A codec for the values of a JSON schema, or the reason why the schema is unusable. Use `patterns: "apply"` only for a
 * trusted schema, because regular expressions can run without a time limit.
 */
export const jsonSchemaCodec = (
  schema: unknown,
  patterns: "apply" | "ignore"
): Result.Result<Schema.Codec<unknown, unknown>, string> => {
  if (!Predicate.isObject(schema)) return Result.fail("it is not an object")
  const jsonSchema: JsonSchemaDocument.JsonSchema = { ...schema }
  const dialect = String(jsonSchema["$schema"] ?? "")
  return Result.try({
    try: () => {
      const document = draft07.test(dialect)
        ? JsonSchemaDocument.fromSchemaDraft07(jsonSchema)
        : JsonSchemaDocument.fromSchemaDraft2020_12(jsonSchema)
      const imported = SchemaRepresentation.fromJsonSchemaDocument(document, { patterns })
      return imported as Schema.Codec<unknown, unknown>
    },
    catch: (thrown) => (thrown instanceof Error ? (thrown.message.split("\n")[0] ?? "") : String(thrown))
  })
}
