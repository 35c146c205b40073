import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { ruleFamilies, ruleOf, rulePage, rules } from "../../../../src/domain/findings/rules/Rules.ts"
import { ruleFindings } from "../../../support/ruleFindings.ts"

const root = new URL("../../../../", import.meta.url)
const records = new URL("src/domain/rules/", root)

const codeOfFile = (path: string): string =>
  path
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/\.ts$/, "")
    .toLowerCase()

/** Has codes of its own, for words to the person that no rule is about. */
const withoutRules = "services/history/ResumeNotes.ts"

/** All of the source but the records. */
const sources = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.startsWith("domain/rules/") && path !== withoutRules)
  .map((path) => readFileSync(new URL(`src/${path}`, root), "utf8"))

layer(NodeServices.layer)("every rule", (it) => {
  for (const { after, alongside = [], before, code, kind, tier } of rules) {
    it.effect(`finds ${code} in its example, and nothing in the mended one`, () =>
      Effect.gen(function* () {
        const found = yield* ruleFindings(kind, before)
        expect({ ...found, repairs: found.repairs.filter((one) => !alongside.includes(one)) }).toEqual(
          tier === "issue" ? { issues: [code], repairs: [] } : { issues: [], repairs: [code] }
        )
        expect(found.repairs).toEqual(expect.arrayContaining([...alongside]))
        expect(yield* ruleFindings(kind, after)).toEqual({ issues: [], repairs: [] })
      })
    )
  }
})

describe("rules", () => {
  it("have one record per code", () => {
    const codes = rules.map(({ code }) => code)
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([])
  })

  it("stand in a file with the name of the code, in the folder of the family", () => {
    const files = ruleFamilies.flatMap(({ family }) =>
      readdirSync(new URL(`${family}/`, records)).map((file) => `${family}/${codeOfFile(file)}`)
    )
    expect(files.toSorted()).toEqual(rules.map(({ code, family }) => `${family}/${code}`).toSorted())
    const folders = readdirSync(records, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).toSorted()).toEqual(ruleFamilies.map(({ family }) => family).toSorted())
  })

  it("stand in the list of their family", () => {
    for (const { family, rules: listed } of ruleFamilies) {
      expect(listed.filter((rule) => rule.family !== family).map(({ code }) => code)).toEqual([])
    }
  })

  it("explain themselves", () => {
    for (const { code, fix, severity, tier, title, why } of rules) {
      expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*$/)
      expect(title).toMatch(/^[A-Z].*[^.]$/)
      expect(why).toMatch(/^[A-Z].*\.$/)
      expect(fix).toMatch(/^[A-Z].*\.$/)
      expect(severity === "error").toBe(tier === "issue")
    }
  })

  it("are all used by a check", () => {
    const unused = rules.filter(({ code }) => !sources.some((source) => source.includes(`"${code}"`)))
    expect(unused.map(({ code }) => code)).toEqual([])
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

  it("are found by their code, with the place where they are described", () => {
    expect(ruleOf("name-duplicate")?.title).toBe("Two tasks with one name")
    expect(ruleOf("of-another-version")).toBeUndefined()
    expect(rules.map(rulePage)).toContain("docs/reference/rules/names.md#name-duplicate")
  })
})
