import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fencedBlocks } from "../../../src/domain/markdown/Outline.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { makeSandbox } from "../../support/binary.ts"
import { inProcess } from "../../support/inProcess.ts"

const sandbox = fileSandbox()

beforeAll(async () => {
  await sandbox.run(["skills", "new", "find-names"])
  await sandbox.run(["skills", "new", "find-words"])
  sandbox.write(
    "project/.task-conductor/skills/find-words/tests/wrong.md",
    '# Wrong\n\n## Task\n\n- **What is needed** Find "a".\n- **Expected output** Lines.\n\n## Refinement answer\n\n```\n## Inputs\n```\n'
  )
  sandbox.write(
    "project/.agents/skills/untested/SKILL.md",
    "---\nname: untested\ndescription: Has no tests. Use it never.\nallowed-tools: lost_tool\n---\n\nDo.\n"
  )
  sandbox.write(
    "project/.claude/skills/cut-release/SKILL.md",
    "---\nname: cut-release\ndescription: Tags a release. Use it when a version is to be published.\nallowed-tools: Bash(git tag:*), Bash(git log:*), TodoWrite, Grep(src/**)\n---\n\n# Releases\n\nSee [names](references/names.md).\n"
  )
  sandbox.write("project/.claude/skills/cut-release/references/names.md", "v1.2.3\n")
  sandbox.write("project/.claude/skills/broken/SKILL.md", "# Only text\n")
})

describe("skills test", () => {
  it("runs the tests beside a skill by name", async () => {
    const { code, stderr, stdout } = await sandbox.start(["skills", "test", "find-names"]).ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.strictEqual(
      stdout,
      "ok   .task-conductor/skills/find-names/tests/finds-the-subject.md: Finds the lines that name the subject\n1 passed, 0 failed\n"
    )
  })

  it("shows why a test fails and ends with 1", async () => {
    const { code, stdout } = await sandbox.run(["skills", "test", "./.task-conductor/skills/find-words"])
    assert.strictEqual(code, 1)
    assert.match(stdout, /^FAIL \.task-conductor\/skills\/find-words\/tests\/wrong\.md: Wrong$/m)
    assert.match(stdout, /^ {2}The refinement asked for answer 2, and the test has 1\.$/m)
    assert.match(stdout, /^ {4}\+ actual: input-missing/m)
    assert.match(stdout, /^1 passed, 1 failed$/m)
  })

  it("prints one JSON object", async () => {
    const { code, stdout } = await sandbox.run(["skills", "test", "find-words", "--json"])
    const { tests, ...rest } = JSON.parse(stdout) as { tests: ReadonlyArray<{ passed: boolean; title: string }> }
    const skill = "<root>/project/.task-conductor/skills/find-words/SKILL.md"
    assert.deepStrictEqual([code, rest], [1, { skill, passed: 1, failed: 1 }])
    assert.deepStrictEqual(
      tests.map(({ passed, title }) => `${title}: ${passed}`),
      ["Finds the lines that name the subject: true", "Wrong: false"]
    )
  })

  it("says where tests would be, and what skills there are", async () => {
    const untested = await sandbox.run(["skills", "test", "untested"])
    assert.deepStrictEqual(
      [untested.code, untested.stderr],
      [1, "There are no tests. They are files <root>/project/.agents/skills/untested/tests/*.md.\n"]
    )
    const unknown = await sandbox.run(["skills", "test", "find-name"])
    assert.strictEqual(unknown.code, 2)
    assert.include(unknown.stderr, 'There is no skill "find-name". Use one of: find-names')
  })

  it("refuses a rule that cannot be read", async () => {
    const { code, stderr } = await sandbox.run(["skills", "test", "find-names", "--allow", "Read File"])
    assert.strictEqual(code, 2)
    assert.include(stderr, '--allow Read File: "Read File" is not a tool name.')
  })
})

describe("docs/reference/skills.md", () => {
  const blocks = fencedBlocks(readFileSync(new URL("../../../docs/reference/skills.md", import.meta.url), "utf8"))
  const own = inProcess(makeSandbox())
  afterAll(own.remove)

  it("shows a test that passes", async () => {
    const example = blocks.find(({ text }) => text.startsWith("# Finds the lines"))?.text ?? ""
    await own.run(["skills", "new", "find-names"])
    own.write("project/.task-conductor/skills/find-names/tests/example.md", example)
    const { code, stdout } = await own.run(["skills", "test", "find-names"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^ok {3}\.task-conductor\/skills\/find-names\/tests\/example\.md/m)
  })
})

describe("skills describe", () => {
  it("shows a skill with its inputs and parts", async () => {
    const { code, stderr, stdout } = await sandbox.run(["skills", "describe", "find-names"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^from {6}project, <root>\/project\/\.task-conductor\/skills\/find-names\/SKILL\.md$/m)
    assert.match(stdout, /^input {5}subject \(text, required\) The word or name to look for/m)
    assert.match(stdout, /^## How to report\n\n- List the lines/m)
  })

  it("says why a skill is not offered, as the list does", async () => {
    const note = 'note: The skill "untested" is not offered: there is no tool lost_tool.\n'
    const described = await sandbox.run(["skills", "describe", "untested"])
    assert.strictEqual(described.stderr, note)
    const listed = await sandbox.run(["skills", "list"])
    assert.include(listed.stderr, note)
    const { stdout } = await sandbox.run(["skills", "list", "--json"])
    const { skills } = JSON.parse(stdout) as {
      skills: ReadonlyArray<{ name: string; offered: boolean; missing_tools: ReadonlyArray<string> }>
    }
    const untested = skills.find(({ name }) => name === "untested")
    assert.deepStrictEqual([untested?.offered, untested?.missing_tools], [false, ["lost_tool"]])
  })

  it("lists first what cannot be used, then what has to do without some tools", async () => {
    const { code, stderr, stdout } = await sandbox.run(["skills", "list"])
    assert.strictEqual(code, 0)
    const notes = stderr.split("\n").filter((line) => line !== "")
    assert.deepStrictEqual(notes, [
      'note: The skill "untested" is not offered: there is no tool lost_tool.',
      `note: <root>/project/.claude/skills/broken/SKILL.md:1: The file has no front matter. Begin the file with a line ---, then name and description, then a line ---. The skill is left out.`,
      'note: The skill "cut-release" works without TodoWrite, Grep(src/**): there are no such tools.'
    ])
    assert.match(stdout, /^cut-release +project +Tags a release\./m)
  })

  it("shows the limits and the files of a skill of another program", async () => {
    const { stdout } = await sandbox.run(["skills", "describe", "cut-release"])
    assert.match(stdout, /^tools {5}run_command TodoWrite Grep\(src\/\*\*\)$/m)
    assert.match(stdout, /^limit {5}run_command only for git tag:\*, git log:\*$/m)
    assert.match(stdout, /^file {6}\.claude\/skills\/cut-release\/references\/names\.md$/m)
    const linted = await sandbox.run(["skills", "lint", ".claude/skills/cut-release"])
    assert.include(linted.stdout, 'There is no tool "TodoWrite".')
    assert.include(linted.stdout, 'Read the tool "Bash(git tag:*)" as run_command.')
  })
})
