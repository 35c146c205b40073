/**
 * Keeps the schemas of servers to a size that a model can read and this program can work with: a small text can unfold
 * to millions of parts when its definitions refer to each other. Pure.
 */
import * as Predicate from "effect/Predicate"

const maxCharacters = 65_536
const maxParts = 10_000
const maxDepth = 64

const definitionOf = (reference: unknown, definitions: unknown): readonly [name: string, definition: unknown] => {
  const name = Predicate.isString(reference) ? reference.replace(/^#\/(?:\$defs|definitions)\//, "") : ""
  return [name, Predicate.isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined]
}

/** Why the schema is not read; nothing when it is small enough. */
export const schemaExcess = (schema: unknown): string | undefined => {
  if (!Predicate.isObject(schema)) return undefined
  const definitions = { ...Object(schema["definitions"]), ...Object(schema["$defs"]) } as unknown
  let parts = 0
  /** True when it is too much; a definition within itself ends there. */
  const exceeds = (value: unknown, depth: number, within: ReadonlyArray<string>): boolean => {
    parts += 1
    if (parts > maxParts || depth > maxDepth) return true
    if (Array.isArray(value)) return value.some((item) => exceeds(item, depth + 1, within))
    if (!Predicate.isObject(value)) return false
    const [name, definition] = definitionOf(value["$ref"], definitions)
    if (definition !== undefined && !within.includes(name) && exceeds(definition, depth + 1, [...within, name])) {
      return true
    }
    return Object.values(value).some((item) => exceeds(item, depth + 1, within))
  }
  if (exceeds(schema, 0, [])) {
    return `the schema of its parameters unfolds to more than ${maxParts} parts or ${maxDepth} levels.`
  }
  return JSON.stringify(schema).length > maxCharacters
    ? `the schema of its parameters has more than ${maxCharacters} characters.`
    : undefined
}
