import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import { exampleArguments, parameterSchema, jsonSchemaParameters } from "../../../src/domain/tools/ToolSchema.ts"

class Point extends Schema.Class<Point>("Point")({ x: Schema.Finite }) {}

interface Tree {
  readonly name: string
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  name: Schema.String,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })

describe("parameterSchema", () => {
  it("is plain: no references, no additional properties, no bounds of whole numbers, no null", () => {
    const parameters = Schema.Struct({
      path: Schema.String.annotate({ description: "The path." }),
      line: Schema.Int,
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
      point: Schema.optional(Point),
      points: Schema.Array(Point),
      mode: Schema.optionalKey(Schema.Literals(["a", "b"])),
      times: Schema.Int.pipe(Schema.withDecodingDefaultType(Effect.succeed(5)))
    })
    const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] }
    assert.deepStrictEqual(parameterSchema(parameters), {
      type: "object",
      properties: {
        path: { type: "string", description: "The path." },
        line: { type: "integer" },
        count: { type: "integer", minimum: 1, maximum: 9 },
        point,
        points: { type: "array", items: point },
        mode: { type: "string", enum: ["a", "b"] },
        times: { type: "integer" }
      },
      required: ["path", "line", "count", "points"]
    })
  })

  it("describes a struct without fields as an object without properties", () => {
    assert.deepStrictEqual(parameterSchema(Schema.Struct({})), { type: "object", properties: {} })
  })

  it("ends where a schema refers to itself", () => {
    assert.deepStrictEqual(parameterSchema(Schema.Struct({ tree: Tree })), {
      type: "object",
      properties: {
        tree: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: {} } },
          required: ["name", "children"]
        }
      },
      required: ["tree"]
    })
  })
})

it("exampleArguments has a value for every required parameter and for nothing else", () => {
  const parameters = Schema.Struct({
    text: Schema.String,
    count: Schema.Int.check(Schema.isGreaterThanOrEqualTo(3)),
    ratio: Schema.Finite,
    flag: Schema.Boolean,
    mode: Schema.Literals(["fast", "slow"]),
    list: Schema.Array(Schema.String),
    point: Point,
    either: Schema.Union([Schema.Finite, Schema.String]),
    extra: Schema.optionalKey(Schema.String)
  })
  assert.deepStrictEqual(exampleArguments(parameterSchema(parameters)), {
    text: "<text>",
    count: 3,
    ratio: 1,
    flag: true,
    mode: "fast",
    list: ["<list>"],
    point: { x: 1 },
    either: 1
  })
})

it("parameters from a JSON schema say why a schema cannot be used", () => {
  assert.deepStrictEqual(jsonSchemaParameters("text"), Result.fail("it is not an object"))
  assert.deepStrictEqual(jsonSchemaParameters({ type: "string" }), Result.fail('its "type" is not "object"'))
  assert.isTrue(Result.isFailure(jsonSchemaParameters({ type: "object", properties: { a: { $ref: "https://x" } } })))
})
