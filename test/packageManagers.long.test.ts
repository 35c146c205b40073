/**
 * The packed program as npm, pnpm, yarn and bun install it from a registry, and in Deno: a script that checks and runs, and the
 * command line.
 */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { version } from "../src/app/version.ts"
import { startProgram } from "./support/binary.ts"
import { unlessMissing } from "./support/needs.ts"
import { copyProduct, packFolder } from "./support/packedProduct.ts"
import { type Registry, startRegistry } from "./support/Registry.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))
const root = realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-managers-")))
let registry: Registry
let tarball: string

const script = `
import { check, run } from "task-conductor"

const { answer, status } = await run({ prompt: "Where is the heron named?", model: "embedded" }).report
console.log(check("").verdict, status, answer.includes("README.md"))
`

/** What adds a package to a project, by the name of the package manager. */
const commands: Readonly<Record<string, ReadonlyArray<string>>> = {
  npm: ["install"],
  pnpm: ["add"],
  yarn: ["add"],
  bun: ["add"]
}

const missing = (manager: string): string | undefined =>
  spawnSync(manager, ["--version"]).error === undefined
    ? undefined
    : `${manager} is not installed: npm install -g ${manager}`

/** Starts a program; gives its output, and fails with all that it wrote when it fails. */
const output = async (command: string, args: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const home = join(root, "home")
  const own = { HOME: home, CI: "true", OLLAMA_HOST: "127.0.0.1:1", YARN_CACHE_FOLDER: join(home, "yarn") }
  const { code, stderr, stdout } = await startProgram([command, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], ...own }
  }).ended
  assert.strictEqual(code, 0, `${command} ${args.join(" ")}\n${stdout}\n${stderr}`)
  return stdout
}

beforeAll(async () => {
  const product = copyProduct(root)
  registry = await startRegistry(repository, product)
  tarball = packFolder(product, root)
  mkdirSync(join(root, "home"))
  for (const manager of [...Object.keys(commands), "deno"]) {
    const folder = join(root, manager)
    mkdirSync(folder)
    writeFileSync(join(folder, ".npmrc"), `registry=${registry.url}/\naudit=false\nfund=false\n`)
    writeFileSync(join(folder, "package.json"), '{ "name": "app", "version": "1.0.0", "type": "module" }')
    writeFileSync(join(folder, "README.md"), "# Birds\n\nThe heron stands in the shallow water.\n")
    writeFileSync(join(folder, "script.js"), script)
  }
})
afterAll(() => {
  registry.close()
  rmSync(root, { recursive: true, force: true })
})

for (const [manager, words] of Object.entries(commands)) {
  it(`works as ${manager} installs it`, unlessMissing(missing(manager)), async () => {
    const folder = join(root, manager)
    await output(manager, [...words, tarball], folder)
    assert.isTrue(existsSync(join(folder, "node_modules/task-conductor")))
    assert.strictEqual(await output(process.execPath, ["script.js"], folder), "rejected done true\n")
    const program = join(folder, "node_modules/.bin/task-conductor")
    assert.include(await output(program, ["--version"], folder), version)
  })
}

it("works in Deno as npm installs it, as a library and as a command", unlessMissing(missing("deno")), async () => {
  const folder = join(root, "deno")
  await output("npm", ["install", tarball], folder)
  const run = (...words: ReadonlyArray<string>) => output("deno", ["run", "--allow-all", ...words], folder)
  assert.strictEqual(await run("script.js"), "rejected done true\n")
  const program = "node_modules/task-conductor/bin/task-conductor.cjs"
  assert.include(await run(program, "run", "--model", "embedded", "Where is the heron named?"), "README.md#L3")
})
