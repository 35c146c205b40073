import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { TestClock } from "effect/testing"
import { type RememberedRule } from "../../../src/domain/permissions/PolicyFormat.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"

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

const problemOf = (path: string, owner?: number) =>
  withPolicies(path, (policies) => Effect.succeed(policies.rejection?.problem), owner)

describe("Policies.layer", () => {
  it.effect("has no rules when there is no file, and makes none", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* freshPath
      assert.deepStrictEqual(yield* withPolicies(path, (policies) => policies.rules), [])
      assert.isFalse(yield* fs.exists(path))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("remembers a rule for the next run, readable by nobody else", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* freshPath
      const now = yield* withPolicies(path, (policies) => Effect.andThen(policies.remember(rule), policies.rules))
      assert.deepStrictEqual(now, [kept])
      assert.deepStrictEqual(yield* withPolicies(path, (policies) => policies.rules), [kept])
      assert.strictEqual((yield* fs.stat(path)).mode & 0o777, 0o600)
      const folder = path.slice(0, path.lastIndexOf("/"))
      assert.strictEqual((yield* fs.stat(folder)).mode & 0o777, 0o700)
      assert.deepStrictEqual(yield* fs.readDirectory(folder), ["policies.json"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("stores the same rule once", () =>
    Effect.gen(function* () {
      const path = yield* freshPath
      const rules = yield* withPolicies(path, (policies) =>
        Effect.all([policies.remember(rule), policies.remember(rule)]).pipe(Effect.andThen(policies.rules))
      )
      assert.deepStrictEqual(rules, [kept])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("keeps the definition of a tool and puts a newer answer for it in the place of the older one", () =>
    Effect.gen(function* () {
      const path = yield* freshPath
      const newer = { origin: "word-count@2.0.0", definition: "b".repeat(64) }
      yield* withPolicies(path, (policies) =>
        Effect.gen(function* () {
          yield* policies.remember({ ...rule, pin })
          yield* TestClock.adjust("1 day")
          yield* policies.remember({ ...rule, pin: newer })
        })
      )
      assert.deepStrictEqual(yield* withPolicies(path, (policies) => policies.rules), [
        { ...rule, pin: newer, rememberedAt: "1970-01-02T00:00:00.000Z" }
      ])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("keeps what another process remembered meanwhile, but does not follow it in this run", () =>
    Effect.gen(function* () {
      const path = yield* freshPath
      const mine = yield* withPolicies(path, (policies) =>
        put(path, JSON.stringify({ version: 1, rules: [other] })).pipe(
          Effect.andThen(policies.remember(rule)),
          Effect.andThen(policies.rules),
          Effect.provide(NodeServices.layer)
        )
      )
      assert.deepStrictEqual(mine, [kept])
      assert.deepStrictEqual(yield* withPolicies(path, (policies) => policies.rules), [other, kept])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("revokes a rule and says whether it was there", () =>
    Effect.gen(function* () {
      const path = yield* freshPath
      yield* put(path, JSON.stringify({ version: 1, rules: [rule, other] }))
      const answers = yield* withPolicies(path, (policies) =>
        Effect.all([policies.revoke(rule), policies.revoke(rule)])
      )
      assert.deepStrictEqual(answers, [true, false])
      assert.deepStrictEqual(yield* withPolicies(path, (policies) => policies.rules), [other])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  const entry = '{ "verdict": "allow", "tool": "read_file" }'
  const damages: ReadonlyArray<[name: string, text: string, problem: string]> = [
    ["cut off", '{ "version": 1,', "line 1, column 16: property name expected"],
    ["empty", "", "line 1, column 1"],
    ["an empty object", "{}", 'line 1, column 1: "version": Missing key'],
    ["an array", "[]", "line 1, column 1: the file: Expected object"],
    ["of another version", '{ "version": 2, "rules": [] }', 'line 1, column 3: "version": Expected 1'],
    [
      "with an unknown field",
      '{ "version": 1, "rules": [], "all": true }',
      'unknown key "all". Remove it, or correct its name'
    ],
    [
      "with an unknown field in a rule",
      `{\n "version": 1, "rules": [{ "verdict": "allow", "tool": "read_file", "patern": "a" }] }`,
      'line 2, column 69: unknown key "rules[0].patern". Remove it, or correct its name'
    ],
    ["with a repeated key", `{ "version": 1, "rules": [], "rules": [${entry}] }`, "line 1"],
    [
      "that allows every tool",
      '{ "version": 1, "rules": [{ "verdict": "allow", "tool": "*" }] }',
      '"*" is not a tool name'
    ],
    [
      "with a definition that is no hash",
      `{ "version": 1, "rules": [{ "verdict": "allow", "tool": "a", "pin": { "origin": "x", "definition": "1" } }] }`,
      '"rules[0].pin.definition": Expected a SHA-256 in hex'
    ],
    [
      "with a time that is none",
      `{ "version": 1, "rules": [{ "verdict": "allow", "tool": "a", "rememberedAt": "yesterday" }] }`,
      '"rules[0].rememberedAt": Expected a time in UTC'
    ],
    ...["write_file", "edit_file", "run_command", "load_plugin", "start_server"].flatMap((tool) =>
      ["", "*", "**", "**/*", "./**", "/**", "*.*"].map((pattern): [string, string, string] => [
        `that allows ${tool} for ${pattern === "" ? "everything" : pattern}`,
        JSON.stringify({ version: 1, rules: [{ verdict: "allow", tool, ...(pattern === "" ? {} : { pattern }) }] }),
        `A remembered permission for ${tool} must name what it allows.`
      ])
    ),
    [
      "with a pattern that leads out of the project",
      '{ "version": 1, "rules": [{ "verdict": "allow", "tool": "a", "pattern": "../b" }] }',
      'The pattern "../b" holds ".."'
    ]
  ]
  for (const [name, text, problem] of damages) {
    it.effect(`does not use a file ${name}, says where, and never overwrites it`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* freshPath
        yield* put(path, text)
        yield* withPolicies(path, (policies) =>
          Effect.gen(function* () {
            assert.include(policies.rejection?.problem, problem)
            assert.deepStrictEqual(yield* policies.rules, [])
            const failed = yield* Effect.flip(policies.remember(rule))
            assert.strictEqual(failed.problem, policies.rejection?.problem)
            assert.deepStrictEqual(yield* policies.rules, [])
          })
        )
        assert.strictEqual(yield* fs.readFileString(path), text)
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }

  it.effect("uses a file that allows a write by name and forbids all others", () =>
    Effect.gen(function* () {
      const path = yield* freshPath
      const rules: ReadonlyArray<RememberedRule> = [
        { verdict: "allow", tool: "write_file", pattern: "docs/**" },
        { verdict: "deny", tool: "run_command", pattern: "**" },
        { verdict: "ask", tool: "edit_file" }
      ]
      yield* put(path, JSON.stringify({ version: 1, rules }))
      assert.deepStrictEqual(yield* withPolicies(path, (policies) => policies.rules), rules)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  const fine = `{ "version": 1, "rules": [${entry}] }`
  for (const mode of [0o620, 0o602, 0o666]) {
    it.effect(`does not use a file of mode ${mode.toString(8)}`, () =>
      Effect.gen(function* () {
        const path = yield* freshPath
        yield* put(path, fine, mode)
        yield* withPolicies(path, (policies) =>
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* policies.rules, [])
            assert.strictEqual(
              policies.rejection?.message,
              `The remembered permissions in ${path} are not used: other users can write the file. Check its content, then run: chmod 600 ${path}`
            )
          })
        )
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }

  it.effect("does not use a link, a folder, or a file of another user", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* freshPath
      yield* put(`${path}.real`, fine)
      yield* fs.symlink(`${path}.real`, path)
      assert.strictEqual(yield* problemOf(path), "the file is a link")
      assert.strictEqual(yield* problemOf(path.slice(0, path.lastIndexOf("/"))), "it is not a regular file")
      assert.strictEqual(yield* problemOf(`${path}.real`, 4_000_000_000), "the file belongs to another user")
      assert.isUndefined(yield* problemOf(`${path}.real`))
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("Policies.layerMemory", () => {
  it.effect("begins with the given rules and remembers without a file", () =>
    Effect.gen(function* () {
      const policies = yield* Policies
      yield* policies.remember(rule)
      assert.deepStrictEqual(yield* policies.rules, [other, kept])
      assert.isTrue(yield* policies.revoke(other))
      assert.deepStrictEqual(yield* policies.rules, [kept])
    }).pipe(Effect.provide(Policies.layerMemory([other])))
  )
})
