import { assert, describe, it } from "@effect/vitest"
import {
  changePreview,
  type DiffRow,
  scriptsChange,
  wholeChange,
  numberedRows
} from "../../../src/domain/files/ChangePreview.ts"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

describe("changePreview", () => {
  it("shows what changes with the lines around it", () => {
    assert.strictEqual(
      changePreview("a.txt", "one\ntwo\nthree\n", "one\n2\nthree\n", 40),
      ["--- a.txt", "+++ a.txt", "@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"].join("\n")
    )
  })

  it("shows a new file as added", () => {
    assert.strictEqual(
      changePreview("a.txt", undefined, "one\n", 40),
      ["--- /dev/null", "+++ a.txt", "@@ -0,0 +1 @@", "+one"].join("\n")
    )
  })

  it("is empty when nothing changes", () => {
    assert.strictEqual(changePreview("a.txt", "one\n", "one\n", 40), "")
  })

  it("says how many lines it leaves out", () => {
    const after = Array.from({ length: 10 }, (_, index) => `${index}\n`).join("")
    assert.strictEqual(
      changePreview("a.txt", undefined, after, 4),
      ["--- /dev/null", "+++ a.txt", "@@ -0,0 +1,10 @@", "+0", "(9 more lines of the diff are not shown)"].join("\n")
    )
  })

  it("says how much of a long line it leaves out", () => {
    assert.strictEqual(
      changePreview("a.txt", undefined, "x".repeat(1000), 40).split("\n")[3],
      `+${"x".repeat(199)} ... (701 of 1001 characters of the line not shown) ... ${"x".repeat(100)}`
    )
  })
})

it("sees whether the scripts of a package.json change, whatever their order and form", () => {
  const before = '{ "scripts": { "a": "1", "b": "2" } }'
  const cases: ReadonlyArray<[before: string | undefined, after: string, changes: boolean]> = [
    [before, '{\n  "version": "2",\n  "scripts": { "b": "2", "a": "1" }\n}', false],
    [before, '{ "scripts": { "a": "1", "b": "3" } }', true],
    [before, "{}", true],
    [before, "not json", true],
    [undefined, '{ "scripts": {} }', true],
    [undefined, '{ "name": "x" }', false]
  ]
  for (const [old, after, changes] of cases) assert.strictEqual(scriptsChange(old, after), changes, after)
})

it("numbers removed lines as in the old text, and all others as in the new one", () => {
  const { diff } = wholeChange("a", "one\ntwo\nthree\nfour\n", "one\nnew\nthree\nfour\nfive\n")
  assert.deepStrictEqual(
    numberedRows(diff).map(({ kind, number, text }) => [kind, number, text]),
    [
      ["file", undefined, "a"],
      ["same", 1, "one"],
      ["removed", 2, "two"],
      ["added", 2, "new"],
      ["same", 3, "three"],
      ["same", 4, "four"],
      ["added", 5, "five"]
    ]
  )
})

const functionText = (name: string) => [
  `function ${name}() {`,
  ...Array.from({ length: 9 }, (_, at) => `  step(${at})`),
  "}"
]

it("names what each part stands in, by the line that begins it", () => {
  const before = ["first()", ...functionText("one"), ...functionText("two")].join("\n")
  const { diff } = wholeChange("a.ts", before, before.replaceAll("step(7)", "stop(7)"))
  assert.deepStrictEqual(diff.match(/^@@.*$/gm), [
    "@@ -7,7 +7,7 @@ function one() {",
    "@@ -18,6 +18,6 @@ function two() {"
  ])
  assert.deepStrictEqual(
    numberedRows(diff).flatMap(({ kind, text }) => (kind === "gap" ? [text] : [])),
    ["function one() {", "function two() {"]
  )
})

it("takes lines that look like parts of a diff for what they are", () => {
  const after = "--- b\n+++ b\n@@ -1 +1 @@\n-x\n+y\n\\ z\n"
  const rows = numberedRows(wholeChange("a", undefined, after).diff).filter(({ kind }) => kind === "added")
  assert.deepStrictEqual(
    rows.map(({ text }) => text),
    after.trimEnd().split("\n")
  )
})

const part = Schema.Literals(["a", "b", "--- a", "+++ a", "@@ -1 +1 @@", "", "\\ no"])
const lines = Arbitrary.array(Arbitrary.schema(part), { maxLength: 12 })
const textOf = (some: ReadonlyArray<string>): string => some.map((line) => `${line}\n`).join("")

it.prop("holds every changed line of any texts with its number", { old: lines, now: lines }, ({ now, old }) => {
  const rows = numberedRows(wholeChange("f", textOf(old), textOf(now)).diff)
  for (const { kind, number = 0, text } of rows) {
    if (kind === "removed") assert.strictEqual(old[number - 1], text)
    if (kind === "added" || kind === "same") assert.strictEqual(now[number - 1], text)
  }
  const count = (wanted: string) => rows.filter(({ kind }) => kind === wanted).length
  assert.strictEqual(count("added") - count("removed"), now.length - old.length)
})

const nameOf = (before: string | undefined, after: string | undefined) =>
  numberedRows(wholeChange("a", before, after).diff)[0]

it("names a file by what it becomes, and one that is removed by what it was", () => {
  assert.deepStrictEqual(
    [nameOf("x\n", "y\n"), nameOf(undefined, "y\n"), nameOf("x\n", undefined)],
    Array.from({ length: 3 }, (): DiffRow => ({ kind: "file", text: "a" }))
  )
  assert.deepStrictEqual(numberedRows("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n")[0], { kind: "file", text: "b" })
})

const shown = (length: number) => changePreview("a.txt", undefined, `${"x".repeat(length - 1)}\n`, 40).split("\n")[3]

it("shows lines of 300 characters whole", () => {
  assert.strictEqual(shown(300), `+${"x".repeat(299)}`)
  assert.include(shown(301), "(1 of 301 characters of the line not shown)")
})
