/**
 * Who names a check has allowed it: a person by a flag or in their own configuration, never a project and never a journal.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readSetup, savedSettings } from "../../src/app/setup.ts"
import { checkConfiguration } from "../../src/cli/run/runFlags.ts"
import type { Configuration } from "../../src/domain/configuration/Configuration.ts"
import { ruleText } from "../../src/domain/permissions/Permission.ts"
import { configurationOf } from "../../src/library/programSettings.ts"
import { environmentOf } from "../support/binary.ts"
import { makeFolder, putFiles } from "../support/Project.ts"

const setupOf = Effect.fnUntraced(
  function* ({ given = {}, project = {}, user = {} }: { given?: Configuration; project?: object; user?: object }) {
    const root = yield* makeFolder
    yield* putFiles(root, {
      "project/task-conductor.json": JSON.stringify(project),
      "config/task-conductor/config.json": JSON.stringify(user),
      "home/.keep": ""
    })
    const env = environmentOf(root, {})
    const setup = yield* readSetup(`${root}/project`, given).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    )
    return { checks: setup.settings.checks, rules: setup.rules.map(ruleText), saved: savedSettings(setup) }
  },
  Effect.scoped,
  Effect.provide(NodeServices.layer)
)

const flags = (check: ReadonlyArray<string>, noCheck = false) =>
  checkConfiguration({ check: [...check], noCheck, askFirst: false })
const rule = "run_command:(no sandbox) npm test"

describe("checks", () => {
  it.effect("of a project are known, and asked about", () =>
    Effect.gen(function* () {
      const setup = yield* setupOf({ project: { checks: ["npm test"] } })
      assert.deepStrictEqual([setup.checks, setup.rules], [["npm test"], []])
    })
  )

  it.effect("of a person are allowed, and take the place of those of the project", () =>
    Effect.gen(function* () {
      const own = yield* setupOf({ project: { checks: ["evil"] }, user: { checks: [["npm", "test"]] } })
      assert.deepStrictEqual([own.checks, own.rules], [[["npm", "test"]], [rule]])
      const flagged = yield* setupOf({ user: { checks: ["make"] }, given: flags(["npm test"]) })
      assert.deepStrictEqual(flagged.checks, ["npm test"])
      assert.include(flagged.rules, rule)
    })
  )

  it.effect("are off with a flag, or in a configuration", () =>
    Effect.gen(function* () {
      assert.isFalse((yield* setupOf({ user: { checks: ["make"] }, given: flags([], true) })).checks)
      assert.isFalse((yield* setupOf({ project: { checks: false } })).checks)
    })
  )

  it.effect("stay those of the configuration without a flag", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* setupOf({ user: { checks: ["make"] }, given: flags([]) })).checks, ["make"])
    })
  )

  it.effect("are saved with the run, without the permission", () =>
    Effect.gen(function* () {
      const { saved } = yield* setupOf({ given: flags(["npm test"]) })
      assert.deepStrictEqual(saved.checks, ["npm test"])
      assert.deepStrictEqual((yield* setupOf({ given: saved })).rules, [])
    })
  )

  it("of a script are allowed beside its rules", () => {
    assert.deepStrictEqual(configurationOf({ checks: ["npm test"], allow: ["read_file"] }).allow, ["read_file", rule])
    assert.isUndefined(configurationOf({ checks: false }).allow)
  })

  it.effect("that only a shell could run are refused with the reason", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.result(setupOf({ project: { checks: ["a && b"] } }))
      assert.isTrue(Result.isFailure(refused))
      assert.include(Result.isFailure(refused) ? refused.failure.message : "", "only a shell understands")
    })
  )
})
