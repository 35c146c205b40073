/**
 * The example of every rule: a smallest text in which it finds something, and the same text fixed. A file of
 * test/fixtures/rules holds those of a family; test/fixtures/README.md says what the keys mean.
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"
import { type ExampleKind, exampleKinds } from "./ExampleKinds.ts"
import { writeOut } from "./writeOut.ts"

const Examples = Schema.Record(
  Schema.String,
  Schema.Struct({
    kind: Schema.Literals(Struct.keys(exampleKinds)),
    before: Schema.String,
    after: Schema.optionalKey(Schema.String),
    fix: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    alongside: Schema.optionalKey(Schema.Array(Schema.String))
  })
)
const readExamples = Schema.decodeUnknownSync(Examples, { onExcessProperty: "error" })

export interface RuleExample {
  readonly code: string
  readonly family: string
  readonly kind: ExampleKind
  readonly before: string
  readonly after: string
  /** Codes that cannot be avoided in `before`. */
  readonly alongside: ReadonlyArray<string>
}

/** Puts the right lines in the place of the wrong ones. */
const fixed = (before: string, fix: Readonly<Record<string, string>>): string =>
  Object.entries(fix).reduce((text, [wrong, right]) => text.replace(wrong, () => right), before)

const folder = new URL("../fixtures/rules/", import.meta.url)

/** All examples, in the order in which they stand in the files. */
export const ruleExamples: ReadonlyArray<RuleExample> = readdirSync(folder).flatMap((file) => {
  const family = file.replace(/\.yaml$/, "")
  const examples = readExamples(parse(readFileSync(new URL(file, folder), "utf8")))
  return Object.entries(examples).map(
    ([code, { alongside = [], before, fix = {}, kind, after = fixed(before, fix) }]) => ({
      code,
      family,
      kind,
      before: writeOut(before),
      after: writeOut(after),
      alongside
    })
  )
})

const byCode = new Map(ruleExamples.map((example) => [example.code, example]))

/** The example of a rule. */
export const exampleOf = (code: string): RuleExample => {
  const example = byCode.get(code)
  if (example === undefined) throw new Error(`There is no example of ${code} under test/fixtures/rules.`)
  return example
}
