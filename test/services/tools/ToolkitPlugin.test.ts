/** Toolkits of effect/ai as plugins. */
import { assert } from "@effect/vitest"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toolkitPlugin } from "../../../src/services/tools/ToolkitPlugin.ts"
import { openTools } from "../../support/OpenTools.ts"
import { liveTest } from "../../support/liveTest.ts"

const toolkit = Toolkit.make(
  Tool.make("count_letters", {
    description: "Counts letters.",
    parameters: Schema.Struct({ text: Schema.String, since: Schema.optionalKey(Schema.DateTimeUtcFromString) }),
    success: Schema.Struct({ letters: Schema.Int }),
    failure: Schema.String
  }).annotate(Tool.Readonly, true),
  Tool.make("drop_letters", { description: "Drops letters.", success: Schema.Null })
)

const plugin = toolkitPlugin({
  name: "letters",
  toolkit,
  layer: toolkit.toLayer({
    count_letters: ({ text }) =>
      text === "" ? Effect.fail("there is no text") : Effect.succeed({ letters: text.length }),
    drop_letters: () => Effect.succeed(null)
  })
})

liveTest("a toolkit of effect/ai is a plugin as it is", function* () {
  const { registry, run } = yield* openTools({ plugins: [plugin] })
  assert.deepStrictEqual(
    registry.tools.filter(({ origin }) => origin === "letters").map(({ effect, name, risk }) => [name, risk, effect]),
    [
      ["count_letters", "safe", "pure"],
      ["drop_letters", "high", "once"]
    ]
  )
  assert.deepStrictEqual((yield* run("count_letters", { text: "abc", since: "2026-01-01T00:00:00Z" })).data, {
    letters: 3
  })
  const failed = yield* run("count_letters", { text: "" })
  assert.deepStrictEqual([failed.success, failed.error_type], [false, "internal_error"])
  assert.include(failed.error_message, "there is no text")
  assert.strictEqual((yield* run("count_letters", {})).error_type, "validation_failed")
  assert.isTrue((yield* run("drop_letters")).success)
})
