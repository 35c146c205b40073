import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { task, call, refinement, execution, written, problemsOf, layerShipped } from "../../support/SkillTestFiles.ts"

layer(Layer.provideMerge(layerShipped, NodeServices.layer))("testSkill", (it) => {
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

  it.effect("lets no call out of the project of the test", () =>
    Effect.gen(function* () {
      const outside = call("read_file", { path: "/etc/hostname" })
      const expected = "## Expected outputs\n\nERROR (permission_denied)\n"
      assert.deepStrictEqual(yield* problemsOf(task + refinement(outside) + execution + expected), [])
    })
  )
})
