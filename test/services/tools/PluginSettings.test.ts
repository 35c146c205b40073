/** What is set for plugins: their configurations. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as z from "zod"
import type { PluginConfig } from "../../../src/domain/configuration/Configuration.ts"
import { noteSecret } from "../../../src/services/runs/KnownSecrets.ts"
import type { SchemaSource } from "../../../src/domain/tools/SchemaSource.ts"
import type { CallContext } from "../../../src/services/tools/CallContext.ts"
import { definePlugin, type Plugin, tool } from "../../../src/services/tools/Plugin.ts"
import { openTools } from "../../support/OpenTools.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { liveTest } from "../../support/liveTest.ts"

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

const set = (plugin: Plugin, value: PluginConfig): Plugin => ({
  ...plugin,
  configuration: { value, source: "/home/you/config.json", path: ["plugins", 1, 1] }
})

/** What the tool says, or why the plugin is not used. */
const opened = Effect.fnUntraced(function* (plugin: Plugin) {
  const { registry, run } = yield* openTools({ plugins: [plugin] })
  const [problem] = registry.problems
  return problem === undefined ? (yield* run("options_of")).data : problem.message
})

const notUsed = 'The plugin "query" is not used: '

nodeTest("a plugin gets the configuration that is set, decoded, and says what it needs", function* () {
  const plugin = query(z.object({ table: z.string(), limit: z.int().default(10) }))
  expect(yield* opened(set(plugin, { table: "rows" }))).toStrictEqual({ table: "rows", limit: 10 })
  expect(yield* opened(set(plugin, { table: "rows", limit: "10", tabel: "x" }))).toBe(
    `${notUsed}its configuration in /home/you/config.json cannot be used: "plugins[1][1].tabel" is unknown here. Remove it, or correct its name. "plugins[1][1].limit" must be a number, but is a string. Write it without quotes.`
  )
  expect(yield* opened(plugin)).toBe(
    `${notUsed}it needs a configuration: "table" is missing. Add it. Write ["query", { ... }] in the place of its name.`
  )
})

describe("a configuration", () => {
  nodeTest("of a plugin that takes none is not ignored, and a schema that cannot be used is a fault", function* () {
    const plugin = definePlugin({ name: "query", tools: { options_of: optionsOf } })
    expect(yield* opened(set(plugin, { table: "rows" }))).toBe(
      `${notUsed}it takes no configuration, and /home/you/config.json has one for it ("plugins[1][1]").`
    )
    expect(yield* opened(query("table" as unknown as SchemaSource))).toBe(
      `${notUsed}its "config" is not a schema: neither of Effect, nor a Standard Schema, nor a JSON schema.`
    )
  })

  nodeTest("is given to the function that opens the tools, with its type", function* () {
    const plugin = definePlugin({
      name: "query",
      config: z.object({ table: z.string() }),
      tools: ({ config: { table } }) => ({
        options_of: tool({ ...optionsOf, execute: async () => table.toUpperCase() })
      })
    })
    expect(yield* opened(set(plugin, { table: "rows" }))).toBe("ROWS")
  })
})

const value = "s3cret-of-the-plugin"
const sending = (act: (call: CallContext) => Promise<Schema.Json>): Plugin =>
  definePlugin({
    name: "query",
    secrets: { QUERY_KEY: "To read the table." },
    tools: { options_of: { ...optionsOf, execute: (_, call) => act(call) } }
  })
const given = (plugin: Plugin): Plugin => {
  noteSecret(value)
  return { ...plugin, secretValues: new Map([["QUERY_KEY", Result.succeed(value)]]) }
}
const result = Effect.fnUntraced(function* (plugin: Plugin) {
  const { log, registry, run } = yield* openTools({ plugins: [plugin] })
  const outcome = yield* run("options_of")
  return {
    ...outcome,
    events: JSON.stringify(log.events()),
    problems: registry.problems.map(({ message }) => message)
  }
})

describe("a secret", () => {
  liveTest("reaches its tool, and neither the model nor an event", function* () {
    const { data, error_message, events, log, problems } = yield* result(
      given(
        sending(async ({ log: note, progress, secret }) => {
          const key = secret("QUERY_KEY")
          progress(`with ${key}`)
          note(`sent ${key}`)
          await new Promise((resolve) => setTimeout(resolve, 50))
          return { length: key.length, header: `Bearer ${key}`, [key]: 1 }
        })
      )
    )
    expect([data, error_message, log, problems]).toStrictEqual([
      { length: value.length, header: "Bearer [redacted]", "[redacted]": 1 },
      null,
      ["sent [redacted]"],
      []
    ])
    expect(events).toContain("with [redacted]")
    expect(events).not.toContain(value)
  })

  liveTest("is in no error of its tool", function* () {
    const { error_message } = yield* result(
      given(sending(async ({ secret }) => Promise.reject(new Error(`401 for ${secret("QUERY_KEY")}`))))
    )
    expect(error_message).toBe("The tool options_of of query failed: 401 for [redacted]")
  })

  liveTest("that is missing is said at the start, and by the call that needs it", function* () {
    const { error_message, error_type, problems } = yield* result(sending(async ({ secret }) => secret("QUERY_KEY")))
    const why = "the secret QUERY_KEY is missing (To read the table): set the environment variable QUERY_KEY."
    expect(problems).toStrictEqual([`The plugin "query" is used, but ${why}`])
    expect([error_type, error_message]).toStrictEqual(["not_found", `T${why.slice(1)}`])
  })

  liveTest("that is not declared is a fault of the plugin", function* () {
    const { error_message, error_type } = yield* result(given(sending(async ({ secret }) => secret("OTHER_KEY"))))
    const fault = 'The plugin query does not declare the secret OTHER_KEY in "secrets". This is a fault of the plugin.'
    expect([error_type, error_message]).toStrictEqual(["internal_error", fault])
  })

  liveTest.each([{ "my key": "What for." }, { KEY: "" }, ["KEY"], "KEY"])(
    "is declared by a name and a purpose: %s",
    function* (secrets) {
      const plugin = { ...sending(async () => null), secrets: secrets as unknown as Record<string, string> }
      const { registry } = yield* openTools({ plugins: [plugin] })
      expect(registry.problems[0]?.message ?? "").toMatch(/^The plugin "query" is not used: its (?:"secrets"|secret) /)
    }
  )
})
