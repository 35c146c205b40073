import { assert, describe, expect, it } from "@effect/vitest"
import { callsBeyondLimits, executionText, requirementsText, inputTypeText, readSkillInputs, refinementText, Skill, toolsOfSkill } from "../../../src/domain/skills/Skill.ts"

it("readSkillInputs reads names, types, choices and what is optional, and leaves prose alone", () => {
  const text = [
    "- `file` (path, required): The file to change.",
    "* `reason` (text): Why.",
    "- `size` (choice of small, `large`, optional) How much.",
    "- `url`(url, optional)",
    "- `max-lines` (number, optional): At most.",
    "- `dry_run` (yes-no): Only look.",
    "- The question that has to be answered.",
    "- `path` (relative to the project) of each file.",
    "  - `nested` (path)",
    "`file` (path) in a sentence"
  ].join("\n")
  const { faults, inputs } = readSkillInputs(text)
  assert.deepStrictEqual(faults, [])
  assert.deepStrictEqual(inputs, [
    { name: "file", type: "path", required: true, about: "The file to change." },
    { name: "reason", type: "text", required: true, about: "Why." },
    { name: "size", type: "choice", choices: ["small", "large"], required: false, about: "How much." },
    { name: "url", type: "url", required: false, about: "" },
    { name: "max-lines", type: "number", required: false, about: "At most." },
    { name: "dry_run", type: "yes-no", required: true, about: "Only look." },
    { name: "nested", type: "path", required: true, about: "" }
  ])
  assert.deepStrictEqual(inputs.map(inputTypeText).slice(0, 3), ["path", "text", "choice of small, large"])
})

it("readSkillInputs says what only looks like a typed input", () => {
  const text = [
    "- `a` (string, required): Another notation.",
    "- `b` (choice of one, required): One word.",
    "- `C d` (path, required): No name.",
    "- `e` (path): First.",
    "- `e` (text): Second."
  ].join("\n")
  const { faults, inputs } = readSkillInputs(text)
  expect(inputs.map((input) => input.name)).toStrictEqual(["e"])
  assert.deepStrictEqual(
    faults.map(({ kind, line, what }) => [kind, line, what]),
    [
      ["type", 1, '"string, required" is not a type.'],
      ["type", 2, "A choice has at least two words."],
      ["name", 3, '"C d" cannot be the name of an input.'],
      ["name", 5, 'There are two inputs "e".']
    ]
  )
})

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

it("the tools of a skill are those it names, else all; read_file only where there are files to read", () => {
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

it("the tools of a skill read the files of the skill beside those that its limit names, and a star in a name stands for itself", () => {
  const files = [`${folder}/a*.md`]
  const limited = skillWith({ allowedTools: ["read_file"], toolLimits: [{ tool: "read_file", patterns: ["docs/*"] }], files })
  assert.deepStrictEqual(
    ["docs/x.md", `${folder}/a*.md`, `${folder}/ab.md`, "src/a.ts"].map((path) => beyond(limited, path)),
    [false, false, true, true]
  )
  assert.isFalse(beyond(skillWith({ allowedTools: ["read_file"], files }), "src/a.ts"))
  assert.isTrue(beyond(skillWith({ allowedTools: ["search_files"], files }), "src/a.ts"))
})

it("the text of a skill in a prompt names the files of the skill with the paths by which they can be read", () => {
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

it("the text of a skill in a prompt keeps its headings below those of the prompt, and is as it stands without any", () => {
  const body = "# Forms\n\nFill.\n\n## Tools\n\nNone."
  const skill = skillWith({ refinement: body, execution: body })
  assert.strictEqual(refinementText(skill), "#### Forms\n\nFill.\n\n##### Tools\n\nNone.")
  assert.strictEqual(executionText(skill), "### Forms\n\nFill.\n\n#### Tools\n\nNone.")
  const plain = skillWith({ refinement: "- Call it.", execution: "- Say it." })
  assert.deepStrictEqual([refinementText(plain), executionText(plain)], ["- Call it.", "- Say it."])
})

describe("the paths of the files of a skill", () => {
  const files = ["/home/me/.agents/skills/notes/scripts/commits.sh", "/home/me/.agents/skills/notes/references/STYLE.md"]
  const [script = "", style = ""] = files
  const written: ReadonlyArray<readonly [text: string, shown: string]> = [
    ["Run scripts/commits.sh.", `Run ${script}.`],
    ["Run `./scripts/commits.sh v1`.", `Run \`${script} v1\`.`],
    ["Run {baseDir}/scripts/commits.sh", `Run ${script}`],
    ["Run ${CLAUDE_SKILL_DIR}/scripts/commits.sh", `Run ${script}`],
    ["Run <skill-dir>/scripts/commits.sh", `Run ${script}`],
    ["[style](references/STYLE.md) and references/STYLE.md", `[style](${style}) and ${style}`],
    ["other/scripts/commits.sh and scripts/commits.sh.bak", "other/scripts/commits.sh and scripts/commits.sh.bak"]
  ]
  it.each(written)("are whole in all that a prompt says of it: %s", (text, shown) => {
    const skill = skillWith({ name: "notes", files, refinement: text, execution: text, inputRequirements: text })
    assert.strictEqual(refinementText(skill).split("\n")[0], shown)
    assert.deepStrictEqual([executionText(skill), requirementsText(skill)], [shown, shown])
  })
})
