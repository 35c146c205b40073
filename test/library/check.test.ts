import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { check, checkInProject, fixInProject } from "../../src/index.ts"
import { definePlugin, tool } from "../../src/plugin-kit.ts"
import { makeSandbox } from "../support/binary.ts"
import { planOf } from "../support/TestRun.ts"

const sandbox = makeSandbox()
const project = `${sandbox.root}/project`

beforeAll(() => {
  process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`
  sandbox.write("project/src/port.ts", "export const port = 8042\n")
  const skill = "---\nname: count\ndescription: Counts.\nallowed-tools: count_words\n---\n\n## Execution\n\nCount.\n"
  sandbox.write("project/.agents/skills/count/SKILL.md", skill)
})
afterAll(sandbox.remove)

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
  it("finds what the text alone does not show", async () => {
    const text = planWith("guess", "[gone](src/gone.ts)")
    assert.strictEqual(check(text).verdict, "accepted")
    const report = await checkInProject(text, { project })
    assert.deepStrictEqual(
      [report.verdict, report.project, report.issues.map(({ code, where }) => [code, where.line])],
      [
        "rejected",
        project,
        [
          ["skill-unknown", 15],
          ["reference-missing", 16]
        ]
      ]
    )
  })

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

describe("fixInProject", () => {
  it("writes names and paths as they are in the project", async () => {
    const before = planWith("read_code", "[port](/src/port.ts)")
    const { report, text } = await fixInProject(before, { project })
    assert.deepStrictEqual([report.verdict, report.repairs.length], ["repaired", 2])
    assert.strictEqual(text.trim(), planWith("read-code", "[port](src/port.ts)").trim())
    const again = await fixInProject(text, { project })
    assert.deepStrictEqual([again.report.verdict, again.text], ["accepted", text])
  })
})
