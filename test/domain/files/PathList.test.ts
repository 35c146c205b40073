import { assert, it } from "@effect/vitest"
import { matchesGlob } from "../../../src/domain/files/PathList.ts"

const paths = ["a.ts", "src/b.ts", "src/deep/c.tsx", "src/deep/[d].md", "docs/e.md"]
const matched = (glob: string) => paths.filter(matchesGlob(glob))

it.each<[rule: string, glob: string, matches: Array<string>]>([
  ["compares the name of the file without a slash", "*.ts", ["a.ts", "src/b.ts"]],
  ["compares the name of the file without a slash", "b.*", ["src/b.ts"]],
  ["compares the whole path with a slash", "src/*", ["src/b.ts"]],
  ["compares the whole path with a slash", "./src/**", ["src/b.ts", "src/deep/c.tsx", "src/deep/[d].md"]],
  ["compares the whole path with a slash", "/**/*.md", ["src/deep/[d].md", "docs/e.md"]],
  ["takes alternatives in braces", "*.{ts,tsx}", ["a.ts", "src/b.ts", "src/deep/c.tsx"]],
  ["takes alternatives in braces", "{src,docs}/**/*.{md,tsx}", ["src/deep/c.tsx", "src/deep/[d].md", "docs/e.md"]],
  ["takes an open brace as it is", "{a", []],
  ["takes braces within braces", "*.{md,ts{,x}}", paths],
  ["takes braces around one choice", "*.{tsx}", ["src/deep/c.tsx"]],
  ["takes brackets as they are", "[d].md", ["src/deep/[d].md"]],
  ["takes a question mark for one character", "?.ts", ["a.ts", "src/b.ts"]],
  ["takes dots for where they lead", "src/./b.ts", ["src/b.ts"]],
  ["takes two stars for two folders or none", "src/**.ts*", ["src/b.ts", "src/deep/c.tsx"]]
])("%s: %s", (_, glob, matches) => assert.deepStrictEqual(matched(glob), matches))

it("takes brackets for a range, and sees names that begin with a dot", () => {
  assert.deepStrictEqual(["isA.js", "isI.js", "is[A-H].js"].filter(matchesGlob("is[A-H]*.js")), ["isA.js"])
  assert.deepStrictEqual([".env", ".github/ci.yml"].filter(matchesGlob("**/*")), [".env", ".github/ci.yml"])
})

it("is done with patterns that keep a backtracking matcher busy for years", () => {
  assert.isFalse(matchesGlob(`${"*a".repeat(400)}b`)("a".repeat(4000)))
  assert.isFalse(matchesGlob("{a,b}".repeat(150))("c"))
  assert.isTrue(matchesGlob("{a,b}".repeat(150))("{a,b}".repeat(150)))
})
