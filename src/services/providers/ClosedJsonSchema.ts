/**
 * The JSON schema that binds an answer.
 */
import type * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"

/** Closed objects, since a server lets the model add any properties to an open one. */
export const closedJsonSchema = (schema: Schema.Constraint): JsonSchema.JsonSchema => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  const { definitions } = document
  return Object.keys(definitions).length === 0 ? document.schema : { ...document.schema, $defs: definitions }
}
