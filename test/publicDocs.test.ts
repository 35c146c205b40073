/**
 * What editors show of the package: each name that a public entry point exports has a text, and so has each member of it.
 */
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { exportsOf, undocumented, withoutExample } from "./support/declarationDocs.ts"

const types = fileURLToPath(new URL("../dist/types", import.meta.url))
const clusterTypes = fileURLToPath(new URL("../src/plugins/cluster/dist/types/plugins/cluster", import.meta.url))
const entries = [
  ...["index", "check", "effect", "testing", "plugin-kit"].map((name) => `${types}/${name}.d.ts`),
  `${clusterTypes}/scripts.d.ts`
]

it.each(entries)("say what everything is that %s exports", (entry) => {
  const exported = exportsOf(entry)
  assert.isAbove(exported.length, 10)
  assert.deepStrictEqual(undocumented(exported), [])
})

it("have a class for every error with which work fails", () => {
  const source = readFileSync(new URL("../src/library/ConductorError.ts", import.meta.url), "utf8")
  const [, union = ""] = /export type ConductorError =\n((?: {2}\| \w+\n)+)/.exec(source) ?? []
  const errors = union.match(/\w+/g) ?? []
  assert.isAbove(errors.length, 15)
  for (const entry of ["index", "effect"]) {
    const exported = new Set(exportsOf(`${types}/${entry}.d.ts`).map(({ name }) => name))
    assert.deepStrictEqual(
      errors.filter((name) => !exported.has(name)),
      [],
      entry
    )
  }
})

it.each([
  ["index", ["ask", "check", "checkInProject", "openConversation", "plan", "resume", "run", "tool"]],
  ["effect", ["Approvals", "Conductor", "Host", "Models", "ProgramSkills", "ProgramTools", "SavedRuns"]],
  ["plugin-kit", ["definePlugin", "tool"]],
  ["check", ["check"]]
])("show how the main names of %s are used", (entry, names) => {
  const main = exportsOf(`${types}/${entry}.d.ts`).filter(({ name }) => names.includes(name))
  assert.sameMembers([...new Set(main.map(({ name }) => name))], names)
  assert.deepStrictEqual(withoutExample(main), [])
})
