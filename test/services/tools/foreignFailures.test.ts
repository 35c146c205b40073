/** Tools of plugins that fail with what no tool may fail with. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { definePlugin, type Tools } from "../../../src/services/tools/Plugin.ts"
import { openTools } from "../../support/OpenTools.ts"
import { acting } from "../../support/actingPlugin.ts"
import { liveTest } from "../../support/liveTest.ts"

const unreadable = {
  get _tag(): never {
    throw new Error("not for you")
  }
}
const cause = new Error("connect ECONNREFUSED 127.0.0.1:9")

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
    "what Effect makes of a rejected promise",
    () => Effect.tryPromise(() => Promise.reject(cause)),
    "failed: An error occurred in Effect.tryPromise: connect ECONNREFUSED 127.0.0.1:9"
  ],
  [
    "an error with a cause",
    () => Effect.fail(new TypeError("fetch failed", { cause })),
    "failed: fetch failed: connect ECONNREFUSED 127.0.0.1:9"
  ],
  ["a text", () => Effect.fail("no such city"), "failed: no such city"],
  ["nothing", () => Effect.fail(undefined), "failed: undefined"],
  ["null", () => Effect.fail(null), "failed: null"],
  ["an object with a message", () => Effect.fail({ message: "too late" }), "failed: too late"],
  ["an object with a tag", () => Effect.fail({ _tag: "NoCity", code: 4 }), "failed: NoCity"],
  ["an object", () => Effect.fail({ code: 4 }), "failed: a value that is not an error was thrown"],
  ["an unreadable value", () => Effect.fail(unreadable), "failed: an error that cannot be read was thrown"],
  [
    "a type of failure that there is not",
    () => Effect.fail({ _tag: "ToolFailure", type: "boom", message: "Bang." }),
    "failed: Bang."
  ],
  ["an unhandled error of a schema", () => Schema.decodeUnknownEffect(Schema.Int)("x"), /failed: ./],
  ["a defect", () => Effect.die(new RangeError("out of range")), "crashed: out of range"],
  [
    "a throw",
    () => {
      throw new Error("early")
    },
    "crashed: early"
  ],
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

describe("a plugin whose tools cannot be made", () => {
  it.live.each([undefined, null, "no key", { code: 1 }, new Error("no key")])(
    "is left out with the reason: %s",
    (value) =>
      Effect.gen(function* () {
        const broken = definePlugin({ name: "broken", tools: Effect.fail(value) as unknown as Effect.Effect<Tools> })
        const { registry } = yield* openTools({ plugins: [broken] })
        assert.deepStrictEqual(
          registry.problems.map(({ message }) => message.replace(/: (?:undefined|null|a value.*|no key)$/, ": WHY")),
          ['The plugin "broken" is not used: it failed while loading: WHY']
        )
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
