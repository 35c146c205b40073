import { assert, describe, it } from "@effect/vitest"
import { chmodSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { makeSandbox, type Sandbox } from "../../support/binary.ts"
import { inProcess } from "../../support/inProcess.ts"

const policies = "config/task-conductor/policies.json"
const hosts = { verdict: "allow", tool: "read_file", pattern: "/etc/hosts", rememberedAt: "2026-11-20T10:00:00.000Z" }
const { rememberedAt, ...hostsAlone } = hosts
const shownHosts = { ...hostsAlone, remembered_at: rememberedAt }
const page = { verdict: "allow", tool: "fetch_url", pattern: "https://example.com/" }

/** A sandbox with two remembered rules and one of the configuration. */
const open = (rules: ReadonlyArray<object> = [hosts, page]): Sandbox => {
  const sandbox = inProcess(makeSandbox())
  onTestFinished(sandbox.remove)
  sandbox.write(policies, JSON.stringify({ version: 1, rules }))
  chmodSync(join(sandbox.root, policies), 0o600)
  sandbox.write("config/task-conductor/config.json", JSON.stringify({ allow: ["read_file:docs/**"] }))
  sandbox.write("project/task-conductor.json", JSON.stringify({ deny: ["write_file:*.lock"] }))
  return sandbox
}

const kept = (sandbox: Sandbox): unknown => JSON.parse(readFileSync(join(sandbox.root, policies), "utf8"))

describe("permissions list", () => {
  it("shows every rule in the syntax of flags, with its place", async () => {
    const { code, stderr, stdout } = await open().start(["permissions", "list"]).ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.deepStrictEqual(stdout.trimEnd().split("\n"), [
      `allow  read_file:/etc/hosts            <root>/${policies}, since 2026-11-20`,
      `allow  fetch_url:https://example.com/  <root>/${policies}`,
      "deny   write_file:*.lock               <root>/project/task-conductor.json",
      "allow  read_file:docs/**               <root>/config/task-conductor/config.json"
    ])
  })

  it("says why the remembered rules are not used, and shows the others", async () => {
    const sandbox = open()
    sandbox.write(policies, '{ "version": 7, "rules": [] }')
    const { code, stderr, stdout } = await sandbox.run(["permissions", "list"])
    assert.strictEqual(code, 0)
    assert.strictEqual(
      stderr,
      `problem: The remembered permissions in <root>/${policies} are not used: line 1, column 3: "version": Expected 1. Fix the file, or remove it.\n`
    )
    assert.strictEqual(stdout.trimEnd().split("\n").length, 2)
    const { problem } = JSON.parse((await sandbox.run(["permissions", "list", "--json"])).stdout)
    assert.include(problem, "are not used: line 1, column 3")
  })

  it("says that there are none", async () => {
    const sandbox = open([])
    for (const file of ["config/task-conductor/config.json", "project/task-conductor.json"]) {
      rmSync(join(sandbox.root, file))
    }
    const stderr = "No rules yet. Anything that is not safe asks first.\n"
    assert.deepStrictEqual(await sandbox.run(["permissions", "list"]), { code: 0, stdout: "", stderr })
  })
})

describe("permissions revoke", () => {
  it("takes back one remembered rule, or all of them", async () => {
    const sandbox = open()
    const one = await sandbox.run(["permissions", "revoke", "read_file:/etc/hosts"])
    assert.deepStrictEqual([one.code, one.stdout], [0, "revoked allow read_file:/etc/hosts\n"])
    assert.deepStrictEqual(kept(sandbox), { version: 1, rules: [page] })
    const both = open()
    const { code, stdout } = await both.run(["permissions", "revoke", "--all", "--json"])
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(JSON.parse(stdout).revoked, [
      { rule: "read_file:/etc/hosts", ...shownHosts },
      { rule: "fetch_url:https://example.com/", ...page }
    ])
    assert.deepStrictEqual(kept(both), { version: 1, rules: [] })
  })

  it("fails for what is not remembered, and says what is, and wants one rule or --all", async () => {
    const sandbox = open()
    const { code, stderr } = await sandbox.run(["permissions", "revoke", "read_file:docs/**"])
    const remembered = "Remembered rules:\n  read_file:/etc/hosts\n  fetch_url:https://example.com/\n"
    assert.deepStrictEqual([code, stderr], [1, `There is no remembered rule "read_file:docs/**". ${remembered}`])
    for (const words of [[], ["read_file:/etc/hosts", "--all"]]) {
      const wrong = await sandbox.run(["permissions", "revoke", ...words])
      assert.strictEqual(wrong.code, 2)
      assert.match(wrong.stderr, /^Give one rule as "task-conductor permissions list" shows it, or --all\.\n/)
    }
    assert.deepStrictEqual(kept(sandbox), { version: 1, rules: [hosts, page] })
  })

  it("leaves a file alone that it does not understand", async () => {
    const sandbox = open()
    sandbox.write(policies, "[]")
    const { code, stderr } = await sandbox.run(["permissions", "revoke", "--all"])
    assert.strictEqual(code, 2)
    assert.include(stderr, "are not used: line 1, column 1: ")
    assert.deepStrictEqual(kept(sandbox), [])
  })
})

const explain = async (sandbox: Sandbox, ...words: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await sandbox.run(["permissions", "explain", ...words])
  return { code, stderr, lines: stdout.trimEnd().split("\n") }
}

describe("permissions explain", () => {
  it("says that the risk decides where no rule does", async () => {
    const { code, lines, stderr } = await explain(open(), "read_file", '{"path":"README.md"}')
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.deepStrictEqual(lines, [
      "tool: read_file (built-in)",
      "risk: medium",
      "target: <root>/project/README.md",
      "verdict: asks",
      "rule: none matches, so the risk decides"
    ])
  })

  it("names the rules that decide with their places, what nothing can allow, what is asked each time, and runs nothing", async () => {
    const sandbox = open()
    const rows: ReadonlyArray<[tool: string, given: object, verdict: string, why: string]> = [
      [
        "read_file",
        { path: "/etc/hosts" },
        "runs without a question",
        `allow read_file:/etc/hosts in <root>/${policies}`
      ],
      [
        "write_file",
        { path: "a/b.lock", content: "" },
        "never runs: a rule denies it",
        "deny write_file:*.lock in <root>/p"
      ],
      [
        "write_file",
        { path: ".git/config", content: "x" },
        "never runs: nothing can allow it",
        "what controls git or this"
      ],
      [
        "write_file",
        { path: ".envrc", content: "x" },
        "asks",
        "Programs run or read this file automatically. This is asked"
      ]
    ]
    for (const [tool, given, verdict, why] of rows) {
      const [said, ...others] = (await explain(sandbox, tool, JSON.stringify(given))).lines.slice(3)
      assert.strictEqual(said, `verdict: ${verdict}`)
      assert.include(others.join("\n"), why)
    }
    assert.throws(() => readFileSync(join(sandbox.root, "project/.envrc")))
  })

  it("prints one JSON object", async () => {
    const { stdout } = await open().run(["permissions", "explain", "get_current_time", "--json"])
    const { definition, ...rest } = JSON.parse(stdout)
    assert.match(definition, /^[0-9a-f]{64}$/)
    const about = { tool: "get_current_time", origin: "built-in", risk: "safe", targets: [] }
    assert.deepStrictEqual(rest, { ...about, verdict: "allow", rules: [], reasons: [] })
  })

  it("refuses an unknown tool and arguments that do not fit", async () => {
    const sandbox = open()
    const cases: ReadonlyArray<[words: ReadonlyArray<string>, message: RegExp]> = [
      [["read_fil"], /^There is no tool "read_fil"\. Nearest: read_file/],
      [["read_file"], /^The arguments of read_file do not fit: /],
      [["read_file", "README.md"], /^The arguments are not a JSON object: README\.md\. Write them as /]
    ]
    for (const [words, message] of cases) {
      const { code, stderr } = await explain(sandbox, ...words)
      assert.strictEqual(code, 2)
      assert.match(stderr, message)
    }
  })
})

it("a rule for one project is listed, explained and revoked in its project, and not in another one", async () => {
  const sandbox = open([])
  const rules = [
    { verdict: "allow", tool: "read_file", project: realpathSync(join(sandbox.root, "project")), rememberedAt },
    { verdict: "allow", tool: "run_command", pattern: "npm test", project: "/elsewhere" },
    page
  ]
  sandbox.write(policies, JSON.stringify({ version: 1, rules }))
  sandbox.write("project/a.md", "text\n")
  const { stdout } = await sandbox.run(["permissions", "list"])
  assert.match(stdout, /allow {2}read_file .*in this project only, since 2026-11-20/)
  assert.notInclude(stdout, "npm test")
  const explained = await sandbox.run(["permissions", "explain", "read_file", '{"path":"a.md"}'])
  assert.include(explained.stdout, "verdict: runs without a question\nrule: allow read_file, in this project only, in")
  const secret = await sandbox.run(["permissions", "explain", "read_file", '{"path":".env"}'])
  assert.include(secret.stdout, "verdict: asks")
  assert.strictEqual((await sandbox.run(["permissions", "revoke", "run_command:npm test"])).code, 1)
  const revoked = await sandbox.run(["permissions", "revoke", "read_file"])
  assert.deepStrictEqual([revoked.code, revoked.stdout], [0, "revoked allow read_file\n"])
  assert.deepStrictEqual(kept(sandbox), { version: 1, rules: rules.slice(1) })
  await sandbox.run(["permissions", "revoke", "--all"])
  assert.deepStrictEqual(kept(sandbox), { version: 1, rules: [] })
})
