import { assert, describe, it } from "@effect/vitest"
import { inputTypeText, readSkillInputs } from "../../../src/domain/skills/Skill.ts"

describe("readSkillInputs", () => {
  it("reads names, types, choices and what is optional, and leaves prose alone", () => {
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

  it("says what only looks like a typed input", () => {
    const text = [
      "- `a` (string, required): Another notation.",
      "- `b` (choice of one, required): One word.",
      "- `C d` (path, required): No name.",
      "- `e` (path): First.",
      "- `e` (text): Second."
    ].join("\n")
    const { faults, inputs } = readSkillInputs(text)
    assert.deepStrictEqual(
      inputs.map((input) => input.name),
      ["e"]
    )
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
})
