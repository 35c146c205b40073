import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { journalKey } from "../../../src/services/journal/JournalSeal.ts"
import { makeFolder } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const hex = "0f".repeat(32)

const putWithMode = (mode: number) => (file: string) => {
  writeFileSync(file, hex)
  chmodSync(file, mode)
}

const unusable: ReadonlyArray<readonly [what: string, put: (file: string) => void]> = [
  ["is empty", (file) => writeFileSync(file, "", { mode: 0o600 })],
  ["is too short", (file) => writeFileSync(file, hex.slice(2), { mode: 0o600 })],
  ["is too long", (file) => writeFileSync(file, `${hex}${hex}`, { mode: 0o600 })],
  ["holds something else", (file) => writeFileSync(file, "x".repeat(64), { mode: 0o600 })],
  ["is a folder", (file) => mkdirSync(file)],
  ["is a link to a key", (file) => symlinkSync(`${file}.other`, file)],
  ["can be read by the group", putWithMode(0o640)],
  ["can be written by everybody", putWithMode(0o602)]
]

describe("the key of a person", () => {
  nodeTest("is made once, whoever needs it at the same time, and only its person can read it", function* () {
    const folder = `${yield* makeFolder}/state/task-conductor`
    const file = `${folder}/journal.key`
    assert.deepStrictEqual(yield* journalKey(file, "read"), { problem: "it is not there" })
    const made = yield* Effect.all(
      Array.from({ length: 12 }, () => journalKey(file, "write")),
      { concurrency: "unbounded" }
    )
    const key = Buffer.from(readFileSync(file, "utf8").trim(), "hex")
    assert.strictEqual(key.length, 32)
    for (const one of made) assert.deepStrictEqual(one, { key })
    assert.deepStrictEqual(yield* journalKey(file, "read"), { key })
    assert.deepStrictEqual([readdirSync(folder), statSync(file).mode & 0o777], [["journal.key"], 0o600])
    assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
  })

  for (const [what, put] of unusable) {
    nodeTest(`is not used, and not replaced, when its file ${what}`, function* () {
      const file = `${yield* makeFolder}/journal.key`
      writeFileSync(`${file}.other`, hex, { mode: 0o600 })
      put(file)
      const before = readdirSync(dirname(file))
      for (const use of ["read", "write"] as const) {
        const found = yield* journalKey(file, use)
        assert.include("problem" in found ? found.problem : "", "Remove it")
      }
      assert.deepStrictEqual(readdirSync(dirname(file)), before)
    })
  }
})
