import { assert, describe, it } from "@effect/vitest"
import { skillLinks, lintSkill } from "../../../src/plugins/check-tools/SkillLint.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const lint = (text: string, files: ReadonlyArray<string> = []) =>
  lintSkill(bytes(text), "count-words", { tools: ["read_file"], files: new Set(files) })

const codes = (text: string) => {
  const { issues, repairs } = lint(text)
  return { issues: issues.map(({ code }) => code), repairs: repairs.map(({ code }) => code) }
}

const good = (front: string, body = "## Execution\n\nCount.\n") =>
  `---\nname: count-words\ndescription: Counts words. Use it when a length is asked for.\n${front}---\n\n${body}`

/** The scripts that no task can run. */
const scriptsFound = (tools: string, text: string) => {
  const { repairs } = lintSkill(
    bytes(good(tools === "" ? "" : `allowed-tools: ${tools}\n`, `## Execution\n\n${text}\n`)),
    "count-words",
    { files: new Set() }
  )
  return repairs.flatMap(({ code, message }) =>
    code === "skill-script-forbidden" ? [/run (\S+):/.exec(message)?.[1]] : []
  )
}

describe("lintSkill", () => {
  it("finds nothing in a good skill and says what its parts take", () => {
    assert.deepStrictEqual(lint(good("")), {
      issues: [],
      repairs: [],
      tokens: { planning: 16, refinement: 0, execution: 2 }
    })
  })

  it("rejects what a run mends although the format forbids it", () => {
    const text = good('allowed-tools: read_file, read_file\nmetadata:\n  task-conductor.requires-approval: "maybe"\n')
    assert.deepStrictEqual(lint(text).issues, [
      {
        code: "skill-tools-form",
        where: { field: "allowed-tools", line: 4 },
        what: "Write the tools in one line, separated by blanks.",
        how: "Write them in one line, such as `allowed-tools: read_file search_files`."
      },
      {
        code: "skill-approval-value",
        where: { field: "metadata", line: 5 },
        what: 'Read task-conductor.requires-approval "maybe" as "true".',
        how: 'Write "true", or leave the line out.'
      }
    ])
  })

  it("leaves keys of other programs under metadata alone, and asks for texts", () => {
    assert.deepStrictEqual(codes(good('metadata:\n  author: me\n  version: "1"\n')), { issues: [], repairs: [] })
    assert.deepStrictEqual(codes(good("metadata:\n  version: 1\n")).issues, ["skill-metadata-form"])
    assert.deepStrictEqual(codes(good("metadata: none\n")).issues, ["skill-metadata-form"])
    assert.deepStrictEqual(codes(good('metadata:\n  requires_approval: "true"\n')).issues, ["skill-setting-unknown"])
  })

  it("finds scripts in the text that allowed-tools cannot run", () => {
    const rows: ReadonlyArray<readonly [tools: string, text: string, script?: string]> = [
      ["Read", "Run scripts/commits.sh.", "scripts/commits.sh"],
      ["Bash(git:*)", "Run `scripts/commits.sh HEAD`.", "scripts/commits.sh"],
      ["Bash(git:*) Read", "```sh\nbash scripts/commits.sh\n```", "scripts/commits.sh"],
      ["Bash(git log:*)", "Call `python3 tools/count.py a.md`.", "tools/count.py"],
      ["Bash(node:*)", "Run (scripts/count.py).", "scripts/count.py"],
      ["Bash(git:*)", "Then ./check.sh!", "./check.sh"],
      ["Bash(scripts/other.sh:*)", "Run scripts/commits.sh.", "scripts/commits.sh"],
      ["", "Run scripts/commits.sh."],
      ["Bash", "Run scripts/commits.sh."],
      ["Bash(bash:*)", "Run scripts/commits.sh."],
      ["Bash(python3:*)", "Run `python3 scripts/count.py`."],
      ["Bash(scripts/*)", "Run scripts/commits.sh."],
      ["Bash(./scripts/commits.sh:*)", "Run scripts/commits.sh."],
      ["Bash(~/.agents/skills/x/scripts/commits.sh:*)", "Run scripts/commits.sh."],
      ["Bash(git:*)", "Read src/main.js and the file a.py of the project."],
      ["Bash(git:*)", "See https://a.example/scripts for more."]
    ]
    for (const [tools, text, script] of rows)
      assert.deepStrictEqual(scriptsFound(tools, text), script === undefined ? [] : [script], `${tools}: ${text}`)
  })

  it("names the line of an input whose type is not known", () => {
    const body = "## Input requirements\n\nWhat it needs:\n\n- `file` (string): The file.\n\n## Execution\n\nCount.\n"
    assert.deepStrictEqual(
      lint(good("", body)).issues.map(({ code, where }) => [code, where.line]),
      [["skill-input-type", 10]]
    )
  })

  it("follows links to files, not to headings and pages, and none in code", () => {
    const body =
      "See [a](a.md#part), [b](https://example.org), [c](#execution), [d](<b c.md>) and `[e](e.md)`.\n\n```\n[f](f.md)\n```\n"
    assert.deepStrictEqual(skillLinks(bytes(good("", body))), ["a.md", "b c.md"])
    assert.deepStrictEqual(lint(good("", body), ["a.md", "b c.md"]).issues, [])
    assert.deepStrictEqual(
      lint(good("", body), ["a.md"]).issues.map(({ code, quote }) => [code, quote]),
      [["skill-link-broken", "b c.md"]]
    )
  })

  it("does not take code for placeholder text", () => {
    assert.deepStrictEqual(codes(good("", "Search for `TODO`.\n\n```\nTODO\n...\n```\n")).issues, [])
    assert.deepStrictEqual(codes(good("", "- ...\n\n[your text here]\n")).issues, [
      "skill-placeholder",
      "skill-placeholder"
    ])
  })

  it("takes a body without our headings as it is", () => {
    assert.deepStrictEqual(codes(good("", "# How\n\nCount.\n\n## Why\n\nBecause.\n")), { issues: [], repairs: [] })
  })

  it("says what is wrong with a file that is no skill at all", () => {
    assert.deepStrictEqual(codes("# Words\n").issues, ["front-matter-broken"])
    assert.deepStrictEqual(codes("---\nname: count-words\n---\n").issues, ["skill-description-missing"])
  })
})
