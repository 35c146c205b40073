import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { checkInProject, fixInProject } from "../../src/index.ts"
import { definePlugin, tool } from "../../src/plugin-kit.ts"
import { librarySandbox } from "../support/fileSandbox.ts"
import { planOf } from "../support/TestRun.ts"

const sandbox = librarySandbox()
const project = `${sandbox.root}/project`

sandbox.write("project/src/port.ts", "export const port = 8042\n")
const skill = "---\nname: count\ndescription: Counts.\nallowed-tools: count_words\n---\n\n## Execution\n\nCount.\n"
sandbox.write("project/.agents/skills/count/SKILL.md", skill)

const planWith = (skill: string, references: string) => planOf([[{ name: "Work 1", skill, references }]])

const words = definePlugin({
  name: "words",
  tools: Effect.succeed({
    count_words: tool({
      description: "Counts words.",
      parameters: Schema.Struct({ text: Schema.String }),
      risk: "safe",
      effect: "pure",
      example: { text: "one two" },
      execute: ({ text }) => Effect.succeed(text.split(" ").length)
    })
  })
})

describe("checkInProject", () => {
  it("knows the tools of plugins that a script passes", async () => {
    const text = planWith("count", "[port](src/port.ts)")
    assert.strictEqual((await checkInProject(text, { project })).verdict, "rejected")
    assert.strictEqual((await checkInProject(text, { project, plugins: [words] })).verdict, "accepted")
  })

  it("measures references with the budget of the options", async () => {
    const { issues } = await checkInProject(planWith("read-code", "[port](src/port.ts)"), {
      project,
      referenceBudget: 10
    })
    assert.deepStrictEqual(
      issues.map(({ code }) => code),
      ["references-too-large"]
    )
  })
})

it("fixInProject writes names and paths as they are in the project", async () => {
  const before = planWith("read_code", "[port](/src/port.ts)")
  const { report, text } = await fixInProject(before, { project })
  assert.deepStrictEqual([report.verdict, report.repairs.length], ["repaired", 2])
  assert.strictEqual(text.trim(), planWith("read-code", "[port](src/port.ts)").trim())
  const again = await fixInProject(text, { project })
  assert.deepStrictEqual([again.report.verdict, again.text], ["accepted", text])
})
