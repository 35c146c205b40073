import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parameterSchema } from "../../../src/domain/tools/ToolSchema.ts"
import { jsonSchemaParameters } from "../../../src/services/plugins/JsonSchemaParameters.ts"

const described = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    path: { type: "string", description: "A file.", pattern: "^[a-z]+$" },
    lines: { type: "integer", minimum: 1, maximum: 10 },
    mode: { enum: ["fast", "slow"] }
  },
  required: ["path"],
  additionalProperties: false
}

const accepts = (given: unknown) =>
  Result.isSuccess(
    Result.flatMap(jsonSchemaParameters(described), (schema) =>
      Schema.decodeUnknownResult(schema)(given, { onExcessProperty: "error" })
    )
  )

describe("parameters from a JSON schema", () => {
  it("are shown to the model with their descriptions and bounds", () => {
    assert.deepStrictEqual(
      Result.map(jsonSchemaParameters(described), parameterSchema),
      Result.succeed({
        type: "object",
        properties: {
          path: { type: "string", description: "A file." },
          lines: { type: "integer", minimum: 1, maximum: 10 },
          mode: { type: "string", enum: ["fast", "slow"] }
        },
        required: ["path"]
      })
    )
  })

  it("hold arguments to their types and bounds", () => {
    assert.deepStrictEqual(
      [{ path: "a" }, { path: "a", lines: 3 }, {}, { path: 1 }, { path: "a", lines: 11 }, { path: "a", other: 1 }].map(
        accepts
      ),
      [true, true, false, false, false, false]
    )
  })

  it("say why a schema cannot be used", () => {
    assert.deepStrictEqual(jsonSchemaParameters("text"), Result.fail("it is not an object"))
    assert.deepStrictEqual(jsonSchemaParameters({ type: "string" }), Result.fail('its "type" is not "object"'))
    assert.isTrue(
      Result.isFailure(jsonSchemaParameters({ type: "object", properties: { a: { $ref: "https://x/y" } } }))
    )
  })
})
