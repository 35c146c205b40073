/** Which files a task is shown before its first turn. */
import { assert, it } from "@effect/vitest"
import {
  hitsIn,
  joinedParts,
  keptParts,
  partsAround,
  prefetchedParts
} from "../../../src/domain/models/PrefetchedParts.ts"

type Named = { readonly text: string; readonly weight: number }

const file = (path: string, ...names: ReadonlyArray<string>) => ({ path, text: `${names.join("\n")}\n` })

/** The files that are shown. */
const shown = (files: ReadonlyArray<ReturnType<typeof file>>, names: ReadonlyArray<Named>, most = 1) => {
  const budgets = Array.from({ length: most }, () => 1000)
  const text = prefetchedParts(files, { names, literals: [], words: [] }, budgets)
  return [...text.matchAll(/^Path: (.+)$/gm)].map(([, path]) => path)
}

const one = { text: "rateLimit", weight: 1 }
const weights = (ofLimit: number, ofCalls: number): ReadonlyArray<Named> => [
  { text: "rateLimit", weight: ofLimit },
  { text: "mostCalls", weight: ofCalls }
]

it("shows the file that holds most of what is looked for, each name the less the more files hold it", () => {
  const files = [file("a.ts", "rateLimit"), file("b.ts", "rateLimit"), file("c.ts", "mostCalls")]
  assert.deepStrictEqual(shown(files, weights(1, 0.45)), ["a.ts"])
  assert.deepStrictEqual(shown(files, weights(1, 0.55)), ["c.ts"])
})

it("counts a file of tests a quarter", () => {
  const files = [file("src/a.ts", "rateLimit"), file("test/a.test.ts", "mostCalls")]
  assert.deepStrictEqual(shown(files, weights(0.26, 1)), ["src/a.ts"])
  assert.deepStrictEqual(shown(files, weights(0.24, 1)), ["test/a.test.ts"])
})

it("prefers the file that declares a name, even if too many files use it", () => {
  const declaring = { path: "src/limit.ts", text: "export const rateLimit = 5\n" }
  const users = Array.from({ length: 9 }, (_, index) => file(`src/use${index}.ts`, "rateLimit", "rateLimit"))
  assert.deepStrictEqual(shown([...users.slice(0, 3), declaring, file("c.ts", "mostCalls")], weights(1, 0.9)), [
    "src/limit.ts"
  ])
  assert.deepStrictEqual(shown([...users, declaring], [one]), ["src/limit.ts"])
  const again = { ...declaring, path: "src/again.ts" }
  assert.deepStrictEqual(shown([...users, declaring, again], [one]), [])
  assert.deepStrictEqual(
    shown([...users, { ...declaring, path: "tests/data/limit.py", text: "def rateLimit():\n" }], [one]),
    []
  )
})

const holding = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}.ts`, "rateLimit"))

it("leaves out a name that stands in more than eight files", () => {
  assert.strictEqual(shown(holding(8), [one]).length, 1)
  assert.deepStrictEqual(shown(holding(9), [one]), [])
})

it("shows a file for each budget", () => {
  const names = Array.from({ length: 3 }, (_, index) => ({ text: `name${index}x`, weight: 1 - index / 100 }))
  const files = names.map(({ text }, index) => file(`${index}.ts`, text, text))
  assert.deepStrictEqual(shown(files, names, 2), ["0.ts", "1.ts"])
})

it("keeps the parts of files that are of use, and nothing when none is", () => {
  const both = "## Parts of files\n\nPath: a.ts\n\n```ts\n1: one\n```\n\nPath: b.ts\n\n```ts\n2: two\n```\n\n"
  const keptOf = (...paths: ReadonlyArray<string>) =>
    keptParts(`${both}Not shown, because they are long: b.ts two lines 2 to 99.\n`, (path) => paths.includes(path))
  assert.deepStrictEqual([keptOf("a.ts", "b.ts"), keptOf()], [both, ""])
  assert.isTrue(keptOf("b.ts").startsWith("## Parts of files\n\nPath: b.ts\n"))
  assert.notInclude(keptOf("b.ts"), "a.ts")
})

it("finds the hits of searches in sources, unless they lie in more than eight files", () => {
  const output = "2 matches.\n\nsrc/a.ts:3: one\nsrc/a.ts:9: two\ndocs/a.md:1: one"
  assert.deepStrictEqual([...hitsIn([output])], [["src/a.ts", [3, 9]]])
  const many = Array.from({ length: 9 }, (_, index) => `src/${index}.ts:1: one`)
  assert.strictEqual(hitsIn(many.slice(1)).size, 8)
  assert.strictEqual(hitsIn(many).size, 0)
})

it("shows the declarations around hits, but nothing in less than 600 characters", () => {
  const text = ["function a() {", ...Array.from({ length: 10 }, (_, index) => `  call(${index})`), "}", ""].join("\n")
  const around = (budget: number) => partsAround([{ path: "a.ts", text }], new Map([["a.ts", [3]]]), budget)
  assert.strictEqual(around(599), "")
  assert.include(around(600), "12: }")
})

it("puts further parts behind those that are kept, under one heading", () => {
  const [kept, added] = ["## One\n\nPath: a.ts\n\nA\n\n", "## Two\n\nPath: b.ts\n\nB\n\n"]
  assert.strictEqual(joinedParts(kept, added), "## One\n\nPath: a.ts\n\nA\n\nPath: b.ts\n\nB\n\n")
  assert.strictEqual(joinedParts("", added), added)
})
