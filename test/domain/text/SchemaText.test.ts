import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readJson } from "../../../src/domain/text/JsonText.ts"
import {
  modelFaults,
  modelSentence,
  pathText,
  remedyOf,
  schemaErrorText,
  schemaProblems
} from "../../../src/domain/text/SchemaText.ts"

const Shape = Schema.Struct({
  name: Schema.optionalKey(Schema.NonEmptyString),
  count: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))),
  ratio: Schema.optionalKey(Schema.Finite),
  on: Schema.optionalKey(Schema.Boolean),
  level: Schema.optionalKey(Schema.Literals(["low", "high"])),
  either: Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.Literals(["low", "high"])])),
  list: Schema.optionalKey(Schema.Array(Schema.String)),
  map: Schema.optionalKey(Schema.Record(Schema.String, Schema.Number)),
  text: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^a/))),
  inner: Schema.optionalKey(Schema.Struct({ needed: Schema.String })),
  even: Schema.optionalKey(Schema.Number.check(Schema.makeFilter((n: number) => n % 2 === 0 || "must be even"))),
  odd: Schema.optionalKey(Schema.Number.check(Schema.makeFilter((n: number) => n % 2 === 1 || "3 and 5 are odd"))),
  silent: Schema.optionalKey(Schema.Number.check(Schema.makeFilter((n: number) => n > 5))),
  long: Schema.optionalKey(Schema.String.check(Schema.isMinLength(3), Schema.isMaxLength(5)))
})

const decode = (value: unknown) =>
  Schema.decodeUnknownResult(Shape)(value, { errors: "all", onExcessProperty: "error" })

const errorOf = (value: unknown): Schema.SchemaError => Result.getOrThrow(Result.flip(decode(value)))

const faults = (value: unknown) => modelFaults(errorOf(value), value)

const sentences = (value: unknown): ReadonlyArray<string> =>
  faults(value).map((fault) => modelSentence(pathText(fault.path) || "all", fault))

describe("what a schema says to a model", () => {
  const cases: ReadonlyArray<[value: unknown, ...expected: Array<string>]> = [
    [{ name: 5 }, "name must be a string, but is the number 5. Write it in double quotes."],
    [{ name: "" }, "name must be a value with a length of at least 1, but is an empty string."],
    [{ count: "5" }, "count must be a number, but is a string. Write it without quotes."],
    [{ count: 1.5 }, "count must be an integer, but is the number 1.5."],
    [{ count: 12 }, "count must be a value between 1 and 9, but is the number 12."],
    [{ ratio: null }, "ratio must be a number, but is null."],
    [{ on: "true" }, "on must be true or false, but is a string. Write it without quotes."],
    [{ level: "hihg" }, 'level must be "low" or "high", but is "hihg".'],
    [{ level: "s".repeat(50) }, 'level must be "low" or "high", but is a string.'],
    [{ either: 4 }, 'either must be true or false, "low" or "high", but is the number 4.'],
    [{ list: "a" }, "list must be an array, but is a string. Write it in brackets, [ ... ]."],
    [{ list: ["a", 2] }, "list[1] must be a string, but is the number 2. Write it in double quotes."],
    [{ map: [] }, "map must be an object, but is an empty array. Write it in braces, { ... }."],
    [{ map: { a: {} } }, "map.a must be a number, but is an object."],
    [{ text: "b" }, "text must be a string matching the RegExp ^a, but is a string."],
    [{ inner: {} }, "inner.needed is missing. Add it."],
    [{ inner: { needed: "a", more: 1 } }, "inner.more is unknown here. Remove it, or correct its name."],
    [{ even: 3 }, "even must be even."],
    [{ odd: 4 }, "odd: 3 and 5 are odd."],
    [{ silent: 4 }, "silent must be another value, but is the number 4."],
    [{ long: "a" }, "long must be a value with a length of at least 3, but is a string."],
    ["a", "all must be an object, but is a string. Write it in braces, { ... }."],
    [
      { name: 1, on: 2 },
      "name must be a string, but is the number 1. Write it in double quotes.",
      "on must be true or false, but is the number 2."
    ]
  ]
  it.each(cases)("is said in plain words of %j", (value, ...expected) => {
    assert.deepStrictEqual(sentences(value), expected)
  })

  it("is said as a thing to write, too", () => {
    assert.deepStrictEqual(faults({ name: 5, count: 12, odd: 4 }).map(remedyOf), [
      "Write a string, in double quotes.",
      "Write a value between 1 and 9.",
      "3 and 5 are odd."
    ])
  })

  it("never quotes a string that may be a secret", () => {
    const secret = "hunter2"
    const all = [{ count: secret }, { on: secret }, { list: secret }, { map: { key: secret } }, { text: secret }]
    const said = all.flatMap((value) => [...sentences(value), schemaErrorText(errorOf(value))])
    assert.notInclude(said.join("\n"), secret)
    assert.strictEqual(said.length, 2 * all.length)
  })
})

it("what a schema says to a person is said in the words of the schema, with the key", () => {
  assert.strictEqual(
    schemaErrorText(errorOf({ name: 5, inner: {}, even: 3, odd: 4 })),
    '"name": Expected string. "inner.needed": Missing key. "even" must be even. "odd": 3 and 5 are odd.'
  )
  assert.strictEqual(schemaErrorText(errorOf("a")), "the value: Expected object.")
})

it("what a schema says to a person is placed in the file in the order of its text", () => {
  const located = Result.getOrThrow(readJson('{\n  "on": 2,\n  "more": 1,\n  "name": 1\n}'))
  assert.deepStrictEqual(schemaProblems(errorOf(located.value), located), [
    { line: 2, column: 3, what: '"on": Expected boolean.' },
    { line: 3, column: 3, what: 'unknown key "more". Remove it, or correct its name.' },
    { line: 4, column: 3, what: '"name": Expected string.' }
  ])
})
