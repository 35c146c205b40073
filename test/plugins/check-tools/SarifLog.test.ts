import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { checkDocument } from "../../../src/domain/documents/CheckReport.ts"
import { sarifLog } from "../../../src/plugins/check-tools/SarifLog.ts"
import { sarifProblems } from "../../support/sarifProblems.ts"

const plan = readFileSync(new URL("../../fixtures/checks/five-mistakes.md", import.meta.url), "utf8")
const document = { path: "plans/five mistakes.md", text: plan, report: checkDocument("task-list", plan) }
const repairedText = "# Answer\r\n\r\n## Summary\r\n\r\nIt is 8042.\r\n"
const repaired = { path: "stdin", text: repairedText, report: checkDocument("result", repairedText) }

const uri = (path: string) =>
  sarifLog("1.2.3", [{ ...document, path }]).runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri

describe("sarifLog", () => {
  it("has the shape that the standard requires", () => {
    const log = sarifLog("1.2.3", [document, repaired], ["Cannot read x.md: there is no such file."])
    assert.deepStrictEqual(sarifProblems(JSON.parse(JSON.stringify(log))), [])
    assert.deepStrictEqual(sarifProblems(JSON.parse(JSON.stringify(sarifLog("1.2.3", [])))), [])
  })

  it("places issues as errors", () => {
    const [run] = sarifLog("1.2.3", [document]).runs
    assert.deepStrictEqual(run?.results[0], {
      ruleId: "reference-glob",
      ruleIndex: 0,
      level: "error",
      message: {
        text: '"src/**/*.ts" is a pattern, not a file. Link each file by its own path, or let the task search for files.'
      },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "plans/five%20mistakes.md" },
            region: { startLine: 16, startColumn: 18, endLine: 16, endColumn: 44 }
          },
          logicalLocations: [{ fullyQualifiedName: 'section "Task section 1", task "Research 1", field "References"' }]
        }
      ]
    })
    assert.strictEqual(run?.results.length, 5)
  })

  it("describes every rule once, with the command that explains it", () => {
    const [run] = sarifLog("1.2.3", [document, document, repaired]).runs
    const rules = run?.tool.driver.rules ?? []
    assert.strictEqual(new Set(rules.map(({ id }) => id)).size, rules.length)
    const [glob] = rules
    assert.deepStrictEqual(
      [glob?.id, glob?.name, glob?.defaultConfiguration.level],
      ["reference-glob", "ReferenceGlob", "error"]
    )
    for (const { help, id } of rules) {
      assert.isTrue(help?.text.endsWith(` More: task-conductor explain ${id}`), help?.text)
    }
  })

  it("notes repairs, and takes the first line for what concerns the whole document", () => {
    const text = "nothing"
    const [run] = sarifLog("1.2.3", [repaired, { path: "./a.md", text, report: checkDocument("result", text) }]).runs
    assert.isTrue(run?.results.some(({ level }) => level === "note"))
    assert.deepStrictEqual(run?.results.at(-1)?.locations[0]?.physicalLocation, {
      artifactLocation: { uri: "a.md" },
      region: { startLine: 1 }
    })
  })

  it("says what could not be read", () => {
    assert.deepStrictEqual(sarifLog("1.2.3", [], ["Cannot read x.md: it is a folder."]).runs[0]?.invocations, [
      {
        executionSuccessful: false,
        toolExecutionNotifications: [{ level: "error", message: { text: "Cannot read x.md: it is a folder." } }]
      }
    ])
  })

  it("escapes what means placeholders and links in a message", () => {
    const report = checkDocument("result", "")
    const [issue] = report.issues
    assert.isDefined(issue)
    const message = String.raw`Write [a](b) or {0} \ that.`
    const odd = { ...report, issues: [{ ...issue, message }] }
    assert.strictEqual(
      sarifLog("1.2.3", [{ path: "a.md", text: "", report: odd }]).runs[0]?.results[0]?.message.text,
      String.raw`Write \[a\](b) or {{0}} \\ that.`
    )
  })

  it("makes paths URIs", () => {
    assert.deepStrictEqual(["./a/b.md", "/tmp/ä.md", "../x#y.md", "https://example.org/a.md"].map(uri), [
      "a/b.md",
      "file:///tmp/%C3%A4.md",
      "../x%23y.md",
      "https://example.org/a.md"
    ])
  })
})
