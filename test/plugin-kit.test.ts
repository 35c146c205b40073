import { assert, it } from "@effect/vitest"
import { builtIns } from "../src/app/layers.ts"
import { definePlugin, fitLines, fitTree, foldersOf, nearestHint, nearestPaths } from "../src/plugin-kit.ts"
import { features } from "../src/app/features.ts"

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

it("gives no plugin the name of the built-in ones; the composition root does", () => {
  assert.strictEqual(definePlugin({ name: "mine" }).name, "mine")
  assert.strictEqual(builtIns.name, "built-in")
  assert.notInclude(
    features.map(({ name }) => name),
    "built-in"
  )
})
