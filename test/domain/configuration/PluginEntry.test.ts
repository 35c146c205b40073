import * as Schema from "effect/Schema"
import { assert, it } from "@effect/vitest"
import { isPackageName, PluginText } from "../../../src/domain/configuration/Configuration.ts"

const read = Schema.decodeUnknownResult(PluginText)

it("tells packages from paths", () => {
  const packages = ["words", "task-conductor-plugin-words", "@some-team/words.js", "a".repeat(214)]
  const paths = ["./words.ts", "../words", "/opt/words.mjs", "C:\\words.js", ".\\words.js"]
  for (const text of [...packages, ...paths]) {
    assert.deepStrictEqual([isPackageName(text), read(text)._tag], [packages.includes(text), "Success"], text)
  }
})

it("refuses what is neither, with what was expected", () => {
  for (const text of ["", "Words", "words.ts/x", "words sha256:1", "@team", "node:fs", "a".repeat(215), ".hidden"]) {
    assert.strictEqual(read(text)._tag, "Failure", text)
  }
  assert.match(String(read("Words")), /Write the name of an npm package, or a path that begins with/)
})
