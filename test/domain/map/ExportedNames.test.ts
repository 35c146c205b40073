import { expect, it } from "@effect/vitest"
import { exportedNames } from "../../../src/domain/map/ExportedNames.ts"

it.each([
  [
    "a.ts",
    'export const a = 1\nexport default async function b() {}\nexport abstract class C {}\nexport type D = 1\nexport { e, f as g, type H } from "./x"\nexport { default } from "./y"\nconst hidden = 1\n  export const inner = 1',
    ["a", "b", "C", "D", "e", "g", "H"]
  ],
  ["a.js", "exports.run = run\nmodule.exports.stop = 1\nfunction hidden() {}", ["run", "stop"]],
  [
    "a.py",
    "from .core import Group as Group\nfrom os import path\ndef run():\n  def inner(): ...\nasync def wait(): ...\nclass Shop: ...\ndef _hidden(): ...",
    ["Group", "run", "wait", "Shop"]
  ],
  ["a.go", "func Run() {}\nfunc hidden() {}\nfunc (s *Shop) Sell() {}\ntype Shop struct {", ["Run", "Shop"]],
  ["a.rs", "pub async fn run() {}\nfn hidden() {}\npub struct Shop;\npub(crate) fn near() {}", ["run", "Shop"]],
  ["A.java", "public final class A {\n  public void run() {}\n}\nclass B {}", ["A", "B"]],
  ["a.rb", "module Shop\n  class Till\n    def sell; end\n  end\nend", ["Shop", "Till"]],
  ["a.md", "# export const a = 1", []],
  ["a.unknown", "export const a = 1", []]
])("finds those of %s", (path, text, expected) => {
  expect(exportedNames(path, text)).toEqual(expected)
})

it("ends after many names and passes over very long lines", () => {
  const many = Array.from({ length: 500 }, (_, index) => `export const a${index} = 1`).join("\n")
  expect(exportedNames("a.ts", many)).toHaveLength(40)
  expect(exportedNames("a.ts", `export { ${"a, ".repeat(1_000_000)} }`)).toEqual([])
})
