import { assert, describe, it } from "@effect/vitest"
import { changePreview, scriptsChange } from "../../../src/domain/files/ChangePreview.ts"

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
