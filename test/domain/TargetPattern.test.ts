import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { coversTarget, exactPattern, touchesTarget } from "../../src/domain/TargetPattern.ts"

const inside = (relative: string) => ({ canonical: `/p/${relative}`, relative })
const outside = (canonical: string) => ({ canonical })

describe("coversTarget", () => {
  const cases: ReadonlyArray<[pattern: string, target: { canonical: string; relative?: string }, covered: boolean]> = [
    ["src/a.ts", inside("src/a.ts"), true],
    ["./src/a.ts", inside("src/a.ts"), true],
    ["src", inside("src/a.ts"), false],
    ["src/*", inside("src/a.ts"), true],
    ["src/*", inside("src/deep/a.ts"), false],
    ["src/**", inside("src/deep/a.ts"), true],
    ["src/**/a.ts", inside("src/a.ts"), true],
    ["src/**/a.ts", inside("src/deep/er/a.ts"), true],
    ["src/**/a.ts", inside("src/ba.ts"), false],
    ["**/*.ts", inside("a.ts"), true],
    ["**/*.ts", inside("src/a.ts"), true],
    ["*.ts", inside("src/a.ts"), false],
    ["**", inside("src/a.ts"), true],
    ["**", outside("/etc/passwd"), false],
    ["/etc/*", outside("/etc/passwd"), true],
    ["/p/src/**", inside("src/a.ts"), true],
    ["/etc", outside("/etc-old"), false],
    ["a?[b]", inside("a?[b]"), true],
    ["a?", inside("ab"), false],
    ["a\\*", inside("a*"), true],
    ["a\\*", inside("ab"), false],
    ["https://example.com/**", outside("https://example.com/a/b?c"), true],
    ["https://example.com/*", outside("https://example.com/a/b"), false],
    ["**", outside("https://example.com/"), true]
  ]
  for (const [pattern, target, covered] of cases) {
    it(`${pattern} ${covered ? "covers" : "does not cover"} ${target.relative ?? target.canonical}`, () => {
      assert.strictEqual(coversTarget(pattern, target), covered)
    })
  }

  it.prop("an exact pattern covers its text and nothing longer", [Schema.String], ([name]) => {
    const path = `/${name}`
    const pattern = exactPattern(path)
    return coversTarget(pattern, outside(path)) && !coversTarget(pattern, outside(`${path}x`))
  })

  it("ends soon for a pattern that makes a backtracking matcher run for years", () => {
    const pattern = `/${"**a*".repeat(200)}b`
    assert.isFalse(coversTarget(pattern, outside(`/${"a".repeat(4000)}`)))
  })
})

describe("touchesTarget", () => {
  it("compares a relative pattern with files outside the project too", () => {
    assert.isTrue(touchesTarget("**/*.pem", outside("/home/ana/key.pem")))
    assert.isTrue(touchesTarget("**", outside("/etc/passwd")))
  })
})
