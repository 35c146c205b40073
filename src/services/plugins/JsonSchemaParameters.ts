/**
 * Parameters of tools that are described by JSON schema instead of code: tools of servers and of the configuration.
 */
import * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import type { Arguments } from "../../domain/tools/ToolCall.ts"

const draft07 = /draft-0[4-7]/

/**
 * The schema of an object as parameters of a tool. Patterns are regular expressions without a bound on their time, so
 * only those of a trusted schema are applied. Fails with the reason when the schema cannot be read.
 */
export const jsonSchemaParameters = (
  schema: unknown,
  patterns: "apply" | "ignore" = "ignore"
): Result.Result<Schema.Codec<Arguments, unknown>, string> => {
  if (!Predicate.isObject(schema) || Array.isArray(schema)) return Result.fail("it is not an object")
  const given: JsonSchema.JsonSchema = { ...schema }
  if (given["type"] !== "object") return Result.fail('its "type" is not "object"')
  const dialect = String(given["$schema"] ?? "")
  return Result.try({
    try: () => {
      const document = draft07.test(dialect)
        ? JsonSchema.fromSchemaDraft07(given)
        : JsonSchema.fromSchemaDraft2020_12(given)
      const imported = SchemaRepresentation.fromJsonSchemaDocument(document, { patterns })
      return imported as Schema.Codec<Arguments, unknown>
    },
    catch: (thrown) => (thrown instanceof Error ? (thrown.message.split("\n")[0] ?? "") : String(thrown))
  })
}
