import { assert, describe, it } from "@effect/vitest"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { planOf, refinementWith, testSkills } from "../../support/TestRun.ts"

const sandbox = fileSandbox()

const plan = planOf([
  [{ name: "Search 1", skill: "search-code", needed: "Find the port." }],
  [{ name: "Sum 1", skill: "summarize", references: "[found](#search-1-results)" }]
])
const writing = `## Task\n\n- **What is needed** Do it.\n- **Skill** any\n- **Expected output** A word.\n\n${refinementWith(
  [{ name: "write_file", arguments: { path: "new.txt", content: "new" } }]
)}\n`

for (const [path, text] of Object.entries(testSkills)) sandbox.write(`project/${path}`, text)
sandbox.write("project/port.ts", "export const port = 8042\n")
sandbox.write("project/plan.md", plan)
sandbox.write("project/invalid.md", planOf([[{ name: "Search 1", skill: "guess" }]]))
sandbox.write("project/writing.md", writing)

const run = (...args: ReadonlyArray<string>) => sandbox.run([...args, "--model", "embedded"])

describe("single stages", () => {
  it("go from the refinement of a task over its result to what is left", async () => {
    const refined = await run("refine", "plan.md", "--task", "Search 1")
    assert.strictEqual(refined.code, 0, refined.stderr)
    assert.include(refined.stdout, "## Tool Calls")
    sandbox.write("project/search.refinement.md", refined.stdout)
    const executed = await run("execute", "search.refinement.md", "--allow", "read_file")
    assert.strictEqual(executed.code, 0, executed.stderr)
    assert.include(executed.stdout, "port.ts#L1")
    sandbox.write("project/results/search-1.md", executed.stdout)
    const left = await run("iterate", "plan.md", "--result", "results")
    assert.strictEqual(left.code, 0, left.stderr)
    assert.include(left.stdout, "- **Name** Sum 1")
    assert.notInclude(left.stdout, "- **Name** Search 1")
  })

  it("print the prompt that would be sent without asking the model", async () => {
    const unreachable = ["refine", "plan.md", "--task", "Search 1", "--model", "qwen3"]
    assert.strictEqual((await sandbox.run(unreachable)).code, 5)
    const { code, stdout } = await sandbox.run([...unreachable, "--print-prompt"])
    assert.strictEqual(code, 0)
    const [system = "", user = ""] = stdout.split("<!-- task-conductor: user part -->")
    assert.include(system, "# Stage: task")
    assert.include(user, "Find the port.")
    const json = await sandbox.run(["iterate", "plan.md", "--model", "qwen3", "--print-prompt", "--json"])
    assert.deepStrictEqual(Object.keys(JSON.parse(json.stdout) as object), ["system", "user"])
  })

  it("print one JSON object", async () => {
    const refined = JSON.parse((await run("refine", "plan.md", "--task", "Search 1", "--json")).stdout) as object
    assert.deepStrictEqual(Object.keys(refined), ["markdown", "kind", "verdict", "issues", "repairs", "value"])
    const { code, stdout } = await run("execute", "writing.md", "--json")
    const executed = JSON.parse(stdout) as { status: string }
    assert.deepStrictEqual(
      [code, Object.keys(executed), executed.status],
      [4, ["markdown", "status", "message", "calls"], "not_permitted"]
    )
  })

  it("fail for documents that cannot be used, each with its exit code", async () => {
    const unknown = await run("refine", "plan.md", "--task", "Search 9")
    assert.deepStrictEqual([unknown.code, unknown.stderr.includes("There are: Search 1, Sum 1.")], [2, true])
    const invalid = await run("refine", "invalid.md", "--task", "Search 1")
    assert.deepStrictEqual([invalid.code, invalid.stderr.includes('There is no skill "guess".')], [3, true])
    const refinement = await run("execute", "plan.md")
    assert.deepStrictEqual([refinement.code, refinement.stderr.includes("The refinement is not valid.")], [2, true])
    const missing = await run("iterate", "plan.md", "--result", "nowhere.md")
    assert.deepStrictEqual([missing.code, missing.stderr.includes("Cannot read nowhere.md")], [2, true])
  })
})
