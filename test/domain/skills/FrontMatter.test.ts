import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Result from "effect/Result"
import { plainFrontMatter } from "../../../src/domain/skills/FrontMatter.ts"
import { needsYaml } from "../../../src/domain/skills/SkillFile.ts"
import { readYaml } from "../../../src/domain/skills/YamlFrontMatter.ts"

const keys = ["a", "allowed-tools", "my.key_1", "B", "null", "True", "__proto__", "constructor", "1a", "-", "a b", "é", "?"]

/** Texts that YAML takes as they are, and others that it takes for more or less than a text. */
const values = [
  ..."word|two words|Use it: now|a:b|c:|d #e|f#g|#h|it's|say \"no\"|x, [y] {z}|x & *y !z|q? r - s|t > u|back\\slash".split("|"),
  ..."true|null|False|NULL|yes|no|~|12|0x1f|1.5|.inf|e5|nan|2024-01-01|- a|[a]|{a: b}|&a b|*a|!a b|@a|`a`".split("|"),
  ...`%a|> a|, a|<<|""|"a"|"a: b # c"|"a\\n"|"a" b|"a|a"|''|'a'|'it''s'|'a' b|'a|' a '|"\\u0041"|é and ß|日本語`.split("|"),
  ..."a\u00a0b|a\u2028b|a\tb|a\u0001b|a\ufeffb|😀|a😀|a\ud83d|a | a|| |a\u0085b|ab\u00a0".split("|"),
  "|",
  "a |"
]

const documents = [
  ...values.flatMap((value) => [`a: ${value}`, `a: x\nb: ${value}\nc: y`, `a:${value}`, `m:\n  b: ${value}\n  c: y\nd: z`]),
  ...values.flatMap((value) => [`a: x\n  ${value}`, `a: ${value}\n  b: y`, `m:\n  b: ${value}\n   c: y`, `${value}\na: b`]),
  ...keys.flatMap((key) => [`${key}: x`, `m:\n  ${key}: x`, `${key}:\n  a: x`, `${key}:`, `a: x\n${key}: y`]),
  ..."|a:|a: x\\na: y|m:\\n  a: x\\n  a: y|a: x\\n|a: x\\n\\nb: y|a: x\\n# c\\nb: y|a:\\n  - b|a:\\n- b|a:\\n b: c|--- |...|a: x\\n...|a: |\\na: x"
    .split("|")
    .map((text) => text.replaceAll("\\n", "\n"))
]

describe("plain front matter", () => {
  it("is read as YAML reads it, or left to YAML", () => {
    const plain = documents.filter((text) => plainFrontMatter(text) !== undefined)
    assert.isAbove(plain.length, 60)
    for (const text of plain) {
      const [one, other] = [plainFrontMatter(text), Result.getOrThrow(readYaml(text))]
      assert.deepStrictEqual(one?.fields, other.fields, JSON.stringify(text))
      assert.deepStrictEqual(one?.repairs, other.repairs)
      for (const key of [...keys, "m", "c", "missing"]) assert.strictEqual(one?.lineOf(key), other.lineOf(key), text)
    }
  })

  it("is what the skills of the package have", () => {
    const files = globSync("skills/*/SKILL.md")
    assert.isNotEmpty(files)
    for (const file of files) assert.isFalse(needsYaml(readFileSync(file)), file)
  })
})
