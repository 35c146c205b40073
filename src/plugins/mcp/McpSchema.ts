/**
 * Rewrites the JSON schema of a tool's parameters, so that this program can follow its references. Each part that a
 * pointer, anchor or address refers to becomes a named definition. The size is limited, because a small schema can
 * refer to itself so often that it would grow to millions of parts.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { unescaped } from "../../kit/text.ts"

const maxCharacters = 65_536
const maxParts = 10_000
const maxDepth = 64

/** Keywords with an object of schemas by key. */
const mapKeywords = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies"
])
/** Keywords with data, in which `$ref` is no reference. */
const dataKeywords = new Set(["const", "default", "enum", "example", "examples", "required"])
const referenceKeywords = ["$ref", "$dynamicRef", "$recursiveRef"] as const

type SchemaNode = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is SchemaNode => Predicate.isObject(value) && !Array.isArray(value)

/** Decodes one part of a pointer. An invalid percent escape stays. */
const decodedPart = (part: string): string => unescaped(part).replaceAll("~1", "/").replaceAll("~0", "~")

const childOf = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined
  return isNode(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** Applies a function to the direct subschemas of a schema. */
const mapSchemas = (node: SchemaNode, change: (schema: SchemaNode) => unknown): SchemaNode => {
  const each = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(each) : isNode(value) ? change(value) : value
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (dataKeywords.has(key)) return [key, value]
      if (!mapKeywords.has(key) || !isNode(value)) return [key, each(value)]
      return [key, Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, each(schema)]))]
    })
  )
}

/** A schema and all its subschemas. */
const schemasIn = (root: SchemaNode): ReadonlyArray<SchemaNode> => {
  const nodes: Array<SchemaNode> = []
  const visit = (node: SchemaNode): SchemaNode => {
    nodes.push(node)
    mapSchemas(node, visit)
    return node
  }
  visit(root)
  return nodes
}

/** Returns the function that finds a reference's schema. */
const makeFinder = (root: SchemaNode) => {
  const address = typeof root["$id"] === "string" ? root["$id"].replace(/#$/, "") : undefined
  const anchors = new Map<string, SchemaNode>()
  for (const node of schemasIn(root)) {
    for (const key of ["$anchor", "$dynamicAnchor"]) if (typeof node[key] === "string") anchors.set(node[key], node)
    const id = node["$id"]
    if (typeof id === "string" && id !== "" && node !== root) anchors.set(id.replace(/^#/, ""), node)
  }
  return (reference: string): SchemaNode | boolean | undefined => {
    const isOwn = address !== undefined && address !== "" && reference.startsWith(`${address}#`)
    const text = isOwn ? reference.slice(address.length) : reference
    const pointer = text.startsWith("#") ? text.slice(1) : undefined
    const target =
      pointer === undefined
        ? anchors.get(text)
        : pointer === ""
          ? root
          : pointer.startsWith("/")
            ? pointer
                .slice(1)
                .split("/")
                .map(decodedPart)
                .reduce(childOf, root as unknown)
            : anchors.get(decodedPart(pointer))
    return isNode(target) || typeof target === "boolean" ? target : undefined
  }
}

/** A unique name for a definition, from the end of the reference. */
const nameFor = (reference: string, usedNames: ReadonlySet<string>): string => {
  const last = decodedPart(reference.split(/[/#]/).at(-1) ?? "").replaceAll(/\W+/g, "_")
  const base = last === "" ? "root" : last
  let name = base
  for (let number = 2; usedNames.has(name); number += 1) name = `${base}_${number}`
  return name
}

const tooLarge = `the schema of its parameters unfolds to more than ${maxParts} parts or ${maxDepth} levels.`

/** True if a schema has too many parts or levels. */
const isTooLarge = (root: unknown): boolean => {
  let parts = 0
  const exceeds = (value: unknown, depth: number): boolean => {
    parts += 1
    if (parts > maxParts || depth > maxDepth) return true
    return Predicate.isObject(value) && Object.values(value).some((item) => exceeds(item, depth + 1))
  }
  return exceeds(root, 0)
}

/**
 * Turns all references into named definitions. References that lead nowhere stay. Fails with a sentence if the schema
 * is too large.
 */
export const definedSchema = (schema: unknown): Result.Result<unknown, string> => {
  if (!isNode(schema)) return Result.succeed(schema)
  if (isTooLarge(schema)) return Result.fail(tooLarge)
  if (JSON.stringify(schema).length > maxCharacters) {
    return Result.fail(`the schema of its parameters has more than ${maxCharacters} characters.`)
  }
  const find = makeFinder(schema)
  const keyword = /draft-0[4-7]/.test(String(schema["$schema"] ?? "")) ? "definitions" : "$defs"
  const names = new Map<string, string>()
  const definitions: Record<string, unknown> = {}
  const referTo = (reference: string, target: SchemaNode | boolean): string => {
    const known = names.get(reference)
    if (known !== undefined) return known
    const name = nameFor(reference, new Set(names.values()))
    names.set(reference, name)
    definitions[name] = isNode(target) ? defined(withoutDefinitions(target)) : target
    return name
  }
  const defined = (node: SchemaNode): SchemaNode => {
    const inner = mapSchemas(node, defined)
    const key = referenceKeywords.find((one) => typeof node[one] === "string")
    if (key === undefined) return inner
    const reference = String(node[key])
    const target = find(reference)
    if (target === undefined) return inner
    const { [key]: _, ...rest } = inner
    return { ...rest, $ref: `#/${keyword}/${referTo(reference, target)}` }
  }
  const body = defined(withoutDefinitions(withoutRootReference(schema, find)))
  return Result.succeed(names.size === 0 ? body : { ...body, [keyword]: definitions })
}

/**
 * If the root of the schema is only a reference, returns the schema to which it leads. Some libraries write such roots.
 * Other schemas stay unchanged.
 */
const withoutRootReference = (schema: SchemaNode, find: ReturnType<typeof makeFinder>): SchemaNode => {
  let whole = schema
  const followed = new Set<unknown>()
  for (;;) {
    const { $ref, ...rest } = whole
    if (typeof $ref !== "string" || followed.has($ref)) return whole
    followed.add($ref)
    const target = find($ref)
    if (!isNode(target)) return whole
    whole = { ...target, ...rest }
  }
}

const withoutDefinitions = ({ $defs: _defs, definitions: _definitions, ...rest }: SchemaNode): SchemaNode => rest

/** If the schema would be too large with all references resolved, a sentence that says so. Otherwise undefined. */
const unfoldedExcess = (schema: unknown): string | undefined => {
  if (!isNode(schema)) return undefined
  const definitions = { ...Object(schema["definitions"]), ...Object(schema["$defs"]) } as SchemaNode
  let parts = 0
  /** True if the limits are exceeded. A definition that contains itself is followed once. */
  const exceeds = (value: unknown, depth: number, within: ReadonlyArray<string>): boolean => {
    parts += 1
    if (parts > maxParts || depth > maxDepth) return true
    if (Array.isArray(value)) return value.some((item) => exceeds(item, depth + 1, within))
    if (!isNode(value)) return false
    const name = typeof value["$ref"] === "string" ? value["$ref"].replace(/^#\/(?:\$defs|definitions)\//, "") : ""
    const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined
    if (definition !== undefined && !within.includes(name) && exceeds(definition, depth + 1, [...within, name])) {
      return true
    }
    return Object.values(value).some((item) => exceeds(item, depth + 1, within))
  }
  return exceeds(schema, 0, []) ? tooLarge : undefined
}

/** A schema whose references this program can follow. Fails with a sentence if the schema is too large. */
export const readableSchema = (schema: unknown): Result.Result<unknown, string> =>
  Result.flatMap(definedSchema(schema), (defined) => {
    const excess = unfoldedExcess(defined)
    return excess === undefined ? Result.succeed(defined) : Result.fail(excess)
  })
