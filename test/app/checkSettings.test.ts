/**
 * Who names a check has allowed it: a person by a flag or in their own configuration, never a project and never a journal.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { readSetup, savedSettings } from "../../src/app/setup.ts"
import { checkConfiguration } from "../../src/cli/run/runFlags.ts"
import type { Configuration } from "../../src/domain/configuration/Configuration.ts"
import { ruleText } from "../../src/domain/permissions/Permission.ts"
import { configurationOf } from "../../src/library/programSettings.ts"
import { environmentOf } from "../support/binary.ts"
import { makeFolder, putFiles } from "../support/Project.ts"
import { nodeTest } from "../support/nodeTest.ts"

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

nodeTest("of a project are known, and asked about", function* () {
  const setup = yield* setupOf({ project: { checks: ["npm test"] } })
  assert.deepStrictEqual([setup.checks, setup.rules], [["npm test"], []])
})

nodeTest("of a person are allowed, and take the place of those of the project", function* () {
  const own = yield* setupOf({ project: { checks: ["evil"] }, user: { checks: [["npm", "test"]] } })
  assert.deepStrictEqual([own.checks, own.rules], [[["npm", "test"]], [rule]])
  const flagged = yield* setupOf({ user: { checks: ["make"] }, given: flags(["npm test"]) })
  assert.deepStrictEqual(flagged.checks, ["npm test"])
  assert.include(flagged.rules, rule)
})

nodeTest("are off with a flag or in a configuration, and else stay those of the configuration", function* () {
  assert.isFalse((yield* setupOf({ user: { checks: ["make"] }, given: flags([], true) })).checks)
  assert.isFalse((yield* setupOf({ project: { checks: false } })).checks)
  assert.deepStrictEqual((yield* setupOf({ user: { checks: ["make"] }, given: flags([]) })).checks, ["make"])
})

nodeTest("are saved with the run, without the permission", function* () {
  const { saved } = yield* setupOf({ given: flags(["npm test"]) })
  assert.deepStrictEqual(saved.checks, ["npm test"])
  assert.deepStrictEqual((yield* setupOf({ given: saved })).rules, [])
})

it("of a script are allowed beside its rules", () => {
  assert.deepStrictEqual(configurationOf({ checks: ["npm test"], allow: ["read_file"] }).allow, ["read_file", rule])
  assert.isUndefined(configurationOf({ checks: false }).allow)
})

nodeTest("that only a shell could run are refused with the reason", function* () {
  const { message } = yield* Effect.flip(setupOf({ project: { checks: ["a && b"] } }))
  assert.include(message, "only a shell understands")
})
