import { assert, describe, it } from "@effect/vitest"
import { fileSandbox } from "../../support/fileSandbox.ts"

const sandbox = fileSandbox()

const skill = "---\nname: summarize\ndescription: Ours. Use it always.\n---\n\n## Execution\n\nSay less.\n"
sandbox.write("project/.task-conductor/skills/summarize/SKILL.md", skill)
sandbox.write("config/task-conductor/skills/broken/SKILL.md", "no front matter\n")

describe.concurrent("tools list", () => {
  it("lists names, risks and descriptions in columns", async () => {
    const { code, stderr, stdout } = await sandbox.start(["tools", "list"]).ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^read_file +medium {2}\S/m)
    assert.match(stdout, /^write_file +high {4}\S/m)
  })
})

describe.concurrent("tools describe", () => {
  it("says everything about one tool, with the text that a model sees", async () => {
    const { code, stderr, stdout } = await sandbox.run(["tools", "describe", "fetch_url"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    const [page = "", seen = ""] = stdout.split("\n\nA model sees:\n\n")
    assert.match(page, /^## fetch_url\n\nFetches /)
    assert.include(page, "\n- Origin: built-in\n- Risk: medium, asks\n- Effect: pure, changes nothing\n")
    assert.match(page, /^\| `start` \| integer, from 0 \| no \| \S.*\|$/m)
    assert.match(page, /^\| `parse_error` \| The page is not text\S? .*\|$/m)
    assert.match(seen, /^### fetch_url\nFetches .*\n- `url` \(string, required\): .*\n- `start` \(integer\): /)
    assert.match(seen, /\nFor example: `\{"name":"fetch_url","arguments":\{.*\}\}`\n$/)
  })

  it("prints one JSON object", async () => {
    const { code, stdout } = await sandbox.run(["tools", "describe", "read_file", "--json"])
    const { errors, instructions, name } = JSON.parse(stdout)
    const notFound = "There is no file at the path; the message names the nearest."
    assert.deepStrictEqual([code, name, errors.not_found], [0, "read_file", notFound])
    assert.match(instructions, /^### read_file\nReturns a file or a range of its lines/)
  })

  it("names the nearest tools for an unknown name", async () => {
    const { code, stderr, stdout } = await sandbox.run(["tools", "describe", "fetch_ulr"])
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.match(stderr, /^There is no tool "fetch_ulr"\. Use one of: fetch_url\.\n/)
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
    const { notes, skills } = JSON.parse(stdout)
    assert.deepStrictEqual([stderr, notes.length], ["", 2])
    assert.containsSubset(skills, [{ name: "summarize", origin: "project" }])
  })
})
