import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { readSkillFile } from "../../../src/domain/skills/SkillFile.ts"
import { readYaml } from "../../../src/domain/skills/YamlFrontMatter.ts"

/** Terms of a YAML parser that mean nothing to who writes a skill. */
const terms = /implicit|scalar|flow|mapping|token|indicator|sequence|directive|parseAll/i

const faultOf = (yaml: string): string => {
  const read = readSkillFile(new TextEncoder().encode(`---\n${yaml}\n---\n`), readYaml)
  const issue = Option.getOrThrow(Result.getFailure(read))
  return `${issue.where.line}: ${issue.what} ${issue.how}`
}

describe("front matter that is not YAML", () => {
  it.each([
    ["a: [1", "2: "],
    ["a: 1\nb: {c: d", "3: "],
    ["a: 'x", "2: "],
    ['a: "x', "2: "],
    ['a: "x\\q"', "2: "],
    ["a: 1\na: 2", "3: "],
    ["a:\n\t- b", "3: "],
    ["a: @x", "2: "],
    ["a: `x`", "2: "],
    ["a: %x", "2: "],
    ["- a\nb: c", "3: "],
    ["a\nb: c", "2: "],
    ["a: b\n c: d", "2: "],
    ["key: - a", "2: "],
    ["a: |\n x\nz", "4: "],
    ["%x\na: 1", "3: "]
  ])("is told in plain words, with its line: %j", (yaml, place) => {
    const fault = faultOf(yaml)
    assert.isTrue(fault.startsWith(`${place}The front matter cannot be read as YAML. `), fault)
    assert.notMatch(fault, terms)
  })

  it("says what to write", () => {
    assert.deepStrictEqual(
      ["a: 'x", "a: 1\na: 2", "a: @x"].map((yaml) => faultOf(yaml).replace(/^.* YAML\. /, "")),
      [
        "The closing quote of a value is missing. Add it, on the same line.",
        "A key stands here a second time. Leave all but one of these lines out.",
        "A value begins with a character that YAML reserves. Put the value into double quotes."
      ]
    )
  })
})
