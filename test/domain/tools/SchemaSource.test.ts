import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as z from "zod"
import { modelText } from "../../../src/domain/text/SchemaText.ts"
import { readSchemaSource, type SchemaSource, type ValueOf } from "../../../src/domain/tools/SchemaSource.ts"

const described = "The file."

/** The same parameters in each form. */
const sources: ReadonlyArray<readonly [name: string, source: SchemaSource]> = [
  [
    "a schema of Effect",
    Schema.Struct({
      path: Schema.String.annotate({ description: described }),
      lines: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
    })
  ],
  ["a schema of zod", z.object({ path: z.string().describe(described), lines: z.int().min(1).optional() })],
  [
    "a JSON schema",
    {
      type: "object",
      properties: { path: { type: "string", description: described }, lines: { type: "integer", minimum: 1 } },
      required: ["path"],
      additionalProperties: false
    }
  ]
]

/** The value of a schema, or what a model is told. */
const read = (source: unknown, value: unknown): unknown =>
  Result.match(readSchemaSource(source), {
    onFailure: (why) => `is ${why}`,
    onSuccess: ({ codec }) =>
      Result.match(Schema.decodeUnknownResult(codec)(value, { errors: "all", onExcessProperty: "error" }), {
        onFailure: (error) => modelText(error, value),
        onSuccess: (decoded: unknown) => decoded
      })
  })

describe.each(sources)("%s", (_, source) => {
  it("is shown to a model in the same plain form", () => {
    assert.deepStrictEqual(Result.getOrThrow(readSchemaSource(source)).json, {
      type: "object",
      properties: { path: { type: "string", description: described }, lines: { type: "integer", minimum: 1 } },
      required: ["path"]
    })
  })

  it("says in the same words what is wrong", () => {
    assert.deepStrictEqual(read(source, { path: "a", lines: 2 }), { path: "a", lines: 2 })
    assert.strictEqual(
      read(source, { lines: "2" }),
      "path is missing. Add it. lines must be a number, but is a string. Write it without quotes."
    )
    assert.strictEqual(read(source, { path: "a", line: 1 }), "line is unknown here. Remove it, or correct its name.")
  })
})

describe("a Standard Schema", () => {
  it("decodes with its own defaults, transformations and checks", () => {
    const source = z
      .object({ path: z.string().transform((text) => text.length), lines: z.int().default(3) })
      .refine(({ path }) => path !== 3, { message: "must not have three letters", path: ["path"] })
    assert.deepStrictEqual(read(source, { path: "a" }), { path: 1, lines: 3 })
    assert.strictEqual(read(source, { path: "bad" }), "path must not have three letters.")
  })

  it("takes what it does not name only when it says so", () => {
    assert.deepStrictEqual(read(z.looseObject({ a: z.string() }), { a: "x", b: 1 }), { a: "x", b: 1 })
    assert.deepStrictEqual(
      read(z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })), { a: "x", b: 1 }),
      { a: "x", b: 1 }
    )
  })

  it("is refused with the reason when it cannot be shown or used", () => {
    assert.strictEqual(
      read(z.object({ at: z.date() }), {}),
      "is a schema of zod without a JSON schema: Date cannot be represented in JSON Schema"
    )
    assert.strictEqual(
      read(z.object({ a: z.string().refine(async () => true) }), {}),
      "is a schema of zod that checks values asynchronously. Check them in the tool."
    )
    const bare = { "~standard": { version: 1, vendor: "valibot", validate: () => ({ value: 1 }) } }
    assert.strictEqual(
      read(bare, {}),
      "is a schema of valibot that gives no JSON schema. Wrap it in toStandardJsonSchema of @valibot/to-json-schema."
    )
  })
})

it.each([5, "path", null, undefined, () => undefined])("what is no schema is refused: %s", (one) => {
  assert.strictEqual(read(one, {}), "is not a schema: neither of Effect, nor a Standard Schema, nor a JSON schema.")
})

it("a schema gives the type of its values", () => {
  const json = {
    type: "object",
    properties: {
      path: { type: "string" },
      kind: { enum: ["file", "folder"] },
      rows: { type: "array", items: { type: "integer" } }
    },
    required: ["path", "kind"]
  } as const
  const value: ValueOf<typeof json> = { path: "a", kind: "file", rows: [1] }
  // @ts-expect-error -- a choice that there is not
  const wrong: ValueOf<typeof json> = { path: "a", kind: "link" }
  const zod = z.object({ path: z.string() })
  const ofZod: ValueOf<typeof zod> = { path: "a" }
  // @ts-expect-error -- a number is no path
  const notOfZod: ValueOf<typeof zod> = { path: 1 }
  assert.lengthOf([value, wrong, ofZod, notOfZod], 4)
})
