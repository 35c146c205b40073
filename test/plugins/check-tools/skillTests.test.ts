import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync } from "node:fs"
import { usableSkills } from "../../../src/domain/skills/Skill.ts"
import { testSkill } from "../../../src/plugins/check-tools/skillTests.ts"
import { newSkill } from "../../../src/app/templates.ts"
import { leavesMachine } from "../../../src/app/providers.ts"
import { Skills } from "../../../src/services/skills/Skills.ts"
import { openTools } from "../../support/OpenTools.ts"
import { makeProject } from "../../support/Project.ts"
import * as Layer from "effect/Layer"

const skills = new URL("../../../skills/", import.meta.url)

const skillFile = `---
name: write-note
description: Writes a note. Use it when a note is asked for.
allowed-tools: write_file read_file
metadata:
  task-conductor.requires-approval: "true"
---

## Execution

Say where it is.
`

const task = "## Task\n\n- **What is needed** Write.\n- **Expected output** A path.\n\n"
const call = (name: string, given: object) => JSON.stringify({ name, arguments: given })
const refinement = (calls: string) =>
  `## Refinement answer\n\n\`\`\`\`md\n## Tool Calls\n\n\`\`\`json\n${calls}\n\`\`\`\n\`\`\`\`\n\n`
const execution = "## Execution answer\n\n```md\n## Result summary\n\nIt is in note.md.\n```\n\n"
const written = call("write_file", { path: "note.md", content: "one\n" })

/** The problems of one test of the skill, each as its texts. */
const problemsOf = (test: string) =>
  Effect.gen(function* () {
    const folder = yield* makeProject({ "write-note/SKILL.md": skillFile, "write-note/tests/one.md": test })
    const [result] = yield* testSkill(`${folder}/write-note/SKILL.md`)
    return (result?.problems ?? []).map(({ actual, expected, what }) => [what, expected, actual])
  })

const layerShipped = Skills.layer({ home: "/nowhere", project: "/nowhere" }, leavesMachine)

layer(Layer.provideMerge(layerShipped, NodeServices.layer))("testSkill", (it) => {
  it.effect("passes the tests of every shipped skill whose tools are there; each has one", () =>
    Effect.gen(function* () {
      const { registry } = yield* openTools()
      const { all: shipped } = yield* Skills
      const names = usableSkills(
        shipped.map(({ skill }) => skill),
        registry.tools.map((tool) => tool.name)
      ).map(({ name }) => name)
      for (const name of names) {
        const results = yield* testSkill(new URL(`${name}/SKILL.md`, skills).pathname)
        assert.isAbove(results.length, 0, name)
        assert.deepStrictEqual(
          results.flatMap(({ problems }) => problems),
          []
        )
      }
      const without = readdirSync(skills).filter((name) => !existsSync(new URL(`${name}/tests`, skills)))
      assert.deepStrictEqual(without, [])
    })
  )

  it.effect("passes the test of a new skill", () =>
    Effect.gen(function* () {
      const files = Object.entries(yield* newSkill("find-names")).map(([path, text]) => [`find-names/${path}`, text])
      const folder = yield* makeProject(Object.fromEntries(files) as Record<string, string>)
      const results = yield* testSkill(`${folder}/find-names/SKILL.md`)
      assert.deepStrictEqual(
        results.map(({ problems, title }) => [title, problems]),
        [["Finds the lines that name the subject", []]]
      )
    })
  )

  it.effect("writes into the project of the test, with steps approved", () =>
    Effect.gen(function* () {
      const expected = "## Expected file note.md\n\n```\none\n```\n\n## Expected result\n\nnote.md\n"
      assert.deepStrictEqual(yield* problemsOf(task + refinement(written) + execution + expected), [])
    })
  )

  it.effect("shows what differs", () =>
    Effect.gen(function* () {
      const expected = [
        `## Expected calls\n\n\`\`\`json\n${call("write_file", { content: "two\n", path: "note.md" })}\n\`\`\``,
        "## Expected outputs\n\nthree",
        "## Expected result\n\nfour",
        "## Expected file note.md\n\n```\ntwo\n```",
        "## Expected file other.md\n\n```\n```"
      ].join("\n\n")
      const problems = yield* problemsOf(task + refinement(written) + execution + expected)
      assert.deepStrictEqual(
        problems.map(([what, want]) => [what, want]),
        [
          ["The calls differ.", '{"arguments":{"content":"two\\n","path":"note.md"},"name":"write_file"}'],
          ["No output contains the line.", "three"],
          ["The result does not contain the line.", "four"],
          ["The file note.md differs.", "two\n"],
          ["There is no file other.md.", undefined]
        ]
      )
      assert.deepStrictEqual(problems[3], ["The file note.md differs.", "two\n", "one\n"])
    })
  )

  it.effect("counts the answers, and names the issues that were not expected", () =>
    Effect.gen(function* () {
      const wrong = refinement(call("fetch_url", { url: "https://example.org" }))
      assert.deepStrictEqual(
        (yield* problemsOf(task + wrong + refinement(written) + execution)).map(([what, want, found]) => [
          what,
          want,
          found?.split("\n")[0]
        ]),
        [["The answers have other issues.", "", "tool-not-allowed"]]
      )
      const few = yield* problemsOf(task + wrong + execution)
      assert.include(few[0]?.[0], "The run ended as failed.")
      assert.deepStrictEqual(
        few.slice(1, 3).map(([what]) => what),
        [
          "The refinement asked for answer 2, and the test has 1.",
          "The execution asked for 0 of the 1 answers of the test."
        ]
      )
      const many = yield* problemsOf(task + refinement(written) + execution + execution)
      assert.deepStrictEqual(many, [["The execution asked for 1 of the 2 answers of the test.", undefined, undefined]])
      const other = refinement(call("write_file", { path: "note.md", content: "three\n" }))
      const turns = yield* problemsOf(
        `${task}${refinement(written)}${other}${execution}\n\n## Expected file note.md\n\n\`\`\`md\nthree\n\`\`\`\n`
      )
      assert.deepStrictEqual(turns, [])
    })
  )

  it.effect("lets no call out of the project of the test", () =>
    Effect.gen(function* () {
      const outside = call("read_file", { path: "/etc/hostname" })
      const expected = "## Expected outputs\n\nERROR (permission_denied)\n"
      assert.deepStrictEqual(yield* problemsOf(task + refinement(outside) + execution + expected), [])
    })
  )

  it.effect("says what is wrong with a test", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* problemsOf("# Nothing\n"), [
        ['line 1: There is no section "## Task" with the fields of a task.', undefined, undefined]
      ])
    })
  )
})
