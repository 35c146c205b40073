import { assert, describe, it } from "@effect/vitest"
import { issuesOfPart, wholePartOf } from "../../../src/domain/documents/AnswerWatch.ts"
import { readRefinement } from "../../../src/domain/documents/RefinementFormat.ts"
import { readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"

const task = (name: string, skill = "- **Skill** x\n") =>
  `- **Name** ${name}\n- **What is needed** Read.\n${skill}- **Expected output** A word.\n\n`

const list = (tasks: string) =>
  `## Original prompt\n\nP.\n\n## Goals / summary\n\nG.\n\n## Tasks\n\n### Task section 1\n\n${tasks}`

const call = '```json\n{ "uid": "call-1", "name": "read_file", "arguments": { "path": "a" } }\n```\n'
const calls = `## Task\n\n${task("A")}## Tool Calls\n\n${call}`

const codes = (answer: string, read: (part: string) => ReturnType<typeof readTaskList>["issues"]) =>
  issuesOfPart(wholePartOf(answer), read).map(({ code, where }) => [code, where.line])

const readList = (part: string) => readTaskList(part).issues

describe("the whole part of an answer that was cut off", () => {
  const cases: ReadonlyArray<readonly [name: string, answer: string, text: string, cut: string]> = [
    ["ends before the last task", list(`${task("A")}- **Name** B\n- **What is`), list(task("A")), "- **Name** B"],
    [
      "leaves out a heading that nothing follows",
      list(`${task("A")}### Task section 2\n\n- **Name** B\n- **Wh`),
      list(task("A")),
      "- **Name** B"
    ],
    ["ends before a section that has begun", `${calls}\n## No`, calls, "## No"],
    ["ends before a call that was cut", `${calls}\n\`\`\`json\n{ "uid": "ca`, calls, "```json"],
    ["holds a call that is closed", calls, calls, ""],
    [
      "does not end with a code block inside of a task",
      list(`${task("A")}- **Name** B\n- **What is needed** This:\n\n\`\`\`\n# a\n\`\`\`\n`),
      list(task("A")),
      "- **Name** B"
    ],
    ["does not look into code blocks", `${calls}\n\`\`\`md\n## A\n- **Name** C`, calls, "```md"],
    ["is empty when the first part was cut", "## Original prompt\n\nWhat is", "", "## Original prompt"],
    ["is empty for a text without parts", "What is", "", "What is"]
  ]
  for (const [name, answer, text, cut] of cases) {
    it(name, () => {
      assert.deepStrictEqual(wholePartOf(answer), { text: text.trimEnd(), cut })
    })
  }

  it("has the issues of its fields, and none about what may still come", () => {
    const wrong = list(`${task("A", "")}${task("A")}- **Name** C\n- **What`)
    assert.deepStrictEqual(codes(wrong, readList), [
      ["field-missing", 13],
      ["name-duplicate", 17]
    ])
    const fine = list(`${task("A")}${task("B")}`)
    const all = Array.from({ length: fine.length }, (_, end) => codes(fine.slice(0, end), readList))
    assert.deepStrictEqual(
      all.filter((found) => found.length > 0),
      []
    )
  })

  it("is without issues wherever a right refinement is cut", () => {
    const fine = `${calls}\n${call.replace("call-1", "call-2").replace('"a"', '"b"')}`
    const all = Array.from({ length: fine.length }, (_, end) =>
      codes(fine.slice(0, end), (part) => readRefinement(part).issues)
    )
    assert.deepStrictEqual(
      all.filter((found) => found.length > 0),
      []
    )
  })
})
