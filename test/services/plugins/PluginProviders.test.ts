/** Providers of models that a plugin makes of its configuration and its secrets. */
import { assert, describe } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { providersOf } from "../../../src/services/plugins/PluginProviders.ts"
import { knownSecrets } from "../../../src/services/runs/KnownSecrets.ts"
import type { Provider } from "../../../src/services/providers/Provider.ts"
import { withSecrets } from "../../../src/services/plugins/PluginPackages.ts"
import { missingSecrets } from "../../../src/services/tools/PluginSettings.ts"
import { definePlugin, type Plugin, type ProviderSource } from "../../../src/services/tools/Plugin.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const config = { type: "object", properties: { url: { type: "string" } }, required: ["url"] } as const

const provider = (url: string): Provider => ({
  id: "cloud",
  server: {
    read: () => url,
    save: () => ({}),
    problem: () => undefined,
    source: "url",
    remedy: "Start it.",
    keyVariable: "CLOUD_KEY"
  },
  model: () => Layer.empty as never
})

const cloud = (providers: ProviderSource<{ readonly url: string }>): Plugin =>
  definePlugin({
    name: "cloud",
    config,
    secrets: { CLOUD_KEY: { use: "Is sent to the server.", optional: true }, OTHER_KEY: "Is needed." },
    providers
  })

const set = (plugin: Plugin, value: Readonly<Record<string, string | number>>): Plugin => ({
  ...plugin,
  configuration: { value, source: "/home/you/config.json", path: ["plugins", 0, 1] }
})

const url = "http://127.0.0.1:1"

const read = (plugin: Plugin, secrets: Readonly<Record<string, string>> = {}) =>
  withSecrets(plugin, (name) =>
    Effect.succeed(secrets[name] === undefined ? Result.fail(`set ${name}`) : Result.succeed(secrets[name]))
  ).pipe(Effect.provide(NodeServices.layer))

const configured = (providers: ProviderSource<{ readonly url: string }>) => set(cloud(providers), { url })

const throwing = () => {
  throw new Error("no such region")
}

describe("the providers of a plugin", () => {
  nodeTest("are made of its configuration, and have the key of its secret, which is kept out of texts", function* () {
    const key = "key-of-the-cloud-server"
    const plugin = yield* read(
      configured(({ config }) => [provider(config.url)]),
      { CLOUD_KEY: key }
    )
    const [made] = Result.getOrThrow(providersOf(plugin))
    assert.deepStrictEqual([made?.server?.read({}), made?.key && Redacted.value(made.key)], [url, key])
    assert.include(knownSecrets(), key)
  })

  nodeTest("have no key when an optional secret is missing, which is not reported", function* () {
    let given: string | undefined
    const plugin = yield* read(
      configured(({ config: { url: host }, secret }) => {
        given = secret("CLOUD_KEY")
        return [provider(host)]
      })
    )
    const [made] = Result.getOrThrow(providersOf(plugin))
    assert.deepStrictEqual([made?.key, given], [undefined, ""])
    assert.deepStrictEqual(missingSecrets(plugin), ["the secret OTHER_KEY is missing (Is needed): set OTHER_KEY."])
  })

  nodeTest("may be a list, as before", function* () {
    const plugin = yield* read(configured([provider(url)]))
    assert.strictEqual(Result.getOrThrow(providersOf(plugin))[0]?.id, "cloud")
  })

  const broken: ReadonlyArray<readonly [name: string, plugin: Plugin, why: string]> = [
    ["a configuration is wrong", set(cloud([]), { url: 1 }), '"plugins[0][1].url" must be a string'],
    ["a configuration is missing", cloud([]), "it needs a configuration"],
    [
      "a secret that is needed is missing",
      configured(({ secret }) => [provider(secret("OTHER_KEY"))]),
      "its providers cannot be made: The secret OTHER_KEY is missing (Is needed): set OTHER_KEY."
    ],
    ["the function throws", configured(throwing), "its providers cannot be made: no such region"],
    [
      "the function gives something else",
      configured(() => [{ id: "Cloud" }] as never),
      'its "providers" are no list of providers.'
    ]
  ]
  nodeTest.each(broken)("are left out with the reason when %s", function* ([, plugin, why]) {
    const problem = Result.getOrThrow(Result.flip(providersOf(yield* read(plugin))))
    assert.include(problem.message, 'The plugin "cloud" is not used: ')
    assert.include(problem.message, why)
  })
})
