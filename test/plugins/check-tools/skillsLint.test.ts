import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import type { SarifLog } from "../../../src/plugins/check-tools/SarifLog.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"

const sandbox = fileSandbox()
const skills = join(import.meta.dirname, "../../../skills")

const good = (name: string) =>
  `---\nname: ${name}\ndescription: Counts. Use it when a length is asked for.\n---\n\n## Execution\n\nCount.\n`

sandbox.write("project/.task-conductor/skills/good/SKILL.md", good("good"))
sandbox.write(
  "config/task-conductor/skills/bad/SKILL.md",
  good("bad").replace("license", "").replace("Count.\n", "TODO\n")
)
sandbox.write("project/other/odd/SKILL.md", good("odd").replace(" Use it when a length is asked for.", ""))

describe.concurrent("skills lint", () => {
  it("passes the skills of the package", async () => {
    const { code, stderr, stdout } = await sandbox.start(["skills", "lint", skills, "--json"]).ended
    const { skills: found } = JSON.parse(stdout) as {
      skills: ReadonlyArray<{ name: string; issues: ReadonlyArray<unknown>; repairs: ReadonlyArray<unknown> }>
    }
    assert.deepStrictEqual([code, stderr, found.length], [0, "", 9])
    assert.deepStrictEqual(
      found.flatMap(({ issues, repairs }) => issues.concat(repairs)),
      []
    )
  })

  it("checks the skills of the user and the project without a path, and shows each finding in its line", async () => {
    const { code, stderr, stdout } = await sandbox.run(["skills", "lint"])
    assert.deepStrictEqual([code, stderr], [1, ""])
    assert.strictEqual(
      stdout,
      [
        '<root>/config/task-conductor/skills/bad/SKILL.md:8:1: issue: "TODO" is text for the author. [skill-placeholder]',
        " 8 | TODO",
        "   | ^^^^",
        "  to do: Write what is meant, or leave the line out.",
        "",
        "<root>/config/task-conductor/skills/bad/SKILL.md: 1 issue, about 13 tokens to plan, 0 to refine, 1 to execute",
        "",
        ".task-conductor/skills/good/SKILL.md: good, about 13 tokens to plan, 0 to refine, 2 to execute",
        ""
      ].join("\n")
    )
  })

  it("takes a file, a folder and a folder of folders, each once; warnings do not fail", async () => {
    const { code, stdout } = await sandbox.run(["skills", "lint", "other", "other/odd", "other/odd/SKILL.md"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^other\/odd\/SKILL\.md:3:1: warning: The description does not say when/)
    assert.match(stdout, /^other\/odd\/SKILL\.md: good, 1 warning, about/m)
    assert.strictEqual(stdout.match(/good, 1 warning/g)?.length, 1)
  })

  it("prints SARIF for code hosts", async () => {
    const { code, stdout } = await sandbox.run(["skills", "lint", "other", "--format", "sarif"])
    const log = JSON.parse(stdout) as SarifLog
    const [result] = log.runs[0]?.results ?? []
    assert.deepStrictEqual(
      [code, result?.ruleId, result?.level, result?.locations[0]?.physicalLocation.artifactLocation.uri],
      [0, "skill-description-when", "note", "other/odd/SKILL.md"]
    )
  })

  it("says where there is no skill", async () => {
    const { code, stderr, stdout } = await sandbox.run(["skills", "lint", "nowhere", "other/odd"])
    assert.deepStrictEqual(
      [code, stderr],
      [2, "nowhere: there is no skill. Give a SKILL.md, the folder it is in, or a folder of such folders.\n"]
    )
    assert.include(stdout, "other/odd/SKILL.md: good")
  })
})

describe.concurrent("skills new", () => {
  it("makes a skill of the project that passes the check", async () => {
    const made = await sandbox.run(["skills", "new", "find-greetings"])
    assert.deepStrictEqual(
      [made.code, made.stdout],
      [0, "<root>/project/.task-conductor/skills/find-greetings/SKILL.md\n"]
    )
    const { code, stdout } = await sandbox.run(["skills", "lint", ".task-conductor/skills/find-greetings", "--json"])
    const { skills } = JSON.parse(stdout) as { skills: ReadonlyArray<{ issues: []; repairs: [] }> }
    assert.deepStrictEqual([code, skills[0]?.issues, skills[0]?.repairs], [0, [], []])
  })

  it("makes a skill of the user, with a test", async () => {
    const { code, stdout } = await sandbox.run(["skills", "new", "count-lines", "--user"])
    assert.deepStrictEqual([code, stdout], [0, "<root>/config/task-conductor/skills/count-lines/SKILL.md\n"])
    assert.isTrue(existsSync(join(sandbox.root, "config/task-conductor/skills/count-lines/tests/finds-the-subject.md")))
  })

  it("overwrites nothing, not even a link to nothing", async () => {
    const before = () => readFileSync(join(sandbox.root, "project/.task-conductor/skills/good/SKILL.md"), "utf8")
    const text = before()
    const { code, stderr } = await sandbox.run(["skills", "new", "good"])
    assert.strictEqual(code, 2)
    assert.include(
      stderr,
      "<root>/project/.task-conductor/skills/good exists and is not empty. Nothing was written. Choose another name."
    )
    assert.strictEqual(before(), text)
    symlinkSync(join(sandbox.root, "elsewhere"), join(sandbox.root, "project/.task-conductor/skills/linked"))
    const linked = await sandbox.run(["skills", "new", "linked"])
    assert.deepStrictEqual([linked.code, existsSync(join(sandbox.root, "elsewhere"))], [2, false])
  })

  it("follows no link out of the project", async () => {
    mkdirSync(join(sandbox.root, "other/skills"), { recursive: true })
    mkdirSync(join(sandbox.root, "linked"))
    symlinkSync("../other", join(sandbox.root, "linked/.task-conductor"))
    mkdirSync(join(sandbox.root, "inner/.task-conductor"), { recursive: true })
    symlinkSync("../../other/skills", join(sandbox.root, "inner/.task-conductor/skills"))
    for (const name of ["linked", "inner"]) {
      const { code, stderr } = await sandbox.run(["skills", "new", "count-words", "--project", `../${name}`])
      assert.strictEqual(code, 2)
      assert.match(
        stderr,
        /leads out of this folder through a link, to \S+other\/skills\/count-words\. Remove the link/
      )
    }
    assert.deepStrictEqual(readdirSync(join(sandbox.root, "other/skills")), [])
  })

  it("says what a name may be", async () => {
    const { code, stderr } = await sandbox.run(["skills", "new", "../Up"])
    assert.strictEqual(code, 2)
    assert.include(
      stderr,
      '"../Up" cannot be used. The name of a skill has at most 64 lower-case letters, digits and single hyphens'
    )
  })
})
