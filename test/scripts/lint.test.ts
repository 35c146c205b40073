import { assert, describe, it } from "@effect/vitest"
import { declarationsOf } from "../../scripts/lint/declarations.ts"
import {
  countsOf,
  excess,
  lowered,
  refusedWords,
  repeatsNames,
  type Violation,
  violationsIn
} from "../../scripts/lint/rules.ts"

const glossary =
  "# Glossary\n\n| refused | use |\n|---|---|\n| `firstLook` | prefetch |\n| `mend` | fix, repair |\n\nMore.\n"

const refused = refusedWords(glossary)

const lint = (...lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  violationsIn("domain/text/X.ts", lines.join("\n"), refused).map(({ line, rule }) => `${rule} ${line}`)

const broken = (path: string, count: number): ReadonlyArray<Violation> =>
  Array.from({ length: count }, () => ({ rule: "pronoun", path, line: 1, message: "" }))

describe("lint rules", () => {
  it("finds how long a name is alive", () => {
    const text = [
      "export const a = 1",
      "const f = ({ b, c: [d = 1, ...e] }: G) => {",
      "  const h = { b: 1, ...e }",
      "  for (const i of h.d) {",
      "    const b = i",
      "  }",
      "  return { d, h }",
      "}",
      "interface G { readonly j: (k: string) => void }"
    ].join("\n")
    const lines = Object.fromEntries(declarationsOf(text).declarations.map(({ lines, name }) => [`${name}`, lines]))
    assert.deepStrictEqual(lines, { a: Infinity, f: 1, b: 1, d: 6, e: 2, h: 5, i: 2, j: Infinity, k: 1 })
  })

  it("lets pronouns name values of three lines", () => {
    assert.deepStrictEqual(lint("const f = () => {", "  const found = g()", "", "  return found", "}"), [])
    assert.deepStrictEqual(lint("const f = () => {", "  const found = g()", "", "", "  return found", "}"), [
      "pronoun 2"
    ])
    assert.deepStrictEqual(lint("interface A {", "  readonly left: B", "}", "export const given = 1"), [
      "pronoun 2",
      "pronoun 4"
    ])
  })

  it("refuses comments whose words are all in the name", () => {
    assert.isTrue(repeatsNames("/** The name of the file. */", ["fileName"]))
    assert.isTrue(repeatsNames("// Reads the names of files.", ["readFileNames"]))
    assert.isFalse(repeatsNames("/** The name of the file, without its folder. */", ["fileName"]))
    assert.isFalse(repeatsNames("/** */", ["fileName"]))
    assert.deepStrictEqual(lint("/** A name. */", "export const name = 1"), ["comment 1"])
    assert.deepStrictEqual(lint("interface File {", "  /** The name. */", "  readonly name: string", "}"), [
      "comment 2"
    ])
    assert.deepStrictEqual(
      lint("interface Match {", "  /** The index, from 0. */", "  readonly index: number", "}"),
      []
    )
    assert.deepStrictEqual(lint("/** The text of a file. */", "const read = (file: F) => file.text"), [])
    assert.deepStrictEqual(lint('const text = "/** name */"', "const name = 1"), [])
  })

  it("refuses old words of the glossary in names", () => {
    assert.deepStrictEqual(
      lint("const withFirstLook = 1", "const mended = 1", "const first = look", 'const a = "mend"'),
      ["word 1"]
    )
    assert.deepStrictEqual(lint("interface Mend {", "  readonly mendText: string", "}"), ["word 2"])
    assert.isAbove(refusedWords("").size + refused.size, 1)
  })

  it("lets a room break a rule as often as its allowance says, and lowers allowances only", () => {
    const violations = [...broken("domain/text/A.ts", 2), ...broken("cli/run/B.ts", 1), ...broken("main.ts", 1)]
    const counts = { pronoun: { "domain/text": 2, "cli/run": 1, src: 1 } }
    assert.deepStrictEqual(countsOf(violations), counts)
    assert.deepStrictEqual(excess(violations, counts), [])
    assert.deepStrictEqual(excess(violations, { pronoun: { "domain/text": 1, "cli/run": 9 } }), [
      ...broken("domain/text/A.ts", 2),
      ...broken("main.ts", 1)
    ])
    assert.deepStrictEqual(lowered({ pronoun: { "domain/text": 1, "cli/run": 9, "domain/map": 4 } }, counts), {
      pronoun: { "cli/run": 1, "domain/text": 1 }
    })
    assert.deepStrictEqual(lowered({}, counts), counts)
  })
})
