/** What is set for plugins: their configurations. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as z from "zod"
import type { PluginConfig } from "../../../src/domain/configuration/Configuration.ts"
import type { SchemaSource } from "../../../src/domain/tools/SchemaSource.ts"
import type { CallContext } from "../../../src/services/tools/CallContext.ts"
import { definePlugin, type Plugin, tool } from "../../../src/services/tools/Plugin.ts"
import { openTools } from "../../support/OpenTools.ts"

interface Options {
  readonly table: string
  readonly limit: number
}

const optionsOf = tool({
  description: "Says what it is set to.",
  parameters: { type: "object", properties: {} },
  risk: "safe",
  effect: "pure",
  execute: async (_, { config }: CallContext<Options>) => ({ ...config })
})

const query = (config: SchemaSource): Plugin =>
  definePlugin({ name: "query", config, tools: { options_of: optionsOf } })

const schemas: ReadonlyArray<readonly [name: string, config: SchemaSource]> = [
  [
    "a schema of Effect",
    Schema.Struct({ table: Schema.String, limit: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(10))) })
  ],
  ["a schema of zod", z.object({ table: z.string(), limit: z.int().default(10) })],
  [
    "a JSON schema",
    {
      type: "object",
      properties: { table: { type: "string" }, limit: { type: "integer" } },
      required: ["table"]
    }
  ]
]

const set = (plugin: Plugin, value: PluginConfig): Plugin => ({
  ...plugin,
  given: { value, source: "/home/you/config.json", path: ["plugins", 1, 1] }
})

/** What the tool says, or why the plugin is not used. */
const opened = (plugin: Plugin) =>
  Effect.gen(function* () {
    const { registry, run } = yield* openTools({ plugins: [plugin] })
    const [problem] = registry.problems
    return problem === undefined ? (yield* run("options_of")).data : problem.message
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe.each(schemas)("a plugin whose configuration is %s", (name, config) => {
  it.effect("gets what is set, decoded", () =>
    Effect.gen(function* () {
      const value: PluginConfig = name === "a JSON schema" ? { table: "rows", limit: 10 } : { table: "rows" }
      assert.deepStrictEqual(yield* opened(set(query(config), value)), { table: "rows", limit: 10 })
    })
  )

  it.effect("is left out with the file, the path of the value, and what is expected", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* opened(set(query(config), { table: "rows", limit: "10", tabel: "x" })),
        'The plugin "query" is not used: its configuration in /home/you/config.json cannot be used: "plugins[1][1].tabel" is unknown here. Remove it, or correct its name. "plugins[1][1].limit" must be a number, but is a string. Write it without quotes.'
      )
    })
  )

  it.effect("says what it needs when nothing is set", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* opened(query(config)),
        'The plugin "query" is not used: it needs a configuration: "table" is missing. Add it. Write ["query", { ... }] in the place of its name.'
      )
    })
  )
})

describe("a configuration", () => {
  it.effect("of a plugin that takes none is not ignored", () =>
    Effect.gen(function* () {
      const plugin = definePlugin({ name: "query", tools: { options_of: optionsOf } })
      assert.strictEqual(
        yield* opened(set(plugin, { table: "rows" })),
        'The plugin "query" is not used: it takes no configuration, and /home/you/config.json has one for it ("plugins[1][1]").'
      )
    })
  )

  it.effect("with a schema that cannot be used is a fault of the plugin", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* opened(query("table" as unknown as SchemaSource)),
        'The plugin "query" is not used: its "config" is not a schema: neither of Effect, nor a Standard Schema, nor a JSON schema.'
      )
    })
  )

  it.effect("is given to the function that opens the tools, with its type", () =>
    Effect.gen(function* () {
      const plugin = definePlugin({
        name: "query",
        config: z.object({ table: z.string() }),
        tools: ({ config: { table } }) => ({
          options_of: tool({ ...optionsOf, execute: async () => table.toUpperCase() })
        })
      })
      assert.strictEqual(yield* opened(set(plugin, { table: "rows" })), "ROWS")
    })
  )
})
