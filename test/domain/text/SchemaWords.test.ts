import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { pathText } from "../../../src/domain/text/SchemaProblems.ts"
import { problemSentence, remedyOf, schemaProblemsOf } from "../../../src/domain/text/SchemaWords.ts"

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

const problems = (value: unknown) =>
  Result.match(Schema.decodeUnknownResult(Shape)(value, { errors: "all", onExcessProperty: "error" }), {
    onSuccess: () => [],
    onFailure: (error) => schemaProblemsOf(error, value)
  })

const sentences = (value: unknown): ReadonlyArray<string> =>
  problems(value).map((problem) => problemSentence(pathText(problem.path) || "all", problem))

describe("what a schema says", () => {
  const cases: ReadonlyArray<readonly [value: unknown, ...Array<string>]> = [
    [{ name: 5 }, "name must be a text, but is the number 5. Write it in double quotes."],
    [{ name: "" }, "name must be a value that is not empty, but is an empty text."],
    [{ count: "5" }, "count must be a number, but is a text. Write it without quotes."],
    [{ count: 1.5 }, "count must be a whole number, but is the number 1.5."],
    [{ count: 12 }, "count must be a number between 1 and 9, but is the number 12."],
    [{ ratio: null }, "ratio must be a number, but is null."],
    [{ on: "true" }, "on must be true or false, but is a text. Write it without quotes."],
    [{ level: "hihg" }, 'level must be "low" or "high", but is "hihg".'],
    [{ level: "s".repeat(50) }, 'level must be "low" or "high", but is a text.'],
    [{ either: 4 }, 'either must be true or false, "low" or "high", but is the number 4.'],
    [{ list: "a" }, "list must be a list, but is a text. Write it in brackets, [ ... ]."],
    [{ list: ["a", 2] }, "list[1] must be a text, but is the number 2. Write it in double quotes."],
    [{ map: [] }, "map must be an object, but is an empty list. Write it in braces, { ... }."],
    [{ map: { a: {} } }, "map.a must be a number, but is an object."],
    [{ text: "b" }, "text must be a text that the pattern ^a matches, but is a text."],
    [{ inner: {} }, "inner.needed is missing. Add it."],
    [{ inner: { needed: "a", more: 1 } }, "inner.more is unknown here. Remove it, or correct its name."],
    [{ even: 3 }, "even must be even."],
    [{ odd: 4 }, "odd: 3 and 5 are odd."],
    [{ silent: 4 }, "silent must be another value, but is the number 4."],
    [{ long: "a" }, "long must be at least 3 characters or elements, but is a text."],
    ["a", "all must be an object, but is a text. Write it in braces, { ... }."],
    [
      { name: 1, on: 2 },
      "name must be a text, but is the number 1. Write it in double quotes.",
      "on must be true or false, but is the number 2."
    ]
  ]
  for (const [value, ...expected] of cases) {
    it(`is said in plain words of ${JSON.stringify(value).slice(0, 60)}`, () => {
      assert.deepStrictEqual(sentences(value), expected)
    })
  }

  it("is said as a thing to write, too", () => {
    assert.deepStrictEqual(problems({ name: 5, count: 12, odd: 4 }).map(remedyOf), [
      "Write a text, in double quotes.",
      "Write a number between 1 and 9.",
      "3 and 5 are odd."
    ])
  })

  it("never quotes a text that may be a secret", () => {
    const secret = "hunter2"
    const all = [{ count: secret }, { on: secret }, { list: secret }, { map: { key: secret } }, { text: secret }]
    assert.notInclude(all.flatMap(sentences).join("\n"), secret)
    assert.strictEqual(all.flatMap(sentences).length, all.length)
  })
})
