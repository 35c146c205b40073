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

const declaring = (path: string, name: string) => file(path, `export const ${name} = 5`)

it("shows the file to which most of the names point, each name the less the more files it points to", () => {
  const files = [declaring("a.ts", "rateLimit"), declaring("b.ts", "rateLimit"), declaring("c.ts", "mostCalls")]
  assert.deepStrictEqual(shown(files, weights(1, 0.45)), ["a.ts"])
  assert.deepStrictEqual(shown(files, weights(1, 0.55)), ["c.ts"])
})

it("shows uses only of a name that is declared nowhere and is no plain word, and nothing of tests", () => {
  const users = Array.from({ length: 8 }, (_, index) => file(`src/use${index}.ts`, "rateLimit"))
  assert.deepStrictEqual(shown([...users, declaring("src/limit.ts", "rateLimit")], [one]), ["src/limit.ts"])
  assert.deepStrictEqual(shown(users, [one]).length, 1)
  assert.deepStrictEqual(shown([...users, file("src/more.ts", "rateLimit")], [one]), [])
  assert.deepStrictEqual(shown([file("a.ts", "data")], [{ text: "data", weight: 1 }]), [])
  assert.deepStrictEqual(shown([file("tests/data/limit.ts", "const rateLimit = 5")], [one]), [])
})

it("shows what the declaration of a name calls", () => {
  const text = "function rateLimit() {\n  return mostCalls()\n}\n\nfunction other() {\n}\n\nfunction mostCalls() {\n}\n"
  const parts = prefetchedParts([{ path: "a.ts", text }], { names: [one], literals: [], words: [] }, [400])
  assert.include(parts, "(lines 4 to 7 left out)\n8: function mostCalls() {")
})

it("shows no name that more than three files declare", () => {
  const files = ["a.ts", "b.ts", "c.ts", "d.ts"].map((path) => declaring(path, "rateLimit"))
  assert.deepStrictEqual(shown(files.slice(1), [one]), ["b.ts"])
  const often = file("e.ts", ...Array.from({ length: 4 }, () => "const rateLimit = 5"))
  for (const none of [files, [often, file("u.ts", "rateLimit")]]) assert.deepStrictEqual(shown(none, [one]), [])
})

it("shows the only file that holds a string", () => {
  const partsOf = (files: ReadonlyArray<ReturnType<typeof file>>) =>
    prefetchedParts(files, { names: [], literals: [{ text: "too many rows", weight: 1 }], words: [] }, [1000])
  assert.include(partsOf([file("a.ts", 'fail("too many rows")')]), "Path: a.ts")
  assert.strictEqual(partsOf(["a.ts", "b.ts"].map((path) => file(path, 'fail("too many rows")'))), "")
})

it("shows a file for each budget", () => {
  const names = Array.from({ length: 3 }, (_, index) => ({ text: `name${index}x`, weight: 1 - index / 100 }))
  const files = names.map(({ text }, index) => declaring(`${index}.ts`, text))
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
