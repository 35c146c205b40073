import { assert, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readJson } from "../../../src/domain/text/JsonText.ts"

const problemOf = (text: string): string =>
  Result.match(readJson(text), {
    onFailure: ({ column, line, what }) => `${line}:${column}: ${what}`,
    onSuccess: () => ""
  })

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`

const document = '{"a": [1, -0.5e+3, {"b\\n\\u00e9": null}], "c": {"d": true, "e": []},\r\n\t"f": "\\"g\\\\"}'

it.each([document, " -1.5\n", "null", "[]", '""'])("reads what JSON.parse reads: %j", (text) => {
  assert.deepStrictEqual<unknown>(Result.getOrThrow(readJson(text)).value, JSON.parse(text))
})

it.each([
  ["01", "1:2: end of file expected."],
  ["+1", "1:1: invalid symbol."],
  ["[1.]", "1:2: unexpected end of number."],
  ["[tru]", "1:2: invalid symbol."],
  ["'a'", "1:1: invalid symbol."],
  ['["a]', "1:2: unexpected end of string."],
  ['["a\n"]', "1:2: unexpected end of string."],
  ['["\t"]', "1:2: invalid character."],
  ['["\\q"]', "1:2: invalid escape character."],
  ['["\\u00g0"]', "1:2: invalid unicode."],
  ["[1, // one\n2]", "1:5: invalid comment token."],
  ["[1 /* one */]", "1:4: invalid comment token."],
  ["[1,]", "1:4: value expected."],
  ["[1", "1:3: close bracket expected."],
  ["[1,\n", "2:1: value expected."],
  ["{a: 1}", "1:2: invalid symbol."],
  ['{"a" 1}', "1:6: colon expected."],
  ['{"a": 1', "1:8: close brace expected."],
  ['{"a": 1,', "1:9: property name expected."],
  ['{"a": [1}', "1:9: comma expected."],
  ['{"a": 1,\n "\\u0061": 2}', '2:2: the key "a" stands here a second time.'],
  ["\u00a01", "1:1: invalid symbol."],
  ["\ufeff1", "1:1: invalid symbol."],
  ["1 2", "1:3: end of file expected."]
])("says where %j breaks", (text, expected) => assert.strictEqual(problemOf(text), expected))

it("reads 65 brackets within each other and no more", () => {
  expect([65, 66].map((depth) => problemOf(nested(depth)))).toStrictEqual(["", "1:1: the text is nested too deeply."])
})

it("knows the place of every key and element, and that of the parent for what is not there", () => {
  const text = '\r\n{\n  "a": [1,\n {"b": null}],\t"c" : {}\n}\n'
  const { placeOf } = Result.getOrThrow(readJson(text))
  const paths = [[], ["a"], ["a", 0], ["a", 1], ["a", 1, "b"], ["c"], ["c", "d"], ["a", 7], ["e", "f"]]
  assert.deepStrictEqual(
    paths.map(placeOf).map(({ column, line }) => `${line}:${column}`),
    ["2:1", "3:3", "3:9", "4:2", "4:3", "4:16", "4:16", "3:3", "2:1"]
  )
})

it("counts a carriage return alone as the end of a line, as editors do", () => {
  assert.strictEqual(problemOf("[1,\r]"), "2:1: value expected.")
})
