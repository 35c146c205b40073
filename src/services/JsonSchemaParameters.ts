/**
 * Parameters of tools that are described by JSON schema instead of code: tools of servers and of the configuration.
 * Called by whoever makes such tools.
 */
import * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import type { Arguments } from "../domain/ToolCall.ts"

const draft07 = /draft-0[4-7]/

/**
 * The schema of an object as parameters of a tool. What this program cannot check (patterns) is left to the tool; a
 * schema that it cannot read at all fails with the reason.
 */
export const jsonSchemaParameters = (schema: unknown): Result.Result<Schema.Codec<Arguments, unknown>, string> => {
  if (!Predicate.isObject(schema) || Array.isArray(schema)) return Result.fail("it is not an object")
  const given: JsonSchema.JsonSchema = { ...schema }
  if (given["type"] !== "object") return Result.fail('its "type" is not "object"')
  const dialect = String(given["$schema"] ?? "")
  return Result.try({
    try: () => {
      const document = draft07.test(dialect)
        ? JsonSchema.fromSchemaDraft07(given)
        : JsonSchema.fromSchemaDraft2020_12(given)
      const imported = SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "ignore" })
      return imported as Schema.Codec<Arguments, unknown>
    },
    catch: (thrown) => (thrown instanceof Error ? (thrown.message.split("\n")[0] ?? "") : String(thrown))
  })
}
