/** The tests of every shipped skill. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync } from "node:fs"
import { usableSkills } from "../../../src/domain/skills/Skill.ts"
import { testSkill } from "../../../src/plugins/check-tools/skillTests.ts"
import { Skills } from "../../../src/services/skills/Skills.ts"
import { openTools } from "../../support/OpenTools.ts"
import * as Layer from "effect/Layer"
import { task, call, refinement, execution, written, problemsOf, layerShipped } from "../../support/SkillTestFiles.ts"

const skills = new URL("../../../skills/", import.meta.url)

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
})
