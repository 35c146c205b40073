/**
 * Encodes values whose encoded form is nearly what they are, as those of a run: structs, lists, unions of tagged structs,
 * and classes whose fields are what is encoded. The way through a schema is found once, not again for each value; what
 * has no short way is left to the schema. The result is that of the schema, with its keys in the same order.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

type AST = SchemaAST.AST
type Encode = (value: unknown) => unknown

const unfit = (ast: AST, value: unknown): TypeError =>
  new TypeError(`A value of type ${value === null ? "null" : typeof value} is in the place of ${ast._tag}.`)

const bySchema = (ast: AST): Encode =>
  Schema.encodeUnknownSync(Schema.make<Schema.Codec<unknown, unknown, never, never>>(ast))

/** The value itself, when it fits. */
const itself =
  (ast: AST, fits: (value: unknown) => boolean): Encode =>
  (value) => {
    if (!fits(value)) throw unfit(ast, value)
    return value
  }

const isJson = (ast: AST): boolean =>
  ast._tag === "Declaration" && Schema.Json.ast._tag === "Declaration" && ast.run === Schema.Json.ast.run

/** What a value without parts has to be. */
const leafTest = (ast: AST): ((value: unknown) => boolean) | undefined => {
  if (ast.encoding !== undefined) return undefined
  if (ast.checks !== undefined && (ast._tag === "String" || ast._tag === "Number")) return Schema.is(Schema.make(ast))
  if (isJson(ast)) return (value) => value !== undefined
  if (ast._tag === "String") return (value) => typeof value === "string"
  if (ast._tag === "Boolean") return (value) => typeof value === "boolean"
  if (ast._tag === "Null") return (value) => value === null
  if (ast._tag === "Literal") return (value) => value === ast.literal
  return undefined
}

/** The fields of a struct or of a class. */
const structOf = (ast: AST): SchemaAST.Objects | undefined => {
  if (ast._tag === "Objects") return ast.encoding === undefined ? ast : undefined
  const to = ast.encoding?.length === 1 ? ast.encoding[0].to : undefined
  if (ast._tag !== "Declaration" || to?._tag !== "Objects") return undefined
  return ast.typeParameters.length === 1 && ast.typeParameters[0] === to ? to : undefined
}

/** Without checks and transformations of its own. */
const isBare = ({ checks, encoding }: AST): boolean => checks === undefined && encoding === undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const encodeStruct = (ast: SchemaAST.Objects): Encode => {
  const fields = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    isOptional: type.context?.isOptional === true,
    encode: encoderOf(type)
  }))
  const [others] = ast.indexSignatures.map(({ type }) => encoderOf(type))
  return (value) => {
    if (!isObject(value)) throw unfit(ast, value)
    const encoded: Record<string, unknown> = {}
    for (const { encode, isOptional, name } of fields) {
      const field = value[name]
      if (field !== undefined) encoded[name] = encode(field)
      else if (!isOptional) throw unfit(ast, field)
    }
    if (others === undefined) return encoded
    /* A key may be `__proto__`, which an assignment would lose. */
    return Object.fromEntries([
      ...Object.entries(encoded),
      ...Object.entries(value).map(([name, one]) => [name, others(one)] as const)
    ])
  }
}

const encodeList = (ast: SchemaAST.Arrays): Encode => {
  const first = ast.elements.map(encoderOf)
  const others = ast.rest.map(encoderOf)[0] ?? itself(ast, () => false)
  return (value) => {
    if (!Array.isArray(value) || value.length < first.length) throw unfit(ast, value)
    return value.map((one: unknown, index) => (first[index] ?? others)(one))
  }
}

const membersOf = (ast: AST): ReadonlyArray<AST> =>
  ast._tag === "Union" && isBare(ast) ? ast.types.flatMap(membersOf) : [ast]

/** The field by which structs are told apart, with what each of them has there. */
const tagOf = (structs: ReadonlyArray<SchemaAST.Objects>) => {
  for (const { name } of structs[0]?.propertySignatures ?? []) {
    const types = structs.map((one) => one.propertySignatures.find((other) => other.name === name)?.type)
    const tags = types.flatMap((type): ReadonlyArray<unknown> => (type?._tag === "Literal" ? [type.literal] : []))
    if (new Set(tags).size === structs.length) return { name: String(name), tags }
  }
  return undefined
}

/** Nothing when a value does not show by itself which member it is of. */
const encodeUnion = (ast: SchemaAST.Union): Encode | undefined => {
  const members = membersOf(ast)
  const tests = members.flatMap((member) => leafTest(member) ?? [])
  const structs = members.filter((member) => structOf(member) !== undefined)
  if (tests.length + structs.length < members.length || (structs.length > 0 && members.some(isJson))) return undefined
  const leaf = itself(ast, (value) => tests.some((test) => test(value)))
  const encoders = structs.map(encoderOf)
  const [only] = encoders
  if (only === undefined) return leaf
  if (encoders.length === 1) return (value) => (isObject(value) ? only : leaf)(value)
  const tag = tagOf(structs.flatMap((one) => structOf(one) ?? []))
  if (tag === undefined) return undefined
  const byTag = new Map(encoders.map((encode, index) => [tag.tags[index], encode]))
  return (value) => ((isObject(value) ? byTag.get(value[tag.name]) : undefined) ?? leaf)(value)
}

/** Nothing when only the schema itself can encode its values. */
const shortWay = (ast: AST): Encode | undefined => {
  const test = leafTest(ast)
  if (test !== undefined) return itself(ast, test)
  const struct = structOf(ast)
  if (struct !== undefined) return isBare(struct) ? encodeStruct(struct) : undefined
  if (!isBare(ast)) return undefined
  if (ast._tag === "Arrays") return encodeList(ast)
  return ast._tag === "Union" ? encodeUnion(ast) : undefined
}

const known = new WeakMap<AST, Encode>()

const encoderOf = (ast: AST): Encode => {
  const before = known.get(ast)
  if (before !== undefined) return before
  let made: Encode | undefined
  /* It is made with its first use: a schema may hold itself. */
  const encode: Encode = (value) => (made ??= shortWay(ast) ?? bySchema(ast))(value)
  known.set(ast, encode)
  return encode
}

/** The function that encodes values of a schema as JSON values. It throws on what is not of the schema. */
export const plainEncoder = <A, I extends Schema.Json>(schema: Schema.Codec<A, I>): ((value: A) => I) =>
  encoderOf(schema.ast) as (value: A) => I
