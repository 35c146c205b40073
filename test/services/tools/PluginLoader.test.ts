import { describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { definePlugin, type Plugin, tool, type Tools } from "../../../src/services/tools/Plugin.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

const ping = tool({
  description: "Answers.",
  parameters: Schema.Struct({}),
  risk: "safe",
  effect: "pure",
  execute: () => Effect.succeed("pong")
})

const withTools = (name: string, tools: Tools): Plugin => definePlugin({ name, tools: Effect.succeed(tools) })

const malformed = (problem: string) => `its tool "ping" is not well formed: ${problem}`
const withPing = (change: Readonly<Record<string, unknown>>) =>
  withTools("bad", { ping: Object.assign({}, ping, change) as typeof ping })
const failing = (tools: Effect.Effect<Tools, ToolFailure>) => definePlugin({ name: "bad", tools })

describe("PluginLoader", () => {
  const rejected: ReadonlyArray<[name: string, plugin: Plugin, problem: string]> = [
    [
      "for another version of the interface",
      { ...withTools("bad", { ping }), apiVersion: 2 },
      "it needs version 2 of the plugin interface, and this program has version 1. Install a compatible version of it."
    ],
    [
      "that fails",
      failing(Effect.fail(new ToolFailure({ type: "io_error", message: "No index was found." }))),
      "it failed while loading: No index was found."
    ],
    ["that throws", failing(Effect.die(new Error("boom\n    at x.js:1"))), "it failed while loading: boom"],
    ["that interrupts itself", failing(Effect.interrupt), "it failed while loading: it interrupted itself"],
    [
      "with an illegal tool name",
      withTools("bad", { "read-File": ping }),
      'the name of its tool "read-File" is not lower-case ASCII words joined by underscores.'
    ],
    [
      "with a tool that exists",
      withTools("bad", { new_tool: ping, read_file: ping }),
      'its tool "read_file" exists already (built-in). Rename it, or remove one of them.'
    ],
    [
      "with a tool without description",
      withPing({ description: "" }),
      malformed('"description": Expected a value with a length of at least 1.')
    ],
    ["with an unknown risk", withPing({ risk: "none" }), malformed('"risk": Expected "safe" | "medium" | "high".')],
    [
      "with parameters that are no schema",
      withPing({ parameters: "path" }),
      malformed('"parameters" is not a schema: neither of Effect, nor a Standard Schema, nor a JSON schema.')
    ],
    [
      "with parameters that are no struct",
      withPing({ parameters: Schema.String }),
      malformed("its parameters are not a struct.")
    ],
    [
      "with an example that does not fit",
      withPing({ parameters: Schema.Struct({ a: Schema.String }), example: { a: 1 } }),
      malformed("its example does not fit its parameters.")
    ],
    ["with nothing to execute", withPing({ execute: "pong" }), malformed('"execute" is not a function.')]
  ]
  for (const [name, plugin, problem] of rejected) {
    nodeTest(`leaves out a plugin ${name}, whole, and loads the others`, function* () {
      const { registry, run } = yield* openTools({ plugins: [plugin, withTools("good", { echo: ping })] })
      expect(registry.problems.map((one) => ["plugin" in one ? one.plugin : "", one.message])).toStrictEqual([
        ["bad", `The plugin "bad" is not used: ${problem}`]
      ])
      expect(
        registry.tools.filter((one) => one.origin !== "built-in").map((one) => [one.origin, one.name])
      ).toStrictEqual([["good", "echo"]])
      expect(registry.find("new_tool")).toBeUndefined()
      expect((yield* run("echo")).data).toBe("pong")
    })
  }

  nodeTest("leaves out a plugin that takes too long", function* () {
    const loading = yield* Deferred.make<void>()
    const slow = definePlugin({
      name: "slow",
      tools: Effect.andThen(Deferred.succeed(loading, undefined), Effect.never)
    })
    const opening = yield* Effect.forkChild(openTools({ plugins: [slow] }))
    yield* Deferred.await(loading)
    yield* TestClock.adjust("30 seconds")
    const { registry } = yield* Fiber.join(opening)
    expect(registry.problems.map((one) => one.message)).toStrictEqual([
      'The plugin "slow" is not used: it failed while loading: it took longer than 30 seconds.'
    ])
  })

  nodeTest("keeps what a plugin opened until the run ends, and closes at once what is left out", function* () {
    const log: Array<string> = []
    const opening = (name: string, tools: Tools) =>
      definePlugin({
        name,
        tools: Effect.as(
          Effect.acquireRelease(
            Effect.sync(() => log.push(`open ${name}`)),
            () => Effect.sync(() => log.push(`close ${name}`))
          ),
          tools
        )
      })
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* openTools({ plugins: [opening("bad", { read_file: ping }), opening("good", { ping })] })
        expect(log).toStrictEqual(["open bad", "close bad", "open good"])
      })
    )
    expect(log).toStrictEqual(["open bad", "close bad", "open good", "close good"])
  })
})
