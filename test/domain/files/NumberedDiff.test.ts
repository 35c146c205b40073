import { assert, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { wholeChange, numberedRows } from "../../../src/domain/files/ChangePreview.ts"

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
