import * as Result from "effect/Result"
import { assert, it } from "@effect/vitest"
import { builtIns } from "../src/app/layers.ts"
import {
  changePreview,
  definePlugin,
  findMatches,
  fitLines,
  fitTree,
  foldersOf,
  isSecretLike,
  matchesGlob,
  nearestHint,
  nearestPaths,
  searchPattern,
  showMatches
} from "../src/plugin-kit.ts"
import { features } from "../src/app/features.ts"

const patternOf = (text: string, regex: boolean) =>
  Result.getOrThrow(searchPattern(text, { regex, caseSensitive: false }))

it("fits lines and paths into a budget and says how to get the rest", () => {
  assert.strictEqual(fitLines(["one", "two"], 7, { first: 1 }), "one\ntwo")
  assert.strictEqual(
    fitLines(["one", "two"], 5, { first: 1, of: 2 }),
    "one\n\n(Lines 1 to 1 of 2. Read on with start_line 2.)"
  )
  const budget = { entries: 500, characters: 16_000 }
  assert.deepStrictEqual(fitTree(["a/b/c.ts", "d.ts"], budget, { from: 0, depth: 1 }), ["a/", "d.ts"])
  assert.deepStrictEqual(fitTree(["a", "b"], { ...budget, entries: 1 }, { from: 0 }), [
    "a",
    "(1 more are not shown. Name a folder with path to see the rest.)"
  ])
})

it("names what a wrong path may have meant", () => {
  const near = nearestPaths("main.ts", ["src/main.ts", "src/man.ts", "docs/a.md"])
  assert.deepStrictEqual(near.slice(0, 2), ["src/main.ts", "src/man.ts"])
  assert.deepStrictEqual([nearestHint(["a", "b"]), nearestHint([])], [" Nearest: a, b.", ""])
  assert.deepStrictEqual(foldersOf(["a/b/c.ts"]), ["a/b", "a"])
})

it("searches lines part by part and shows them with their numbers", () => {
  const lines = ["one", "two", "tone"]
  assert.deepStrictEqual(findMatches(lines, patternOf("ONE", false), 0, 10), {
    matches: [
      { index: 0, at: 0 },
      { index: 2, at: 1 }
    ],
    next: 3
  })
  assert.strictEqual(findMatches(lines, { ...patternOf("one", false), charactersAtOnce: 4 }, 0, 10).next, 1)
  assert.strictEqual(patternOf("tod[oa]", true).find("a TODO"), 2)
  assert.isTrue(Result.isFailure(searchPattern("(", { regex: true, caseSensitive: true })))
  assert.deepStrictEqual(showMatches("a.txt", ["one", "two"], [{ index: 1, at: 0 }], 1), ["1: one", "a.txt:2: two"])
})

it("chooses files and shows what a write changes", () => {
  assert.deepStrictEqual(["src/a.ts", "a.md"].filter(matchesGlob("*.ts")), ["src/a.ts"])
  assert.deepStrictEqual([".env", "a.ts"].map(isSecretLike), [true, false])
  assert.strictEqual(changePreview("a.txt", "one\n", "two\n", 100), "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two")
})

it("gives no plugin the name of the built-in ones; the composition root does", () => {
  assert.strictEqual(definePlugin({ name: "mine" }).name, "mine")
  assert.strictEqual(builtIns.name, "built-in")
  assert.notInclude(
    features.map(({ name }) => name),
    "built-in"
  )
})
