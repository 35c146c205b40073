import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeSandbox } from "../support/binary.ts"

const sandbox = makeSandbox()

beforeAll(() => {
  const skill = "---\nname: summarize\ndescription: Ours. Use it always.\n---\n\n## Execution\n\nSay less.\n"
  sandbox.write("project/.task-conductor/skills/summarize/SKILL.md", skill)
  sandbox.write("config/task-conductor/skills/broken/SKILL.md", "no front matter\n")
})
afterAll(sandbox.remove)

describe.concurrent("tools list", () => {
  it("lists names, risks and descriptions in columns", async () => {
    const { code, stderr, stdout } = await sandbox.run(["tools", "list"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^read_file +medium {2}\S/m)
    assert.match(stdout, /^write_file +high {4}\S/m)
  })

  it("prints parameters and examples as JSON", async () => {
    const { code, stdout } = await sandbox.run(["tools", "list", "--json"])
    const tools = JSON.parse(stdout) as ReadonlyArray<{ name: string; origin: string; parameters: { type: string } }>
    const readFile = tools.find((tool) => tool.name === "read_file")
    assert.deepStrictEqual([code, readFile?.origin, readFile?.parameters.type], [0, "built-in", "object"])
  })
})

describe.concurrent("skills list", () => {
  it("shows which skill is nearer and what could not be read", async () => {
    const { code, stderr, stdout } = await sandbox.run(["skills", "list"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^summarize +project {2}Ours\. Use it always\.$/m)
    assert.match(stdout, /^search-code +package {2}\S/m)
    assert.include(stderr, "note: <root>/config/task-conductor/skills/broken/SKILL.md:1: ")
    assert.include(
      stderr,
      'note: The skill "summarize" in <root>/project/.task-conductor/skills/summarize/SKILL.md replaces'
    )
  })

  it("prints origins and notes as JSON", async () => {
    const { stderr, stdout } = await sandbox.run(["skills", "list", "--json"])
    const { notes, skills } = JSON.parse(stdout) as {
      skills: ReadonlyArray<{ name: string; origin: string }>
      notes: ReadonlyArray<string>
    }
    assert.deepStrictEqual(
      [stderr, skills.find((skill) => skill.name === "summarize")?.origin, notes.length],
      ["", "project", 2]
    )
  })
})
