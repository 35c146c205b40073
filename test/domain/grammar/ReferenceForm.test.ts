import { expect, it } from "@effect/vitest"
import { readReference } from "../../../src/domain/grammar/ReferenceForm.ts"

const file = (href: string, target: string, more: object = {}) => ({
  _tag: "Plain",
  reference: { kind: "file", title: "t", href, target, ...more }
})

it.each([
  ["src/main.ts", "src/main.ts", {}],
  ["../other/a b.md", "../other/a b.md", {}],
  ["docs/my%20file.md", "docs/my file.md", {}],
  ["100%.md", "100%.md", {}],
  ["app/[id]/page.tsx", "app/[id]/page.tsx", {}],
  ["C:\\src\\main.ts", "C:\\src\\main.ts", {}],
  ["src/a.ts#L10", "src/a.ts", { lines: { from: 10, to: 10 } }],
  ["src/a.ts#L10-L20", "src/a.ts", { lines: { from: 10, to: 20 } }],
  ["README.md#Getting%20started", "README.md", { heading: "getting-started" }]
])("reads %s as a file", (href, target, more) => {
  expect(readReference("t", href)).toEqual(file(href, target, more))
})

it.each([
  ["src/a.ts#L10-20", "#L10-L20"],
  ["src/a.ts#lines=10-20", "#L10-L20"],
  ["src/a.ts:10-20", "#L10-L20"],
  ["src/a.ts#-L7", "#L1-L7"]
])("repairs the lines of %s", (href, lines) => {
  const form = readReference("t", href)
  expect(form).toMatchObject({ _tag: "Plain", repair: `Read the lines of "${href}" as "${lines}".` })
  expect(form._tag === "Plain" ? form.reference.href : "").toBe(`src/a.ts${lines}`)
})

it("reads file URLs as paths, makes URLs canonical, and reads anchors by their slug", () => {
  const path = file("/abs/a.ts", "/abs/a.ts")
  expect(readReference("t", "file:///abs/a.ts")).toEqual({ ...path, repair: 'Read "file:///abs/a.ts" as a path.' })
  const url = { kind: "url", title: "t", href: "HTTPS://Example.org", target: "https://example.org/" }
  expect(readReference("t", "HTTPS://Example.org")).toEqual({ _tag: "Plain", reference: url })
  const reference = { kind: "anchor", title: "t", href: "#project-description", target: "project-description" }
  expect(readReference("t", "#project-description")).toEqual({ _tag: "Plain", reference })
  const repair = 'Read "#Project Description" as "#project-description".'
  expect(readReference("t", "#Project Description")).toEqual({ _tag: "Plain", reference, repair })
})

it.each([
  ["#research-2-results", "research-2", false],
  ["#Research 2-results", "Research 2", false],
  ["#research_2_results", "research_2", false],
  ["#research-2-result", "research-2", false],
  ["output:research 2", "research 2", true],
  ["task://research-2.md", "research-2", true],
  ["task://research-2.md#goals", "research-2", true]
])("reads %s as the result of a task", (href, name, certain) => {
  expect(readReference("t", href)).toEqual({ _tag: "Result", title: "t", href, name, certain })
})

it.each([
  ["", "reference-empty"],
  ["#!!!", "reference-empty"],
  ["src/*.ts", "reference-glob"],
  ["src/{a,b}.ts", "reference-glob"],
  ["docs/", "reference-folder"],
  [".", "reference-folder"],
  ["mailto:a@b.org", "reference-kind"],
  ["javascript:alert(1)", "reference-kind"],
  ["https://", "reference-url"],
  ["http://a b/", "reference-url"]
])("says what is wrong with %s", (href, code) => {
  expect(readReference("t", href)).toMatchObject({
    _tag: "Wrong",
    code,
    reference: { kind: "unknown", title: "t", href, target: href }
  })
})

it("accepts blanks in a path only between angle brackets", () => {
  expect(readReference("t", "a b.md", false)).toMatchObject({ _tag: "Wrong", code: "reference-spaces" })
  expect(readReference("t", "a b.md", true)).toEqual(file("a b.md", "a b.md"))
})
