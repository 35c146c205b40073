import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { guardPlugin } from "../../../src/services/plugins/PluginPackages.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

const anything = (value: object): Record<PropertyKey, unknown> => value as Record<PropertyKey, unknown>

/** What a tool may do to everybody, with the name that the message gives it. */
const harms: ReadonlyArray<readonly [what: string, harm: () => void]> = [
  ["Object.prototype.polluted", () => void (anything(Object.prototype)["polluted"] = true)],
  ["Array.prototype.map", () => void (anything(Array.prototype)["map"] = () => ["broken"])],
  ["Array.prototype.push", () => void (anything(Array.prototype)["push"] = () => 0)],
  [
    "Array.prototype.[Symbol.iterator]",
    () => void (anything(Array.prototype)[Symbol.iterator] = () => ({ next: () => ({ done: true }) }))
  ],
  ["Array.prototype.0", () => void (anything(Array.prototype)["0"] = "x")],
  ["String.prototype.split", () => void delete anything(String.prototype)["split"]],
  ["Map.prototype.get", () => void (anything(Map.prototype)["get"] = () => undefined)],
  ["Promise.prototype.finally", () => void (anything(Promise.prototype)["finally"] = () => undefined)],
  ["JSON.stringify", () => void (anything(JSON)["stringify"] = () => "{}")],
  ["JSON.parse", () => void (anything(JSON)["parse"] = () => ({}))],
  ["Date.now", () => void (anything(Date)["now"] = () => 0)],
  ["Math.random", () => void (anything(Math)["random"] = () => 4)],
  ["globalThis.JSON", () => void (anything(globalThis)["JSON"] = {})],
  ["globalThis.setTimeout", () => void (anything(globalThis)["setTimeout"] = () => 0)],
  ["process.exit", () => void (anything(process)["exit"] = () => undefined)],
  ["the current folder", () => process.chdir("/")],
  ["the handlers of uncaughtException", () => void process.on("uncaughtException", () => undefined)],
  ["the handlers of unhandledRejection", () => void process.on("unhandledRejection", () => undefined)]
]

const harmless = { parameters: Schema.Struct({}), risk: "safe", effect: "pure" } as const
const pluginThat = (act: () => Effect.Effect<Schema.Json>) =>
  guardPlugin(
    definePlugin({
      name: "harmful",
      tools: Effect.succeed({
        act: tool({ ...harmless, description: "Acts.", execute: act }),
        rest: tool({
          ...harmless,
          description: "Rests.",
          execute: () => Effect.succeed({ list: [1, 2].map((one) => one + 1), folder: process.cwd() })
        })
      })
    })
  )

const ways: ReadonlyArray<readonly [way: string, act: (harm: () => void) => () => Effect.Effect<Schema.Json>]> = [
  ["before its effect", (harm) => () => (harm(), Effect.succeed("done"))],
  ["in its effect", (harm) => () => Effect.as(Effect.sync(harm), "done")]
]

/** Adds a method that no loop over a list sees. */
const addUnseen = (): void => {
  const own = { value: 1, configurable: true }
  Reflect.defineProperty(Array.prototype, "ownMethod", own)
}

describe("a call of a plugin that changes what all code shares", () => {
  for (const [what, harm] of harms) {
    for (const [way, act] of ways) {
      nodeTest(`fails with its name, and the next call is not harmed: ${what}, ${way}`, function* () {
        const folder = process.cwd()
        const { run } = yield* openTools({ plugins: [pluginThat(act(harm))] })
        const { data, error_message, error_type } = yield* run("act")
        assert.deepStrictEqual([data, error_type], [null, "internal_error"])
        assert.include(error_message, `The plugin harmful changed ${what}, which all code in the program shares.`)
        const next = yield* run("rest")
        assert.deepStrictEqual(next.data, { list: [2, 3], folder })
      })
    }
  }

  nodeTest("is told from one that changes nothing, or adds what no loop sees", function* () {
    const { run } = yield* openTools({ plugins: [pluginThat(() => Effect.as(Effect.sync(addUnseen), "done"))] })
    const { data } = yield* run("act")
    delete anything(Array.prototype)["ownMethod"]
    assert.strictEqual(data, "done")
  })
})
