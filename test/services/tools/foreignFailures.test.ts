/** Tools of plugins that fail with what no tool may fail with, and that do not end when they are stopped. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { definePlugin, tool, type Tools } from "../../../src/services/tools/Plugin.ts"
import { openTools } from "../../support/OpenTools.ts"

/** A tool as JavaScript writes it, which nobody checks. */
const acting = (act: () => unknown, resources: Effect.Effect<unknown, never, Scope.Scope> = Effect.void) =>
  definePlugin({
    name: "acting",
    tools: Effect.as(resources, {
      act: tool({
        description: "Acts.",
        parameters: Schema.Struct({}),
        risk: "safe",
        effect: "pure",
        execute: act as () => Effect.Effect<Schema.Json, ToolFailure>
      })
    })
  })

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

/** Tools that do not end when they are stopped. */
const endless: ReadonlyArray<readonly [name: string, act: () => Effect.Effect<never>]> = [
  [
    "waits in its finalizer",
    () =>
      Effect.scoped(
        Effect.andThen(
          Effect.acquireRelease(Effect.void, () => Effect.never),
          Effect.never
        )
      )
  ],
  ["waits for seconds in its finalizer", () => Effect.ensuring(Effect.never, Effect.sleep("1 minute"))],
  ["cannot be interrupted", () => Effect.uninterruptible(Effect.never)],
  [
    "waits for a promise in its finalizer",
    () =>
      Effect.ensuring(
        Effect.never,
        Effect.promise(() => new Promise(() => undefined))
      )
  ]
]

const quick = () => Effect.ensuring(Effect.never, Effect.sleep("100 millis"))

const within = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.timeout(work, "5 minutes")

/* Each waits seconds for a limit: side by side. */
describe.concurrent("a tool that", () => {
  it.live.each(endless)("%s is left behind at its limit, and the next call is made", ([, act]) =>
    Effect.gen(function* () {
      let calls = 0
      const plugin = acting(() => (++calls === 1 ? act() : Effect.succeed("second")))
      const { run } = yield* openTools({ plugins: [plugin], limits: { toolSeconds: 1 } })
      const { error_message, error_type } = yield* within(run("act"))
      assert.strictEqual(error_type, "timeout")
      assert.match(
        error_message ?? "",
        /stopped after 1 s \(limits\.toolSeconds\).* It does not end: .*fault of the tool\.$/
      )
      assert.strictEqual((yield* within(run("act"))).data, "second")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live.each(endless)("%s does not keep a run that is interrupted", ([, act]) =>
    Effect.gen(function* () {
      const { log, run } = yield* openTools({ plugins: [acting(act)] })
      const fiber = yield* Effect.forkChild(run("act"))
      while (!log.events().some(({ type }) => type === "tool.started")) yield* Effect.sleep("20 millis")
      yield* within(Fiber.interrupt(fiber))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("ends in time is not said to be endless", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ plugins: [acting(quick)], limits: { toolSeconds: 1 } })
      assert.notInclude((yield* within(run("act"))).error_message, "does not end")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

it.live("resources of a plugin that are never released do not keep the end of a run", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const resources = Effect.acquireRelease(Effect.void, () => Effect.never)
    yield* Scope.provide(openTools({ plugins: [acting(() => Effect.succeed(1), resources)] }), scope)
    yield* within(Scope.close(scope, Exit.void))
  }).pipe(Effect.provide(NodeServices.layer))
)
