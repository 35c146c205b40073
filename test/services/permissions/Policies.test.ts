import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { TestClock } from "effect/testing"
import { type RememberedRule } from "../../../src/domain/permissions/PolicyFormat.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const rule: RememberedRule = { verdict: "allow", tool: "read_file", pattern: "/p/README.md" }
const other: RememberedRule = { verdict: "deny", tool: "fetch_url" }
/** As the clock of a test begins. */
const kept: RememberedRule = { ...rule, rememberedAt: "1970-01-01T00:00:00.000Z" }
const pin = { origin: "word-count@1.0.0", definition: "a".repeat(64) }

/** A path in a fresh folder, below a folder that does not exist yet. */
const freshPath = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return `${yield* fs.makeTempDirectoryScoped()}/config/policies.json`
})

const put = Effect.fnUntraced(function* (path: string, text: string, mode = 0o600) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(path.slice(0, path.lastIndexOf("/")), { recursive: true })
  yield* fs.writeFileString(path, text)
  yield* fs.chmod(path, mode)
})

const withPolicies = <A, E>(
  path: string,
  use: (policies: Policies["Service"]) => Effect.Effect<A, E>,
  owner?: number
) => Effect.provide(Policies.use(use), Policies.layer(path, owner))

const rulesOf = (path: string) => withPolicies(path, (policies) => policies.rules)
const problemOf = (path: string, owner?: number) =>
  withPolicies(path, (policies) => Effect.succeed(policies.rejection?.problem), owner)

/** The text of a file of policies with these rules. */
const fileOf = (...rules: ReadonlyArray<object>): string => JSON.stringify({ version: 1, rules })

nodeTest("has no rules when there is no file, and makes none", function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* freshPath
  assert.deepStrictEqual([yield* rulesOf(path), yield* fs.exists(path)], [[], false])
})

nodeTest("remembers a rule once for the next run, readable by nobody else", function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* freshPath
  const now = yield* withPolicies(path, (policies) =>
    Effect.all([policies.remember(rule), policies.remember(rule)]).pipe(Effect.andThen(policies.rules))
  )
  assert.deepStrictEqual([now, yield* rulesOf(path)], [[kept], [kept]])
  const folder = path.slice(0, path.lastIndexOf("/"))
  const modes = yield* Effect.forEach([path, folder], (one) => Effect.map(fs.stat(one), ({ mode }) => mode & 0o777))
  assert.deepStrictEqual([modes, yield* fs.readDirectory(folder)], [[0o600, 0o700], ["policies.json"]])
})

nodeTest("keeps the definition of a tool and puts a newer answer for it in the place of the older one", function* () {
  const path = yield* freshPath
  const newer = { origin: "word-count@2.0.0", definition: "b".repeat(64) }
  yield* withPolicies(path, (policies) => policies.remember({ ...rule, pin }))
  yield* TestClock.adjust("1 day")
  yield* withPolicies(path, (policies) => policies.remember({ ...rule, pin: newer }))
  assert.deepStrictEqual(yield* rulesOf(path), [{ ...rule, pin: newer, rememberedAt: "1970-01-02T00:00:00.000Z" }])
})

nodeTest("keeps what another process remembered meanwhile, but does not follow it in this run", function* () {
  const path = yield* freshPath
  const mine = yield* withPolicies(path, (policies) =>
    put(path, fileOf(other)).pipe(
      Effect.andThen(policies.remember(rule)),
      Effect.andThen(policies.rules),
      Effect.provide(NodeServices.layer)
    )
  )
  assert.deepStrictEqual([mine, yield* rulesOf(path)], [[kept], [other, kept]])
})

nodeTest("revokes a rule and says whether it was there", function* () {
  const path = yield* freshPath
  yield* put(path, fileOf(rule, other))
  const answers = yield* withPolicies(path, (policies) => Effect.all([policies.revoke(rule), policies.revoke(rule)]))
  assert.deepStrictEqual([answers, yield* rulesOf(path)], [[true, false], [other]])
})

const allowed = { verdict: "allow", tool: "read_file" }
const damages: ReadonlyArray<readonly [name: string, text: string, problem: string]> = [
  ["cut off", '{ "version": 1,', "line 1, column 16: property name expected"],
  ["empty", "", "line 1, column 1"],
  ["an empty object", "{}", 'line 1, column 1: "version": Missing key'],
  ["of another version", '{ "version": 2, "rules": [] }', 'line 1, column 3: "version": Expected 1'],
  ["with an unknown field", '{ "version": 1, "rules": [], "all": true }', 'unknown key "all". Remove it, or correct'],
  [
    "with an unknown field in a rule",
    fileOf({ ...allowed, patern: "a" }).replace('"rules"', '\n "rules"'),
    'line 2, column 49: unknown key "rules[0].patern". Remove it, or correct its name'
  ],
  ["with a repeated key", '{ "version": 1, "rules": [], "rules": [] }', "line 1"],
  ["that allows every tool", fileOf({ ...allowed, tool: "*" }), '"*" is not a tool name'],
  [
    "with a definition that is no hash",
    fileOf({ ...allowed, pin: { origin: "x", definition: "1" } }),
    '"rules[0].pin.definition": Expected a SHA-256 in hex'
  ],
  [
    "with a time that is none",
    fileOf({ ...allowed, rememberedAt: "yesterday" }),
    '"rules[0].rememberedAt": Expected a time in UTC'
  ],
  [
    "that allows every write",
    fileOf({ ...allowed, tool: "write_file" }),
    "A remembered permission for write_file must name what it allows."
  ]
]
for (const [name, text, problem] of damages) {
  nodeTest(`does not use a file ${name}, says where, and never overwrites it`, function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* freshPath
    yield* put(path, text)
    const [rejection, failed, rules] = yield* withPolicies(path, (policies) =>
      Effect.all([Effect.succeed(policies.rejection), Effect.flip(policies.remember(rule)), policies.rules])
    )
    assert.include(rejection?.problem, problem)
    assert.deepStrictEqual([failed.problem, rules], [rejection?.problem, []])
    assert.strictEqual(yield* fs.readFileString(path), text)
  })
}

for (const mode of [0o620, 0o602, 0o666]) {
  nodeTest(`does not use a file of mode ${mode.toString(8)}`, function* () {
    const path = yield* freshPath
    yield* put(path, fileOf(allowed), mode)
    const rejection = yield* withPolicies(path, (policies) => Effect.succeed(policies.rejection))
    const detail = `other users can write the file. Check its content, then run: chmod 600 ${path}`
    assert.strictEqual(rejection?.message, `The remembered permissions in ${path} are not used: ${detail}`)
    assert.deepStrictEqual(yield* rulesOf(path), [])
  })
}

nodeTest("does not use a link, a folder, or a file of another user", function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* freshPath
  yield* put(`${path}.real`, fileOf(allowed))
  yield* fs.symlink(`${path}.real`, path)
  assert.strictEqual(yield* problemOf(path), "the file is a link")
  assert.strictEqual(yield* problemOf(path.slice(0, path.lastIndexOf("/"))), "it is not a regular file")
  assert.strictEqual(yield* problemOf(`${path}.real`, 4_000_000_000), "the file belongs to another user")
  assert.isUndefined(yield* problemOf(`${path}.real`))
})
