import { assert, describe, it } from "@effect/vitest"
import { matchesGlob } from "../../../src/domain/files/PathGlob.ts"

const paths = ["a.ts", "src/b.ts", "src/deep/c.tsx", "src/deep/[d].md", "docs/e.md"]
const matched = (glob: string) => paths.filter(matchesGlob(glob))

describe("matchesGlob", () => {
  it("compares a pattern without a slash with the name of the file", () => {
    assert.deepStrictEqual(matched("*.ts"), ["a.ts", "src/b.ts"])
    assert.deepStrictEqual(matched("b.*"), ["src/b.ts"])
  })

  it("compares any other pattern with the whole path", () => {
    assert.deepStrictEqual(matched("src/*"), ["src/b.ts"])
    assert.deepStrictEqual(matched("./src/**"), ["src/b.ts", "src/deep/c.tsx", "src/deep/[d].md"])
    assert.deepStrictEqual(matched("/**/*.md"), ["src/deep/[d].md", "docs/e.md"])
  })

  it("takes either of the alternatives in braces, and brackets as they are", () => {
    assert.deepStrictEqual(matched("*.{ts,tsx}"), ["a.ts", "src/b.ts", "src/deep/c.tsx"])
    assert.deepStrictEqual(matched("{src,docs}/**/*.{md,tsx}"), ["src/deep/c.tsx", "src/deep/[d].md", "docs/e.md"])
    assert.deepStrictEqual(matched("[d].md"), ["src/deep/[d].md"])
    assert.deepStrictEqual(matched("{a"), [])
  })

  it("takes no more than linear time and bounded alternatives", () => {
    const started = performance.now()
    assert.isFalse(matchesGlob(`${"*a".repeat(400)}b`)("a".repeat(4000)))
    assert.isFalse(matchesGlob("{a,b}".repeat(150))("c"))
    assert.isBelow(performance.now() - started, 3000)
  })
})
