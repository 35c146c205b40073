/**
 * Plugins that import what Node replaces itself, or packages that leave a trace in what all code shares, load. Each is imported
 * in a child process first and then here, as a run does it.
 */
import { builtinModules } from "node:module"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { spawnSync } from "node:child_process"
import { afterAll, expect, it } from "@effect/vitest"
import { wordsModule } from "../../support/PluginFiles.ts"

const folder = mkdtempSync(join(tmpdir(), "shared-state-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program as a module of its own; gives what it prints. */
const node = (program: string): string => {
  const words = ["--no-warnings", "--input-type=module", "-e", program]
  const { status, stderr, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" })
  expect(status, stderr).toBe(0)
  return stdout
}

/** Without those that only start something: a test runner, and a prompt. */
const modules = builtinModules
  .filter((name) => !name.startsWith("_") && !/^(?:node:)?test(?:\/|$)/.test(name))
  .map((name) => (name.startsWith("node:") ? name : `node:${name}`))

const state = new URL("../../../src/services/plugins/SharedState.ts", import.meta.url).href

it("no built-in module changes what is watched when it is loaded for the first time", () => {
  const program = `
    const { watchSharedState } = await import(${JSON.stringify(state)})
    for (const name of ${JSON.stringify(modules)}) {
      const changed = watchSharedState()
      Object.values(await import(name))
      const found = changed()
      if (found !== undefined) console.log(name, found)
    }`
  expect(node(program)).toBe("")
})

/** What often used packages do to what all code shares when they are imported. */
const packages: ReadonlyArray<readonly [name: string, does: string]> = [
  ["commander, execa, cheerio, undici: node:util", 'import { inspect } from "node:util"; inspect({})'],
  ["piscina: node:worker_threads", 'import { Worker } from "node:worker_threads"; Worker.name'],
  ["pino: node:worker_threads and node:inspector", 'import * as inspector from "node:inspector"; inspector.url()'],
  [
    "graceful-fs, fs-extra: process.cwd and process.chdir",
    `const cwd = process.cwd; let known; process.cwd = () => (known ??= cwd.call(process))
     const chdir = process.chdir; process.chdir = (folder) => { known = undefined; chdir.call(process, folder) }
     Object.setPrototypeOf(process.chdir, chdir)`
  ],
  ["undici: a global of its own", 'globalThis[Symbol.for("undici.globalDispatcher.1")] = {}'],
  [
    "signal-exit: process.emit",
    "const emit = process.emit; process.emit = function (...all) { return emit.apply(this, all) }"
  ],
  ["reflect-metadata: new functions of Reflect", "Reflect.defineMetadata = () => undefined"],
  ["source-map-support: Error.prepareStackTrace", "Error.prepareStackTrace = (error) => String(error)"],
  ["dotenv: the environment", 'process.env.FROM_DOTENV = "1"'],
  [
    "a polyfill: a new method that no loop sees",
    'Object.defineProperty(Array.prototype, "lastOf", { value() {}, enumerable: false, configurable: true })'
  ]
]

const harms: ReadonlyArray<readonly [name: string, does: string]> = [
  ["String.prototype.bold", "String.prototype.bold = () => 1"],
  ["JSON.parse", "JSON.parse = () => 1"],
  ["process.exit", "process.exit = () => 1"]
]

const urlOf = (does: string) => `data:text/javascript,${encodeURIComponent(does)}`

/* One process for all: what a module changes is put back before the next. */
it("what often used packages do is no harm, and what breaks all code is named", () => {
  const rows = [...packages, ...harms].map(([name, does]) => [name, urlOf(does)])
  const program = `
    const { watchSharedState } = await import(${JSON.stringify(state)})
    for (const [name, url] of ${JSON.stringify(rows)}) {
      const changed = watchSharedState()
      const { chdir, cwd } = process
      await import(url)
      const found = changed()
      if (found !== undefined) console.log(name, "changes", found)
      if (process.chdir !== chdir || process.cwd !== cwd) console.log(name, "is not put back")
    }`
  expect(node(program).trim().split("\n")).toStrictEqual(harms.map(([name]) => `${name} changes ${name}`))
})

it("a plugin that imports every built-in module, and does all that, loads as a run loads it", () => {
  const imports = modules.map((name, at) => `import * as m${at} from ${JSON.stringify(name)}\nObject.values(m${at})`)
  const does = packages.map(([, text], at) => (at < 3 ? "" : `{ ${text} }`))
  writeFileSync(join(folder, "all.mjs"), [...imports, ...does, wordsModule()].join("\n"))
  writeFileSync(join(folder, "harm.mjs"), `JSON.parse = () => 1\n${wordsModule()}`)
  const testing = new URL("../../../dist/library/testing.js", import.meta.url).href
  const told = node(`
    const { checkPlugin } = await import(${JSON.stringify(testing)})
    for (const name of ["all.mjs", "harm.mjs"]) {
      console.log(JSON.stringify(await checkPlugin(new URL(name, ${JSON.stringify(pathToFileURL(folder).href)} + "/"))))
    }`)
  const [all, harm = ""] = told.trim().split("\n")
  expect(all).toBe("[]")
  expect(harm).toContain("it changes JSON.parse, which all code in the program shares")
})
