/**
 * What editors show of the package: each name that a public entry point exports has a text, and so has each member of it.
 */
import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { exportsOf, undocumented } from "./support/declarationDocs.ts"

const types = fileURLToPath(new URL("../dist/types", import.meta.url))
const clusterTypes = fileURLToPath(new URL("../src/plugins/cluster/dist/types/plugins/cluster", import.meta.url))
const entries = [
  ...["index", "check", "effect", "testing", "plugin-kit"].map((name) => `${types}/${name}.d.ts`),
  `${clusterTypes}/scripts.d.ts`
]

describe("the published declarations", () => {
  it.each(entries)("say what everything is that %s exports", (entry) => {
    const exported = exportsOf(entry)
    assert.isAbove(exported.length, 10)
    assert.deepStrictEqual(undocumented(exported), [])
  })
})
