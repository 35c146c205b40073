/**
 * Schemas from authors of plugins: a schema of Effect, a Standard Schema with its JSON schema (such as zod 4), or a
 * plain JSON schema. Values are checked against the JSON schema first, so that models read uniform messages. The
 * author's schema checks them again.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "effect/StandardSchema"
import type { JsonSchemaValue } from "./JsonSchemaValue.ts"
import { jsonSchemaFault } from "./JsonSchemaFault.ts"
import { exampleArguments, isSchema, type JsonSchema, jsonSchemaCodec, parameterSchema } from "./ToolSchema.ts"

/** A Standard Schema that can also return its JSON schema. */
export interface StandardJsonSchema<out Output = unknown> {
  readonly "~standard": StandardSchemaV1.Props<unknown, Output> & StandardJSONSchemaV1.Props<unknown, Output>
}

/** The kinds of schema that a plugin may pass. */
export type SchemaSource = Schema.Constraint | StandardJsonSchema | JsonSchema

/** The type of the values that a schema decodes. */
export type ValueOf<Source> = Source extends Schema.Constraint
  ? Source["Type"]
  : Source extends StandardJsonSchema<infer Output>
    ? Output
    : JsonSchemaValue<Source>

/** A schema with a codec that decodes values, and a JSON schema that models read. */
export interface UsableSchema {
  // oxlint-disable-next-line typescript/no-explicit-any -- the author of the schema knows what it decodes to
  readonly codec: Schema.Codec<any, unknown>
  readonly json: JsonSchema
}

/**
 * True for a schema of this copy of `effect`. Schemas of another copy pass `isSchema` too, but cannot be decoded here.
 */
const isOwnSchema = ({ ast }: Schema.Constraint): boolean => {
  if (ast._tag === "Objects") return ast instanceof SchemaAST.Objects
  return ast._tag !== "Declaration" || ast instanceof SchemaAST.Declaration
}

type Standard = StandardJsonSchema["~standard"]

const isPromise = (value: unknown): value is Promise<unknown> =>
  Predicate.hasProperty(value, "then") && typeof value.then === "function"

const pathOf = ({ path = [] }: StandardSchemaV1.Issue): ReadonlyArray<PropertyKey> =>
  path.map((part) => (typeof part === "object" ? part.key : part))

const isNotEmpty = <A>(list: ReadonlyArray<A>): list is readonly [A, ...Array<A>] => list.length > 0

/** Runs the validation of the Standard Schema on a value that already fits the JSON schema. */
const validated = (standard: Standard, value: unknown): Effect.Effect<unknown, SchemaIssue.Issue> => {
  const result = standard.validate(value)
  if (isPromise(result)) return Effect.die("The schema of a plugin checks values asynchronously.")
  if (result.issues === undefined) return Effect.succeed(result.value)
  const issues = result.issues.map(
    (issue) =>
      new SchemaIssue.Pointer(pathOf(issue), new SchemaIssue.InvalidValue({ message: issue.message }, undefined))
  )
  const all = isNotEmpty(issues) ? issues : ([new SchemaIssue.InvalidValue(undefined)] as const)
  return Effect.fail(new SchemaIssue.Composite(Schema.Unknown.ast, all))
}

const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.message.split("\n")[0] ?? "") : String(thrown)

/**
 * Adds `additionalProperties: false` to objects that do not set it. The parts of an `allOf` stay unchanged, because
 * each part describes only some properties.
 */
const closed = (schema: Schema.Json): Schema.Json => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isSchema(schema)) return schema
  const parts = Object.entries(schema).map(([key, part]) => [key, key === "allOf" ? part : closed(part)])
  const isOpen = schema["type"] !== "object" || schema["allOf"] !== undefined || !isSchema(schema["properties"])
  return { ...(isOpen ? {} : { additionalProperties: false }), ...Object.fromEntries(parts) }
}

const fromJsonSchema = (schema: unknown): Result.Result<UsableSchema, string> =>
  Result.map(jsonSchemaCodec(closed(schema as Schema.Json), "apply"), (codec) => ({
    codec,
    json: parameterSchema(codec)
  }))

const converterOf = (vendor: string): string =>
  vendor === "valibot" ? "Wrap it in toStandardJsonSchema of @valibot/to-json-schema." : "Pass a plain JSON schema."

const fromStandard = (standard: Standard): Result.Result<UsableSchema, string> => {
  const vendor = String(standard.vendor)
  if (!isSchema(standard.jsonSchema)) {
    return Result.fail(`a schema of ${vendor} that gives no JSON schema. ${converterOf(vendor)}`)
  }
  const converted = Result.try({
    try: () => standard.jsonSchema.input({ target: "draft-2020-12" }),
    catch: (thrown) => `a schema of ${vendor} without a JSON schema: ${reasonOf(thrown)}`
  })
  return Result.flatMap(converted, (schema) =>
    Result.flatMap(fromJsonSchema(schema), ({ codec, json }) => {
      const trial = standard.validate(exampleArguments(json))
      if (isPromise(trial)) {
        void trial.catch(() => undefined)
        return Result.fail(`a schema of ${vendor} that checks values asynchronously. Check them in the tool.`)
      }
      const checked = codec.pipe(
        Schema.decodeTo(Schema.Unknown, {
          decode: SchemaGetter.transformEffect((value: unknown) => validated(standard, value)),
          encode: SchemaGetter.passthrough()
        })
      )
      return Result.succeed({ codec: checked, json })
    })
  )
}

/** The codec and the JSON schema of a schema. The failure is the end of a sentence that begins with "it is". */
export const readSchemaSource = (source: unknown): Result.Result<UsableSchema, string> => {
  if (Schema.isSchema(source)) {
    return isOwnSchema(source)
      ? Result.succeed({ codec: source as Schema.Codec<unknown, unknown>, json: parameterSchema(source) })
      : Result.fail("not a schema of the copy of `effect` that this program uses.")
  }
  if (Predicate.hasProperty(source, "~standard") && isSchema(source["~standard"])) {
    return fromStandard(source["~standard"] as unknown as Standard)
  }
  if (!isSchema(source))
    return Result.fail("not a schema: neither of Effect, nor a Standard Schema, nor a JSON schema.")
  const fault = jsonSchemaFault(source)
  const read = fault === undefined ? fromJsonSchema(source) : Result.fail(fault)
  return Result.mapError(read, (why) => `a JSON schema that cannot be read: ${why}.`)
}
