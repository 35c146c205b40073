import { describe, expect, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { ruleFamilies, ruleOf, rules } from "../../../../src/domain/findings/rules/Rules.ts"
import { ruleExamples } from "../../../support/RuleExamples.ts"
import { testRuleExamples } from "../../../support/testRuleExamples.ts"

const root = new URL("../../../../", import.meta.url)

/** Has codes of its own, for words to the user that no rule is about. */
const withoutRules = "services/pipeline/ResumeNotes.ts"

/** All of the source but the rules. */
const sources = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" })
  .filter(
    (path) =>
      path.endsWith(".ts") &&
      !path.includes("/dist/") &&
      !path.startsWith("domain/findings/rules/") &&
      path !== withoutRules
  )
  .map((path) => readFileSync(new URL(`src/${path}`, root), "utf8"))

testRuleExamples("main")

describe("rules", () => {
  it("are many, each with a code of its own", () => {
    const codes = rules.map(({ code }) => code)
    expect(codes.length).toBeGreaterThan(140)
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([])
  })

  it("have one example each, in the file of their family and in the same order", () => {
    for (const { family } of ruleFamilies) {
      const ruled = rules.filter((rule) => rule.family === family).map(({ code }) => code)
      expect(ruleExamples.filter((example) => example.family === family).map(({ code }) => code)).toEqual(ruled)
    }
    expect(ruleExamples.length).toBe(rules.length)
  })

  it("explain themselves", () => {
    for (const { code, fix, title, why } of rules) {
      expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*$/)
      expect(title).toMatch(/^[A-Z].*[^.]$/)
      expect(why).toMatch(/^[A-Z].*\.$/)
      expect(fix).toMatch(/^[A-Z].*\.$/)
    }
  })

  it("are all used by a check", () => {
    const unused = rules.filter(({ code }) => !sources.some((source) => source.includes(`"${code}"`)))
    expect(unused.map(({ code }) => code)).toEqual([])
  })

  it("say the remedy alone: no check repeats it", () => {
    const errors = rules.filter(({ severity }) => severity === "error")
    expect(errors.filter(({ fix }) => sources.some((source) => source.includes(fix))).map(({ code }) => code)).toEqual(
      []
    )
  })

  it("cover every code that the source names", () => {
    const named = sources.flatMap((source) =>
      [
        ...source.matchAll(
          /\bcode:\s*"([a-z]+(?:-[a-z]+)+)"|\b(?:make|add)(?:Issue|Repair)\([^"]*?"([a-z]+(?:-[a-z]+)+)"/g
        )
      ].map(([, literal, argument]) => literal ?? argument ?? "")
    )
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((code) => ruleOf(code) === undefined)).toEqual([])
  })

  it("are found by their code", () => {
    expect(ruleOf("name-duplicate")?.title).toBe("Two tasks with one name")
    expect(ruleOf("of-another-version")).toBeUndefined()
  })
})
