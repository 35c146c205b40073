/** Tools of plugins that fail with what no tool may fail with. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { definePlugin, type Tools } from "../../../src/services/tools/Plugin.ts"
import { openTools } from "../../support/OpenTools.ts"
import { acting } from "../../support/actingPlugin.ts"

const unreadable = {
  get _tag(): never {
    throw new Error("not for you")
  }
}
const cause = new Error("connect ECONNREFUSED 127.0.0.1:9")

/** How a tool ends, and what its call says. */
const failures: ReadonlyArray<readonly [name: string, act: () => unknown, message: string]> = [
  [
    "a failure of a type that there is not",
    async () => {
      throw new ToolFailure({ type: "no_such_city" as "not_found", message: "There is no such city." })
    },
    'The tool act of acting failed: Schema validation failed: "type": Expected "none" | "not_found" | "validation_failed" | "permission_denied" | "io_error" | "parse_error" | "internal_error" | "timeout" | "output_limit".'
  ],
  [
    "what Effect makes of a rejected promise",
    () => Effect.tryPromise(() => Promise.reject(cause)),
    "The tool act of acting failed: An error occurred in Effect.tryPromise: connect ECONNREFUSED 127.0.0.1:9"
  ],
  [
    "an error with a cause",
    () => Effect.fail(new TypeError("fetch failed", { cause })),
    "The tool act of acting failed: fetch failed: connect ECONNREFUSED 127.0.0.1:9"
  ],
  ["a text", () => Effect.fail("no such city"), "The tool act of acting failed: no such city"],
  ["nothing", () => Effect.fail(undefined), "The tool act of acting failed: undefined"],
  ["null", () => Effect.fail(null), "The tool act of acting failed: null"],
  ["an object with a message", () => Effect.fail({ message: "too late" }), "The tool act of acting failed: too late"],
  ["an object with a tag", () => Effect.fail({ _tag: "NoCity", code: 4 }), "The tool act of acting failed: NoCity"],
  [
    "an object",
    () => Effect.fail({ code: 4 }),
    "The tool act of acting failed: a value that is not an error was thrown"
  ],
  [
    "a value that cannot be looked at",
    () => Effect.fail(unreadable),
    "The tool act of acting failed: an error that cannot be read was thrown"
  ],
  [
    "a type of failure that there is not",
    () => Effect.fail({ _tag: "ToolFailure", type: "boom", message: "Bang." }),
    "The tool act of acting failed: Bang."
  ],
  [
    "an unhandled error of a schema",
    () => Schema.decodeUnknownEffect(Schema.Int)("x"),
    'The tool act of acting failed: Expected int, got "x"'
  ],
  ["a defect", () => Effect.die(new RangeError("out of range")), "The tool act of acting crashed: out of range"],
  [
    "a throw",
    () => {
      throw new Error("early")
    },
    "The tool act of acting crashed: early"
  ],
  ["a promise that is rejected", () => Promise.reject(new Error("no")), "The tool act of acting failed: no"]
]

describe("a tool that ends with", () => {
  it.live.each(failures)("%s fails its call and nothing else", ([name, act, message]) =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ plugins: [acting(act)] })
      const { error_message, error_type } = yield* run("act")
      assert.strictEqual(error_type, "internal_error")
      if (name === "an unhandled error of a schema")
        assert.match(error_message ?? "", /^The tool act of acting failed: ./)
      else assert.strictEqual(error_message, message)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("a failure of another copy of the kit keeps its type", () =>
    Effect.gen(function* () {
      const copy = { _tag: "ToolFailure", type: "not_found", message: "No such city." }
      const { run } = yield* openTools({ plugins: [acting(() => Effect.fail(copy))] })
      const { error_message, error_type } = yield* run("act")
      assert.deepStrictEqual([error_type, error_message], ["not_found", "No such city."])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
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
