/**
 * What a model learns by guesses of a file that it may not read, where each change is asked about first.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { parseRule } from "../../../src/domain/permissions/Permission.ts"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { openTools } from "../../support/OpenTools.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const text = "KEY=hunter2\nKEY=other\nlast\n"
const files = { ".env": text, "src/a.ts": text }
const denied = (...rules: ReadonlyArray<string>) => rules.map((rule) => Result.getOrThrow(parseRule("deny", rule)))

/** Edits that fit, that do not, that occur twice, and whose new text stands there already. */
const guesses: ReadonlyArray<Arguments> = [
  { old_text: "KEY=hunter2", new_text: "a" },
  { old_text: "KEY=hunter3", new_text: "a" },
  { old_text: "KEY=", new_text: "a" },
  { old_text: "KEY=none", new_text: "KEY=hunter2" },
  { edits: [{ old_text: "last", new_text: "a" }] },
  { edits: [{ old_text: "lost", new_text: "a" }] }
]

describe("edits of a file that may not be read", () => {
  for (const [name, path, rules] of [
    ["a file whose reading is denied", "src/a.ts", denied("read_file")],
    ["a file whose pattern is denied", "src/a.ts", denied("read_file:src/**")],
    ["a file that may not be written", ".env", denied("write_file:.env")],
    ["a file that may not be edited", ".env", denied("edit_file")],
    ["a secret without a permission", ".env", []]
  ] as const) {
    nodeTest(`say the same of right and wrong guesses about ${name}`, function* () {
      const { run } = yield* openTools({ files, rules, approver: Approver.layerDenyAll })
      const results = yield* Effect.forEach(guesses, (guess) => run("edit_file", { path, ...guess }))
      const said = new Set(results.map(({ error_message, error_type }) => `${error_type}: ${error_message}`))
      assert.strictEqual(said.size, 1, [...said].join("\n"))
      assert.match([...said].join(""), /^permission_denied: .*edit_file/)
    })
  }

  nodeTest("say the same of a right and a wrong guess that a person declines", function* () {
    const answers = scriptedApprover({ calls: ["deny", "deny"] })
    const { run } = yield* openTools({ files, approver: answers.layer })
    const right = yield* run("edit_file", { path: ".env", old_text: "KEY=hunter2", new_text: "a" })
    const wrong = yield* run("edit_file", { path: ".env", old_text: "KEY=hunter3", new_text: "a" })
    assert.strictEqual(right.error_message, wrong.error_message)
  })
})
