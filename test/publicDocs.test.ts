/**
 * What editors show of the package: each name that a public entry point exports has a text, and so has each member of it.
 */
import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { exportsOf, undocumented } from "./support/declarationDocs.ts"

const types = fileURLToPath(new URL("../dist/types", import.meta.url))

describe("the published declarations", () => {
  it.each(["index", "check", "effect", "testing"])("say what everything is that %s exports", (entry) => {
    const exported = exportsOf(`${types}/${entry}.d.ts`)
    assert.isAbove(exported.length, 10)
    assert.deepStrictEqual(undocumented(exported), [])
  })
})
