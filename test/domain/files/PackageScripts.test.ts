import { assert, it } from "@effect/vitest"
import { scriptsChange } from "../../../src/domain/files/PackageScripts.ts"

it("sees whether the scripts of a package.json change, whatever their order and form", () => {
  const before = '{ "scripts": { "a": "1", "b": "2" } }'
  const cases: ReadonlyArray<[before: string | undefined, after: string, changes: boolean]> = [
    [before, '{\n  "version": "2",\n  "scripts": { "b": "2", "a": "1" }\n}', false],
    [before, '{ "scripts": { "a": "1", "b": "3" } }', true],
    [before, "{}", true],
    [before, "not json", true],
    [undefined, '{ "scripts": {} }', true],
    [undefined, '{ "name": "x" }', false]
  ]
  for (const [old, after, changes] of cases) assert.strictEqual(scriptsChange(old, after), changes, after)
})
