/**
 * Finds mistakes in a JSON schema of a plugin or a configuration. A misspelled keyword would accept any value, because
 * readers ignore unknown keywords.
 */
import * as Predicate from "effect/Predicate"
import { nearestOrAll } from "../text/Nearest.ts"
import { pathText } from "../text/SchemaText.ts"
import { isSchema, type JsonSchema } from "./ToolSchema.ts"

const keywords = (names: string): ReadonlySet<string> => new Set(names.split(" "))
const typeNames = keywords("array boolean integer null number object string")
const ofSchema = keywords("additionalProperties contains else if items not propertyNames then unevaluatedProperties")
const ofSchemas = keywords("allOf anyOf oneOf prefixItems")
const ofNamedSchemas = keywords("$defs definitions dependentSchemas patternProperties properties")

const isPattern = (source: unknown): boolean => {
  try {
    return typeof source === "string" && new RegExp(source) instanceof RegExp
  } catch {
    return false
  }
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(Predicate.isString)

/**
 * Groups of keywords. Each group has a test for the keyword's value, and a noun for valid values. The noun ends the
 * message about an invalid value.
 */
const plain: ReadonlyArray<readonly [ReadonlySet<string>, (value: unknown) => boolean, string]> = [
  [keywords("$ref description format title"), Predicate.isString, "a text"],
  [keywords("maximum minimum multipleOf"), Predicate.isNumber, "a number"],
  [keywords("maxItems maxLength maxProperties minItems minLength minProperties"), isCount, "a whole number"],
  [keywords("required"), isNames, "a list of names"],
  [keywords("enum"), Array.isArray, "a list of values"],
  [keywords("pattern"), isPattern, "a regular expression"]
]

/**
 * True if a reference leads to a part of the schema. In a schema with `$id` or `$anchor`, references by name are always
 * accepted.
 */
const leads = (root: JsonSchema, ref: string): boolean => {
  if (ref !== "#" && !ref.startsWith("#/")) return /"\$(?:id|anchor)":/.test(JSON.stringify(root))
  const keys = ref.split("/").slice(1)
  const definition = keys.reduce<unknown>((part, key) => {
    const name = decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")
    return Predicate.isObjectOrArray(part) ? (part as Record<string, unknown>)[name] : undefined
  }, root)
  return definition !== undefined
}

type Path = ReadonlyArray<string | number>
type Fault = string | undefined

/** The first mistake and its path, if any. */
export const jsonSchemaFault = (root: JsonSchema): Fault => {
  const ofKeyword = (key: string, value: unknown, path: Path): Fault => {
    const subject = `"${pathText(path)}"`
    const all = (parts: Iterable<readonly [string | number, unknown]>): Fault =>
      [...parts].map(([name, part]) => ofPart(part, [...path, name])).find((fault) => fault !== undefined)
    if (key === "type") {
      const wrong = (Array.isArray(value) ? value : [value]).find((name) => !typeNames.has(name))
      const near = nearestOrAll(String(wrong), [...typeNames]).join(", ")
      return wrong === undefined ? undefined : `${subject} is ${JSON.stringify(wrong)}, which is no type. Use: ${near}`
    }
    if (ofNamedSchemas.has(key)) {
      return isSchema(value) ? all(Object.entries(value)) : `${subject} must be an object of schemas`
    }
    if (ofSchemas.has(key) || (key === "items" && Array.isArray(value))) {
      return Array.isArray(value) ? all(value.entries()) : `${subject} must be a list of schemas`
    }
    if (ofSchema.has(key)) return ofPart(value, path)
    const [, , what] = plain.find(([names, is]) => names.has(key) && !is(value)) ?? []
    if (what !== undefined) return `${subject} must be ${what}`
    if (key !== "$ref" || leads(root, String(value))) return undefined
    return `${subject} is ${JSON.stringify(value)}, which the schema does not have`
  }
  const ofPart = (schema: unknown, path: Path): Fault => {
    if (typeof schema === "boolean") return undefined
    if (!isSchema(schema)) return `"${pathText(path)}" must be a schema, which is an object`
    const faults = Object.entries(schema).map(([key, value]) => ofKeyword(key, value, [...path, key]))
    return faults.find((fault) => fault !== undefined)
  }
  return ofPart(root, [])
}
