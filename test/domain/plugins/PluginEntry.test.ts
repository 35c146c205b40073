import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { isLocalPath, isPackageName, PluginText } from "../../../src/domain/plugins/PluginEntry.ts"

describe("PluginText", () => {
  it("tells packages from paths", () => {
    const packages = ["words", "task-conductor-plugin-words", "@some-team/words.js", "a".repeat(214)]
    const paths = ["./words.ts", "../words", "/opt/words.mjs", "C:\\words.js", ".\\words.js"]
    for (const text of [...packages, ...paths]) {
      assert.deepStrictEqual(
        [isPackageName(text), isLocalPath(text)],
        [packages.includes(text), paths.includes(text)],
        text
      )
    }
  })

  it("refuses what is neither, with what was expected", () => {
    const read = Schema.decodeUnknownResult(PluginText)
    for (const text of ["", "Words", "words.ts/x", "words sha256:1", "@team", "node:fs", "a".repeat(215), ".hidden"]) {
      assert.strictEqual(read(text)._tag, "Failure", text)
    }
    assert.match(String(read("Words")), /expected the name of an npm package, or a path that begins with/)
  })
})
