import { assert, it } from "@effect/vitest"
import { entryCandidates, type PackageManifest } from "../../../src/services/plugins/PluginFinder.ts"

it.each<[name: string, manifest: PackageManifest, files: ReadonlyArray<string>]>([
  ["a text", { exports: "./a.js", main: "b.js" }, ["./a.js"]],
  ["an import condition alone", { exports: { import: "./a.js" } }, ["./a.js"]],
  ["subpaths", { exports: { ".": { types: "./a.d.ts", default: "./a.js" }, "./b": "./b.js" } }, ["./a.js"]],
  ["nested", { exports: { browser: "./b.js", node: { require: "./c.cjs", import: "./a.js" } } }, ["./a.js"]],
  ["alternatives", { exports: [{ require: "./c.cjs" }, "./a.js"] }, ["./a.js"]],
  ["subpaths without the package itself", { exports: { "./b": "./b.js" } }, []],
  ["nothing to import", { exports: { require: "./c.cjs" } }, []],
  ["no exports", { main: "lib" }, ["lib", "lib.js", "lib/index.js", "index.js"]],
  ["nothing at all", {}, ["index.js"]]
])("the entry of a package follows %s", (_, manifest, files) => {
  assert.deepStrictEqual(entryCandidates(manifest), files)
})
