import { assert, describe, it } from "@effect/vitest"
import { noFindings } from "../../../src/domain/findings/Issue.ts"
import { readInputs } from "../../../src/domain/documents/InputFormat.ts"
import { readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"
import { taskLines } from "../../../src/domain/grammar/RawTask.ts"
import { readMarkdown } from "../../../src/domain/markdown/Markdown.ts"
import { readSkillInputs } from "../../../src/domain/skills/Skill.ts"

const list = (tasks: string) => `## Original prompt\n\nP.\n\n## Goals / summary\n\nG.\n\n## Tasks\n\n${tasks}\n`

const saidOf = (tasks: string) =>
  readTaskList(list(tasks)).issues.map(({ code, quote, what }) => [code, what, quote ?? ""])

const prose = "First I would read the loader, then I would explain what it does, and after that I would stop."
const shown = prose.slice(0, 80)

describe("prose where a list should be", () => {
  it("is quoted in the issue about a list without sections, shortened", () => {
    assert.deepStrictEqual(saidOf(`${prose}\n\nAnd more.`), [
      ["tasks-empty", `There is no task section under "Tasks", only text: "${shown}".`, prose]
    ])
    assert.deepStrictEqual(saidOf(""), [["tasks-empty", 'There is no task section under "Tasks".', ""]])
  })

  it("is quoted in the issue about a section without tasks", () => {
    assert.deepStrictEqual(saidOf(`### Task section 1\n\n${prose}\n\nAnd more.`), [
      ["step-empty", `The section "Task section 1" has no task, only text: "${shown}".`, prose]
    ])
    assert.deepStrictEqual(saidOf("### Task section 1\n"), [
      ["step-empty", 'The section "Task section 1" has no task.', ""]
    ])
  })

  it("is quoted in the issue about an input without a value", () => {
    const inputs = readSkillInputs("- `file` (path, required): The file.").inputs
    const said = (text: string) => {
      const findings = noFindings()
      const document = readMarkdown(text)
      readInputs(taskLines(document, 0, document.lines.length), { section: "Inputs" }, inputs, [], findings)
      return findings.issues.map(({ quote, what }) => [what, quote ?? ""])
    }
    assert.deepStrictEqual(said("The loader.\n"), [
      ['The input "file" has no value. The section has only text: "The loader.".', "The loader."]
    ])
    assert.deepStrictEqual(said(""), [['The input "file" has no value.', ""]])
  })
})
