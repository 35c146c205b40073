import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import type { CheckReport } from "../../../src/domain/documents/CheckReport.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { planOf } from "../../support/TestRun.ts"

const sandbox = fileSandbox()

const explainSkill =
  "---\nname: explain-file\ndescription: Explains a file. Use it in tests.\nallowed-tools: read_file\n---\n\n" +
  "## Input requirements\n\n- `file` (path, required): The file to explain.\n\n## Execution\n\nExplain it.\n"

sandbox.write("shop/AGENTS.md", "# Shop\n")
sandbox.write("shop/src/port.ts", "export const port = 8042\n")
sandbox.write("shop/.task-conductor/skills/explain-file/SKILL.md", explainSkill)

const put = (name: string, text: string) => sandbox.write(`project/${name}`, text)
const read = (name: string) => readFileSync(`${sandbox.root}/project/${name}`, "utf8")

const inShop = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await sandbox.run(["check", ...args, "--project", "../shop", "--json"])
  assert.strictEqual(stderr, "")
  const report = JSON.parse(stdout) as CheckReport
  const found = [...report.issues, ...report.repairs].map(({ code, where }) => `${where.line} ${code}`)
  return { code, report, found: found.toSorted((a, b) => Number.parseInt(a) - Number.parseInt(b)) }
}

const refinement = (skill: string) =>
  `## Task\n\n- **What is needed** Say it.\n- **Skill** ${skill}\n- **Expected output** A word.\n\n## Tool Calls\n`

const call = (name: string, given: object) =>
  `\`\`\`json\n${JSON.stringify({ uid: name, name, arguments: given })}\n\`\`\`\n`

const edit = (old_text: string) => call("edit_file", { path: "src/port.ts", edits: [{ old_text, new_text: "80" }] })

describe("check --project", () => {
  it("finds what run --plan would reject, each with its line, in the order of the document", async () => {
    put(
      "plan.md",
      planOf([
        [{ name: "Read 1", skill: "explain-fil", references: "[port](/src/port.ts) [gone](src/gone.ts)" }],
        [{ name: "Edit 1", skill: "edit-files", references: "[lines](src/port.ts#L7-L9) [before](#read-1-results)" }]
      ])
    )
    const { code, found, report } = await inShop("plan.md")
    assert.deepStrictEqual([code, report.verdict, report.value], [1, "rejected", null])
    assert.deepStrictEqual(report.project, "<root>/shop")
    assert.deepStrictEqual(found, [
      "15 skill-unknown",
      "16 reference-missing",
      "16 reference-target",
      "21 writer-without-approval",
      "24 reference-lines"
    ])
    assert.deepStrictEqual(
      report.issues.map(({ where }) => where.line),
      [15, 16, 24]
    )
  })

  it("accepts results of tasks that have finished, and only those", async () => {
    put("later.md", planOf([[{ name: "Sum 1", skill: "summarize", references: "[one](#research-1-results)" }]]))
    assert.deepStrictEqual((await inShop("later.md")).found, ["16 reference-heading-unknown"])
    const { code, report } = await inShop("later.md", "--finished", "Research 1")
    assert.deepStrictEqual([code, report.verdict], [0, "accepted"])
  })

  it("finds in a refinement wrong tools and arguments, inputs that are not there and references that do not fit", async () => {
    const task = "- **References** [port](src/prot.ts) [earlier](#research-1-results)\n- **Expected output**"
    const calls = [
      call("read_file", { pathname: "src/port.ts" }),
      call("write_file", { path: "src/port.ts", content: "" })
    ].join("\n")
    const inputs = "## Inputs\n\n- `file`: src/gone.ts\n\n## Tool Calls"
    const text = refinement("explain_file").replace("- **Expected output**", task).replace("## Tool Calls", inputs)
    put("refinement.md", `${text}\n${calls}`)
    const { code, found } = await inShop("refinement.md", "--kind", "refinement")
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(
      found.filter((one) => !one.includes("argument")),
      ["4 skill-spelling", "5 reference-missing", "10 input-path-missing", "19 tool-not-allowed"]
    )
    assert.isNotEmpty(found.filter((one) => one.startsWith("15 argument-")))
  })

  it("says of a refinement whose skill there is not only that, and needs calls only where there are tools", async () => {
    put("unknown.md", refinement("guess"))
    assert.deepStrictEqual((await inShop("unknown.md", "--kind", "refinement")).found, ["4 skill-unknown"])
    put("idle.md", refinement("search-code"))
    assert.deepStrictEqual((await inShop("idle.md", "--kind", "refinement")).found, ["7 tool-call-missing"])
    put("talk.md", refinement("summarize"))
    assert.deepStrictEqual((await inShop("talk.md", "--kind", "refinement")).found, [])
  })

  it("finds wrong looks, and changes that would fail, and tries none of them", async () => {
    put(
      "looking.md",
      refinement("edit-files").replace(
        "## Tool Calls",
        () => `## Look first\n\n${call("read_this", { path: "src/port.ts" })}`
      )
    )
    assert.deepStrictEqual((await inShop("looking.md", "--kind", "refinement")).found, [
      "3 writer-without-approval",
      "10 tool-unknown"
    ])
    const before = readFileSync(`${sandbox.root}/shop/src/port.ts`, "utf8")
    put("unfit.md", `${refinement("edit-files")}\n${edit("8043")}`)
    assert.deepStrictEqual((await inShop("unfit.md", "--kind", "refinement")).found, [
      "3 writer-without-approval",
      "7 tool-call-unfit"
    ])
    put("fit.md", `${refinement("edit-files")}\n${edit("8042")}`)
    const { report } = await inShop("fit.md", "--kind", "refinement")
    assert.deepStrictEqual(report.issues, [])
    assert.strictEqual(readFileSync(`${sandbox.root}/shop/src/port.ts`, "utf8"), before)
  })

  it("says in which project a document was checked", async () => {
    put("good.md", planOf([[{ name: "Read 1", skill: "explain-file", references: "[port](src/port.ts)" }]]))
    assert.deepStrictEqual(await sandbox.run(["check", "good.md", "-p", "../shop"]), {
      code: 0,
      stdout: "good.md: accepted in the project <root>/shop\n",
      stderr: ""
    })
  })

  it("fixes names and paths, and leaves alone what only a person can decide", async () => {
    const before = planOf([
      [{ name: "Read 1", skill: "Explain_File", references: "[port](/src/port.ts)" }],
      [{ name: "Edit 1", skill: "edit-files" }]
    ])
    put("fix.md", before)
    const { code, stdout } = await sandbox.run(["check", "fix.md", "--project", "../shop", "--fix"])
    assert.strictEqual(code, 0)
    assert.isTrue(stdout.endsWith("in the project <root>/shop, 3 repairs; the fixed document was written\n"))
    const after = before.replace("Explain_File", "explain-file").replace("(/src", "(src")
    assert.strictEqual(read("fix.md").trim(), after.trim())
    const again = await sandbox.run(["check", "fix.md", "--project", "../shop", "--fix"])
    assert.include(again.stdout, "[writer-without-approval]")
    assert.strictEqual(read("fix.md").trim(), after.trim())
  })

  it("fails for a project or a configuration that cannot be used", async () => {
    const missing = await sandbox.run(["check", "good.md", "--project", "../nowhere"])
    assert.deepStrictEqual([missing.code, missing.stdout], [2, ""])
    assert.include(missing.stderr, "<root>/nowhere")
    sandbox.write("broken/task-conductor.json", '{ "modle": "qwen3" }')
    const broken = await sandbox.run(["check", "good.md", "--project", "../broken"])
    assert.deepStrictEqual([broken.code, broken.stdout], [2, ""])
    assert.include(broken.stderr, "<root>/broken/task-conductor.json")
  })
})
