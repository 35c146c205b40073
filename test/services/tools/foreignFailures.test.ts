/** Tools of plugins that fail with what no tool may fail with. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { openTools } from "../../support/OpenTools.ts"
import { acting } from "../../support/actingPlugin.ts"
import { liveTest } from "../../support/liveTest.ts"

/** How a tool ends, and what its call says of that. */
const failures: ReadonlyArray<readonly [name: string, act: () => unknown, message: string | RegExp]> = [
  [
    "a failure of a type that there is not",
    async () => {
      throw new ToolFailure({ type: "no_such_city" as "not_found", message: "There is no such city." })
    },
    /failed: Schema validation failed: "type": Expected "none" \| "not_found" \| /
  ],
  [
    "a failure of such a type without its class",
    () => Effect.fail({ _tag: "ToolFailure", type: "boom", message: "Bang." }),
    "failed: Bang."
  ],
  ["an unhandled error of a schema", () => Schema.decodeUnknownEffect(Schema.Int)("x"), /failed: ./],
  ["nothing", () => Effect.fail(undefined), "failed: undefined"],
  ["a promise that is rejected", () => Promise.reject(new Error("no")), "failed: no"]
]

describe("a tool that ends with", () => {
  liveTest.each(failures)("%s fails its call and nothing else", function* ([, act, message]) {
    const { run } = yield* openTools({ plugins: [acting(act)] })
    const { error_message, error_type } = yield* run("act")
    assert.strictEqual(error_type, "internal_error")
    if (typeof message === "string") assert.strictEqual(error_message, `The tool act of acting ${message}`)
    else assert.match(error_message ?? "", message)
  })

  liveTest("a failure of another copy of the kit keeps its type", function* () {
    const copy = { _tag: "ToolFailure", type: "not_found", message: "No such city." }
    const { run } = yield* openTools({ plugins: [acting(() => Effect.fail(copy))] })
    const { error_message, error_type } = yield* run("act")
    assert.deepStrictEqual([error_type, error_message], ["not_found", "No such city."])
  })
})
