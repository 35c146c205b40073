import { expect, it } from "@effect/vitest"
import { noFindings } from "../../../src/domain/findings/Issue.ts"
import { forEachText, readForEach } from "../../../src/domain/grammar/ForEachForm.ts"
import type { ResolveResult } from "../../../src/domain/grammar/ReferenceForm.ts"
import type { ForEach } from "../../../src/domain/plan/ForEach.ts"

const resolve: ResolveResult = ({ name, title }) =>
  name === "find"
    ? { kind: "task_result", title, href: "#find-results", target: "find" }
    : { kind: "anchor", title, href: `#${name}`, target: name }

const read = (written: string) => {
  const findings = noFindings()
  const value = readForEach(written, { section: "Task section 1", task: "A", field: "For each" }, resolve, findings)
  return { value, issues: findings.issues.map(({ code }) => code), repairs: findings.repairs.map(({ code }) => code) }
}

const glob = (pattern: string) => ({ kind: "glob" as const, pattern })
const result = { kind: "task_result" as const, title: "Find", href: "#find-results", target: "find" }
const line = (containing: string, inside?: string): ForEach => ({
  kind: "line",
  source: glob("src/**"),
  containing,
  ...(inside === undefined ? {} : { inside })
})

it.each<[string, ForEach]>([
  ["file in `src/**/*.ts`", { kind: "file", source: glob("src/**/*.ts") }],
  ["file in src/**/*.ts", { kind: "file", source: glob("src/**/*.ts") }],
  ["file in `*.{md,txt}`", { kind: "file", source: glob("*.{md,txt}") }],
  ["line in `src/**` that contains `TODO`", line("TODO")],
  ['line in `src/**` that contains "a `b`"', line("a `b`")],
  ["line in `src/**` that contains `raise` inside `except`", line("raise", "except")],
  ["call of `open` in `src/**` inside `with`", { ...line("open", "with"), kind: "call" }],
  ["line in `src/**` that contains `it is inside a`", line("it is inside a")],
  ["heading in `docs/guide.md`", { kind: "heading", source: glob("docs/guide.md") }],
  ["entry in [Find](#find-results)", { kind: "entry", source: result }],
  ["entry in `docs/todo.md`", { kind: "entry", source: glob("docs/todo.md") }]
])("reads %s as it stands", (written, value) => {
  expect(read(written)).toEqual({ value, issues: [], repairs: [] })
  expect(read(forEachText(value))).toEqual({ value, issues: [], repairs: [] })
})

it.each<[string, ForEach]>([
  ["src/**/*.ts", { kind: "file", source: glob("src/**/*.ts") }],
  ["every file in src/", { kind: "file", source: glob("src/**") }],
  ["each file under src", { kind: "file", source: glob("src/**") }],
  ["every test file in test/**/*.test.ts", { kind: "file", source: glob("test/**/*.test.ts") }],
  ["files in src/** containing `export`", { kind: "file", source: glob("src/**"), containing: "export" }],
  ["each line in *.py which contains `os.path`", { kind: "line", source: glob("*.py"), containing: "os.path" }],
  ["each line in src/** containing raise within an `except` block.", line("raise", "except")],
  ["files in src/** containing code inside x", { kind: "file", source: glob("src/**"), containing: "code inside x" }],
  ["each heading of [the guide](docs/guide.md)", { kind: "heading", source: glob("docs/guide.md") }],
  ["[the list](docs/todo.md)", { kind: "entry", source: glob("docs/todo.md") }],
  ["each entry in [Find](#find-results)", { kind: "entry", source: result }],
  ["[sources](src/**/*.ts)", { kind: "file", source: glob("src/**/*.ts") }]
])("repairs %s", (written, value) => {
  const found = read(written)
  expect([found.value, found.issues, found.repairs]).toEqual([value, [], ["for-each-form-read"]])
  expect(read(forEachText(value)).value).toEqual(value)
})

it.each([
  "",
  "everything",
  "every way of life",
  "each of the things we talked about",
  "all TypeScript files in the project",
  "occurrences in src/**/*.c matching `strcpy(`",
  "[page](https://example.com)",
  "[x](#other-results)"
])("says that it cannot read %j", (written) => {
  const found = read(written)
  expect([found.value, found.issues]).toEqual([undefined, ["for-each-form"]])
})
