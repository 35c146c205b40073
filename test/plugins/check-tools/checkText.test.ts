import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { type CheckedDocument, checkText, totalText } from "../../../src/plugins/check-tools/checkText.ts"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { checkDocument, type DocumentKind } from "../../../src/domain/documents/CheckReport.ts"
import { linesOf } from "../../../src/plugins/check-tools/TextSpan.ts"

const plain = { paint: makePaint(false), columns: undefined }

const checked = (text: string, kind: DocumentKind = "task-list", name = "plan.md"): CheckedDocument => ({
  name,
  lines: linesOf(text),
  report: checkDocument(kind, text),
  fixState: "offered"
})

const plan = (...tasks: ReadonlyArray<string>) =>
  ["## Original prompt", "x", "## Goals / summary", "y", "## Tasks", "### Task section 1", ...tasks, ""].join("\n")
const task = (references: string) =>
  plan("- **Name** A", "- **What is needed** z", "- **Skill** s", references, "- **Expected output** w")

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/checks/${name}`, import.meta.url), "utf8")

describe("checkText", () => {
  it("shows every mistake of a plan with its place, its line and the remedy", () => {
    assert.strictEqual(
      `${checkText(checked(fixture("five-mistakes.md"), "task-list", "five-mistakes.md"), plain)}\n`,
      fixture("five-mistakes.txt")
    )
  })

  it("breaks words and cuts lines at the width of the terminal", () => {
    const text = task(`- **References** ${"[a](a.ts) ".repeat(12)}[all](lib/*.ts) ${"[b](b.ts) ".repeat(12)}`)
    assert.strictEqual(
      checkText(checked(text), { ...plain, columns: 60 }),
      [
        'plan.md:10:138: issue: "lib/*.ts" is a pattern, not a file.',
        "    [reference-glob]",
        '  in section "Task section 1", task "A", field "References"',
        " 10 | ...a.ts) [a](a.ts) [all](lib/*.ts) [b](b.ts) [b](b....",
        "    |                    ^^^^^^^^^^^^^^^",
        "  to do: Link each file by its own path, or let the task",
        "    search for files.",
        "",
        "plan.md: rejected, 1 issue"
      ].join("\n")
    )
  })

  it("colours place, label, marks and remedy on a terminal", () => {
    const text = task("- **References** [all](lib/*.ts)")
    assert.strictEqual(
      checkText(checked(text), { paint: makePaint(true), columns: 100 }),
      [
        '\u001b[1mplan.md:10:18:\u001b[22m \u001b[31missue:\u001b[39m "lib/*.ts" is a pattern, not a file. \u001b[2m[reference-glob]\u001b[22m',
        '\u001b[2m  in section "Task section 1", task "A", field "References"\u001b[22m',
        " \u001b[2m10 |\u001b[22m - **References** [all](lib/*.ts)",
        " \u001b[2m   |\u001b[22m \u001b[31m                 ^^^^^^^^^^^^^^^\u001b[39m",
        "  \u001b[32mto do:\u001b[39m Link each file by its own path, or let the task search for files.",
        "",
        "plan.md: \u001b[31mrejected\u001b[39m, 1 issue"
      ].join("\n")
    )
  })

  it("escapes what a terminal would obey, also in the name of the file", () => {
    const text = task("- **References** [a\u001b](lib/*.ts)")
    const shown = checkText(checked(text, "task-list", "pl\u001ban.md"), plain)
    assert.notInclude(shown, "\u001b")
    assert.include(shown, "pl\\u{1b}an.md:10:18: issue:")
    assert.include(shown, "10 | - **References** [a\\u{1b}](lib/*.ts)")
  })

  it("puts what concerns the whole document first, and the rest in the order of the lines", () => {
    const text = "- **Priority** high\r\n\r\n## Tasks\r\n\r\n### Task section 1\r\n"
    const heads = [...checkText(checked(text), plain).matchAll(/^plan\.md(?::(\d+))?.*\[([a-z-]+)\]$/gm)]
    assert.deepStrictEqual(
      heads.map(([, line = "", code]) => `${line} ${code}`),
      [" section-missing", " prompt-filled", "1 line-endings", "1 preamble-ignored", "5 step-empty"]
    )
  })

  it("shows the first lines of a quote that spans several", () => {
    const text = '## Task\n\n- **Name** A\n\n## Tool Calls\n\n```json\n{\n  "uid": "a",\n  "arguments": {}\n}\n```\n'
    const shown = checkText(checked(text, "refinement"), plain)
    assert.include(shown, 'plan.md:8:1: issue: The call has no name. [tool-call-name]\n  in section "Tool Calls"\n')
    assert.include(shown, '  8 | {\n    | ^\n  9 |   "uid": "a",\n 10 |   "arguments": {}\n  to do:')
  })

  it("says what became of repairs", () => {
    const text = task("- **References** [a](a.ts)").replace("- **Skill** s", "- Skill: s")
    const ending = (fixState: CheckedDocument["fixState"]) =>
      checkText({ ...checked(text), fixState }, plain)
        .split("\n")
        .at(-1)
    assert.deepStrictEqual((["offered", "written", "impossible"] as const).map(ending), [
      "plan.md: repaired, 1 repair; --fix writes the fixed document",
      "plan.md: repaired, 1 repair; the fixed document was written",
      "plan.md: repaired, 1 repair; nothing was written: no strict form means the same"
    ])
    assert.include(checkText({ ...checked(text), fixState: "written" }, plain), "plan.md:9:1: fixed: ")
  })

  it("sums up several documents", () => {
    const reports = [checkDocument("result", "## Result summary\n\nx\n"), checkDocument("result", "")]
    assert.strictEqual(totalText(reports, 1, plain), "3 documents: 1 accepted, 1 rejected, 1 failed")
  })
})
