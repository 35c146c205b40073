import { assert, describe, it } from "@effect/vitest"
import { callsBeyondLimits, executionText, refinementText, Skill, toolsOfSkill } from "../../../src/domain/skills/Skill.ts"

const folder = ".claude/skills/fill-forms"

const skillWith = (given: Partial<Skill>) =>
  new Skill({
    name: "fill-forms",
    description: "Fills forms. Use it for forms.",
    requiresApproval: false,
    inputRequirements: "",
    inputs: [],
    refinement: "",
    execution: "",
    ...given
  })

const run = ["read_file", "search_files", "run_command"]
const reading = (path: string) => ({ uid: "call-1", name: "read_file", arguments: { path } })

const beyond = (skill: Skill, path: string) => callsBeyondLimits(skill, [reading(path)], "T").length === 1

describe("the tools of a skill", () => {
  it("are those it names, else all; read_file only where there are files to read", () => {
    const files = [`${folder}/a.md`]
    assert.deepStrictEqual(toolsOfSkill(skillWith({}), run), run)
    assert.deepStrictEqual(toolsOfSkill(skillWith({ allowedTools: ["search_files", "gone"] }), run), ["search_files"])
    assert.deepStrictEqual(toolsOfSkill(skillWith({ allowedTools: ["search_files"], files }), run), [
      "search_files",
      "read_file"
    ])
    assert.deepStrictEqual(toolsOfSkill(skillWith({ allowedTools: [], files }), run), [])
    assert.deepStrictEqual(toolsOfSkill(skillWith({ allowedTools: ["read_file"], files }), run), ["read_file"])
  })

  it("read the files of the skill beside those that its limit names, and a star in a name stands for itself", () => {
    const files = [`${folder}/a*.md`]
    const limited = skillWith({ allowedTools: ["read_file"], toolLimits: [{ tool: "read_file", patterns: ["docs/*"] }], files })
    assert.deepStrictEqual(
      ["docs/x.md", `${folder}/a*.md`, `${folder}/ab.md`, "src/a.ts"].map((path) => beyond(limited, path)),
      [false, false, true, true]
    )
    assert.isFalse(beyond(skillWith({ allowedTools: ["read_file"], files }), "src/a.ts"))
    assert.isTrue(beyond(skillWith({ allowedTools: ["search_files"], files }), "src/a.ts"))
  })
})

describe("the text of a skill in a prompt", () => {
  it("names the files of the skill with the paths by which they can be read", () => {
    const refinement = [
      "See [forms](references/forms.md#fields), `./references/forms.md` and references/forms.md.",
      "Not other/references/forms.md, references/forms.mdx or references/forms.md/x."
    ].join("\n")
    const text = refinementText(skillWith({ refinement, files: [`${folder}/references/forms.md`] }))
    const whole = `${folder}/references/forms.md`
    assert.strictEqual(
      text,
      [
        `See [forms](${whole}#fields), \`${whole}\` and ${whole}.`,
        "Not other/references/forms.md, references/forms.mdx or references/forms.md/x.",
        "",
        "#### Files of the skill",
        "",
        "- If the text above sends you to one of them, call `read_file` with this path:",
        `  - \`${whole}\``
      ].join("\n")
    )
  })

  it("keeps its headings below those of the prompt, and is as it stands without any", () => {
    const body = "# Forms\n\nFill.\n\n## Tools\n\nNone."
    const skill = skillWith({ refinement: body, execution: body })
    assert.strictEqual(refinementText(skill), "#### Forms\n\nFill.\n\n##### Tools\n\nNone.")
    assert.strictEqual(executionText(skill), "### Forms\n\nFill.\n\n#### Tools\n\nNone.")
    const plain = skillWith({ refinement: "- Call it.", execution: "- Say it." })
    assert.deepStrictEqual([refinementText(plain), executionText(plain)], ["- Call it.", "- Say it."])
  })
})
