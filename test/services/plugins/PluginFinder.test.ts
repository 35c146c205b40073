import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { execFileSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { findPlugin } from "../../../src/services/plugins/PluginFinder.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

type Manifest = Readonly<Record<string, Schema.Json>>

const content = ["a.js", "b.js", "c.cjs", "index.js", "lib/index.js", "data.json"]

/** A package of this name below node_modules, with every file that a manifest here names. */
const packageOf = (name: string, manifest: Manifest): ReadonlyArray<readonly [path: string, text: string]> => {
  const folder = `node_modules/${name}`
  const files = content.map((file) => [`${folder}/${file}`, file.endsWith(".json") ? "{}" : ""] as const)
  return [[`${folder}/package.json`, JSON.stringify({ name, version: "1.0.0", type: "module", ...manifest })], ...files]
}

/** What Node finds from a module in this folder; nothing where it fails or what it finds is no file. */
const nodeFinds = (folder: string): ReadonlyArray<string | undefined> => {
  const urls = JSON.parse(
    execFileSync(process.execPath, [`${folder}/resolve.mjs`], { encoding: "utf8" })
  ) as ReadonlyArray<string | null>
  return urls.map((url) => {
    const file = url === null ? undefined : fileURLToPath(url)
    return file !== undefined && existsSync(file) && statSync(file).isFile() ? file : undefined
  })
}

/** Where a package of each manifest is entered, by Node and by `findPlugin`, from a folder below it. */
const compare = Effect.fnUntraced(function* (manifests: Readonly<Record<string, Manifest>>) {
  const names = Object.keys(manifests)
  const resolve = `const names = ${JSON.stringify(names)}
const found = names.map((name) => { try { return import.meta.resolve(name) } catch { return null } })
console.log(JSON.stringify(found))`
  const packages = Object.entries(manifests).flatMap(([name, manifest]) => packageOf(name, manifest))
  const root = yield* makeProject({ "below/it/resolve.mjs": resolve, ...Object.fromEntries(packages) })
  const byNode = nodeFinds(`${root}/below/it`)
  const found = yield* Effect.forEach(names, (text) =>
    Effect.result(findPlugin({ text, scope: "user", folder: `${root}/below/it` }))
  )
  const shown = (name: string, file: string | undefined): string =>
    file?.replace(`${root}/node_modules/${name}/`, "") ?? "nothing"
  return names.map((name, index) => {
    const outcome = found[index]
    const file = outcome !== undefined && Result.isSuccess(outcome) ? outcome.success.file : undefined
    return { name, node: shown(name, byNode[index]), here: shown(name, file) }
  })
})

const asNode: Readonly<Record<string, Manifest>> = {
  text: { exports: "./a.js", main: "b.js" },
  import: { exports: { import: "./a.js" } },
  subpaths: { exports: { ".": { types: "./a.d.ts", default: "./a.js" }, "./b": "./b.js" } },
  nested: { exports: { browser: "./b.js", node: { require: "./c.cjs", import: "./a.js" } } },
  "nested-in-vain": { exports: { import: { browser: "./b.js" }, default: "./a.js" } },
  "module-sync": { exports: { "module-sync": "./a.js", default: "./b.js" } },
  addons: { exports: { "node-addons": "./a.js", default: "./b.js" } },
  array: { exports: [{ require: "./c.cjs" }, "./a.js"] },
  "array-null": { exports: [null, "./a.js"] },
  "array-missing": { exports: ["./gone.js", "./a.js"] },
  "array-empty": { exports: [] },
  "object-empty": { exports: {} },
  "only-subpath": { exports: { "./b": "./b.js" } },
  "only-require": { exports: { require: "./c.cjs" } },
  "null-text": { exports: null },
  "null-itself": { exports: { ".": null } },
  "null-condition": { exports: { node: null, default: "./a.js" } },
  "null-nested": { exports: { import: { node: null }, default: "./a.js" } },
  missing: { exports: "./gone.js" },
  folder: { exports: "./lib" },
  outside: { exports: "../text/a.js" },
  main: { main: "lib" },
  "main-slash": { main: "./lib/" },
  "main-ending": { main: "a" },
  "main-missing": { main: "gone.js" },
  "main-none": {}
}

const lenient: Readonly<Record<string, Manifest>> = {
  "no-dot": { exports: "a.js" },
  mixed: { exports: { ".": "./a.js", import: "./b.js" } },
  numbers: { exports: { "0": "./b.js", default: "./a.js" } }
}

describe("findPlugin", () => {
  nodeTest("enters a package where import of its name does", function* () {
    const found = yield* compare(asNode)
    expect(found.filter(({ here, node }) => here !== node)).toStrictEqual([])
    expect(found.filter(({ here }) => here === "a.js").length).toBe(10)
  })

  nodeTest("enters also some that Node calls malformed, because it imports the file and not the name", function* () {
    const found = yield* compare(lenient)
    expect(found.length).toBe(3)
    for (const { here, node } of found) expect([here, node]).toStrictEqual(["a.js", "nothing"])
  })
})
