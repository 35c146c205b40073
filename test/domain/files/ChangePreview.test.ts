import { assert, expect, it } from "@effect/vitest"
import {
  changePreview,
  type DiffRow,
  scriptsChange,
  wholeChange,
  numberedRows
} from "../../../src/domain/files/ChangePreview.ts"

const firstLines = (before: string | undefined, after: string) => changePreview("a.txt", before, after, 40).split("\n")

it.each([
  ["what changes", "one\ntwo\n", "one\n2\n", "--- a.txt|+++ a.txt|@@ -1,2 +1,2 @@| one|-two|+2"],
  ["a new file as added", undefined, "one\n", "--- /dev/null|+++ a.txt|@@ -0,0 +1 @@|+one"],
  ["nothing when nothing changes", "one\n", "one\n", ""]
])("a preview shows %s", (_, before, after, lines) => {
  assert.strictEqual(firstLines(before, after).join("|"), lines)
})

it.each([
  [300, `+${"x".repeat(299)}`],
  [301, `+${"x".repeat(199)} ... (1 of 301 characters of the line not shown) ... ${"x".repeat(100)}`],
  [1001, `+${"x".repeat(199)} ... (701 of 1001 characters of the line not shown) ... ${"x".repeat(100)}`]
])("a preview shows lines of 300 characters whole: %d", (length, line) => {
  assert.strictEqual(firstLines(undefined, `${"x".repeat(length - 1)}\n`)[3], line)
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
  const rows = numberedRows(diff).map(({ kind, number, text }) => [kind, number, text].join(" "))
  const whole = ["file  a", "same 1 one", "removed 2 two", "added 2 new", "same 3 three", "same 4 four", "added 5 five"]
  assert.deepStrictEqual(rows, whole)
})

const bodyOf = (name: string) => [`function ${name}() {`, ...Array.from({ length: 9 }, (_, at) => `  step(${at})`), "}"]

it("names what each part stands in, by the line that begins it", () => {
  const before = ["first()", ...bodyOf("a"), ...bodyOf("b")].join("\n")
  const { diff } = wholeChange("a.ts", before, before.replaceAll("step(7)", "stop(7)"))
  assert.deepStrictEqual(diff.match(/^@@.*$/gm), ["@@ -7,7 +7,7 @@ function a() {", "@@ -18,6 +18,6 @@ function b() {"])
  assert.deepStrictEqual(
    numberedRows(diff).flatMap(({ kind, text }) => (kind === "gap" ? [text] : [])),
    ["function a() {", "function b() {"]
  )
})

it("takes lines that look like parts of a diff for what they are", () => {
  const after = "--- b\n+++ b\n@@ -1 +1 @@\n-x\n+y\n\\ z\n"
  const rows = numberedRows(wholeChange("a", undefined, after).diff).filter(({ kind }) => kind === "added")
  expect(rows.map(({ text }) => text)).toStrictEqual(after.trimEnd().split("\n"))
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
