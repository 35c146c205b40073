import { assert, describe, it } from "@effect/vitest"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { demoLine } from "../../support/binary.ts"
import { planOf } from "../../support/TestRun.ts"

const sandbox = fileSandbox()
const question = ["--model", "embedded", "--allow", "read_file", "Where is the port of the server defined?"]

const gatedPlan = planOf([[{ name: "Search 1", needed: "Find `serverPort`", skill: "search-code", gated: true }]])

sandbox.write("project/README.md", "# Weather\n\nA small weather server.\n")
sandbox.write("project/src/server.ts", "/** The port of the server. */\nexport const serverPort = 8042\n")

/** The lines of a stream as objects. */
const jsonLines = (stdout: string): ReadonlyArray<Record<string, unknown>> => {
  assert.isTrue(stdout.endsWith("\n"))
  return stdout
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe("run", () => {
  it("answers on stdout and tells its progress on stderr", async () => {
    const { code, stderr, stdout } = await sandbox.start(["run", ...question]).ended
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, "src/server.ts")
    assert.match(
      stderr,
      /^Using the built-in demo, which only searches and quotes.\nrun \d{8}-\d{6}-\w{4} with embedded in <root>\/project\n/
    )
    assert.match(stderr, /\nplan \d+ tasks? in \d+ steps?: /)
    assert.match(
      stderr,
      /\ndone: \d+ results?, \d+ model calls?, \d+ tool calls?, \d+\.\d s(?:, \S+ tokens read, \S+ written)?\n$/
    )
    assert.notInclude(stderr + stdout, "\u001b")
  })

  it("streams JSON Lines from run.started to run.finished and nothing else", async () => {
    const { code, stderr, stdout } = await sandbox.run(["run", "--json", ...question])
    assert.deepStrictEqual([code, stderr], [0, demoLine])
    const lines = jsonLines(stdout)
    for (const line of lines) {
      assert.deepStrictEqual(Object.keys(line).slice(0, 2), ["type", "at"])
      assert.match(String(line["at"]), /^\d{4}-\d\d-\d\dT/)
    }
    const [header] = lines
    const prompt = "Where is the port of the server defined?"
    const expected = { type: "run.started", version: 2, project: "<root>/project", model: "embedded", prompt }
    assert.deepStrictEqual<object>({ ...header, at: "", run_id: "" }, { ...expected, at: "", run_id: "" })
    const last = lines.at(-1) as { type: string; exit_code: number; report: { status: string; run_id: string } }
    assert.deepStrictEqual(
      [last.type, last.exit_code, last.report.status, last.report.run_id],
      ["run.finished", 0, "done", header?.["run_id"]]
    )
    const types = lines.map((line) => line["type"])
    for (const type of ["plan.created", "task.worked", "tool.finished", "task.finished"]) assert.include(types, type)
    const worked = lines.findIndex((line) => line["type"] === "task.worked")
    assert.deepStrictEqual(lines[worked + 1], { ...lines[worked], type: "task.refined", deprecated: "task.worked" })
  })

  it("does not hang and ends with 4 when a permission is needed and nobody can be asked", async () => {
    const words = ["run", "--model", "embedded", "--skill", "read-code", "Read src/server.ts"]
    const { code, stderr } = await sandbox.run(words)
    assert.strictEqual(code, 4, stderr)
    assert.include(stderr, 'Use --allow "read_file:src/server.ts".')
  })

  it("looks for a page of a host that the configuration lists", async () => {
    sandbox.write(
      "page/page.md",
      gatedPlan.replace("- **Expected", "- **References** [Page](http://127.0.0.1:1/)\n- **Expected")
    )
    const allow = ["--yes-this-run", "--allow", "fetch_url:http://127.0.0.1:1/"]
    const order = ["run", "--model", "embedded", "--plan", "../page/page.md", ...allow]
    const forbidden = await sandbox.run(order)
    assert.include(forbidden.stderr, "list 127.0.0.1:1 under fetchAllow")
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ fetchAllow: ["127.0.0.1:1"] }))
    assert.include((await sandbox.run(order)).stderr, "Cannot fetch http://127.0.0.1:1/")
  })

  it("runs a gated step only when it is approved beforehand, if nobody can be asked", async () => {
    sandbox.write("project/gated.md", gatedPlan)
    const run = ["run", "--model", "embedded", "--plan", "gated.md"]
    const asked = await sandbox.run(run)
    assert.strictEqual(asked.code, 4)
    assert.match(asked.stdout, /^Not done \(not permitted\): "Step 1" was not approved.* No file was changed\.\n/)
    assert.include(asked.stderr, '"Step 1" was not approved: no terminal to ask on. Use --yes to approve beforehand.')
    const approved = await sandbox.run([...run, "--yes-this-run"])
    assert.strictEqual(approved.code, 0, approved.stderr)
    assert.include(approved.stdout, "src/server.ts")
  })

  it("warns of a broken skill file, and refuses a rule that denies nothing", async () => {
    sandbox.write("project-with-skill/.task-conductor/skills/broken/SKILL.md", "no front matter\n")
    sandbox.write("project-with-skill/a.md", "# A\n\nThe port of the server is 8042.\n")
    const command = ["run", "--project", "../project-with-skill", ...question]
    const { code, stderr } = await sandbox.run(command)
    assert.strictEqual(code, 0, stderr)
    const file = "<root>/project-with-skill/.task-conductor/skills/broken/SKILL.md"
    assert.isTrue(stderr.split("\n")[1]?.startsWith(`warning: ${file}:1: `), stderr)
    sandbox.write("project-with-skill/task-conductor.json", '{ "deny": ["write_fil"] }\n')
    const refused = await sandbox.run(command)
    const said =
      '<root>/project-with-skill/task-conductor.json: the rule "deny write_fil" does nothing: there is no tool "write_fil". Use one of: write_file, edit_file, add_task.\n'
    assert.deepStrictEqual([refused.code, refused.stderr], [2, said])
  })
})

describe("plan", () => {
  it("prints a plan that check accepts and run can run", async () => {
    const planned = await sandbox.run(["plan", "--model", "embedded", "Where is the port of the server defined?"])
    assert.strictEqual(planned.code, 0, planned.stderr)
    assert.match(planned.stdout, /^## Original prompt\n/)
    const checked = await sandbox.run(["check", "-", "--json"], { stdin: planned.stdout })
    assert.deepStrictEqual([checked.code, JSON.parse(checked.stdout).verdict], [0, "accepted"])
    sandbox.write("project/plan.md", planned.stdout)
    const ran = await sandbox.run(["run", "--model", "embedded", "--plan", "plan.md", "--allow", "read_file"])
    assert.strictEqual(ran.code, 0, ran.stderr)
    assert.include(ran.stdout, "src/server.ts")
  })

  it("refuses a plan file that is not valid with 3 and its issues", async () => {
    sandbox.write("project/bad-plan.md", "## Original prompt\n\nhi\n\n## Tasks\n")
    const { code, stderr, stdout } = await sandbox.run(["run", "--model", "embedded", "--plan", "bad-plan.md"])
    assert.deepStrictEqual([code, stdout], [3, ""])
    assert.include(stderr, "The plan is not a valid task list.")
    assert.include(stderr, "Goals / summary")
  })
})
