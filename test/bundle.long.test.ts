import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { version } from "../src/app/version.ts"
import { makeSandbox, startProgram } from "./support/binary.ts"
import { inProcess } from "./support/inProcess.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
/** A package without dependencies: what is bundled needs none. */
const packed = mkdtempSync(join(tmpdir(), "task-conductor-bundle-"))
const plan = join(root, "test/fixtures/checks/five-mistakes.md")

const unbuilt = 'task-conductor is not built yet. Run "npm run build" in its folder.\n'

const shimIn = (cwd: string, env: NodeJS.ProcessEnv, ...args: ReadonlyArray<string>) =>
  startProgram([process.execPath, join(packed, "bin/task-conductor.cjs"), ...args], { cwd, env }).ended
const shim = (...args: ReadonlyArray<string>) => shimIn(dirname(plan), process.env, ...args)

beforeAll(() => {
  for (const part of ["bin", "package.json", "prompts", "skills", "templates", "dist/cli"]) {
    cpSync(join(root, part), join(packed, part), { recursive: true })
  }
})
afterAll(() => rmSync(packed, { recursive: true, force: true }))

it("answers the version without loading anything", async () => {
  for (const flag of ["--version", "-v", "version"]) {
    assert.deepStrictEqual(await shim(flag), { code: 0, stdout: `${version}\n`, stderr: "" })
  }
})

it("checks a plan without any dependency", async () => {
  assert.deepStrictEqual(await shim("check", "five-mistakes.md"), {
    code: 1,
    stdout: readFileSync(plan.replace(".md", ".txt"), "utf8"),
    stderr: ""
  })
})

it("answers help like the sources", async () => {
  const sources = inProcess(makeSandbox())
  const lines =
    "--help, help, help run, run -h, tools list --help, nothing --help, check --project -h x, skills test --help, help nothing"
  for (const line of lines.split(", "))
    assert.deepStrictEqual(await shim(...line.split(" ")), await sources.run(line.split(" ")), line)
  sources.remove()
})

it("leaves what may load a package of tools to the library, which shares effect with it", async () => {
  for (const line of ["run --plugin ./a.ts x", "run x --plugin=./a.ts", "resume last", "plugins list", "worker"]) {
    const { code, stderr } = await shim(...line.split(" "))
    assert.deepStrictEqual([code, stderr], [2, unbuilt], line)
  }
})

it("runs, lists and shows where no package of tools is named", async () => {
  const home = mkdtempSync(join(packed, "home-"))
  const project = mkdtempSync(join(packed, "project-"))
  const env = { HOME: home, PATH: process.env["PATH"] ?? "", TMPDIR: mkdtempSync(join(packed, "temporary-")) }
  const start = (...words: ReadonlyArray<string>) => shimIn(project, env, ...words)
  assert.deepStrictEqual(await start("runs"), { code: 0, stdout: "", stderr: "There are no runs yet.\n" })
  writeFileSync(join(project, "notes.md"), "Sunny spells in the north.\n")
  const ran = await start("run", "--model", "embedded", "Where is it sunny?")
  assert.deepStrictEqual([ran.code, ran.stdout !== ""], [0, true], ran.stderr)
  assert.match((await start("show", "last")).stdout, /^# Run /)
  const checked = await start("check", plan, "-p", ".")
  assert.deepStrictEqual([checked.code, checked.stderr], [1, ""])
  assert.match((await start("tools", "list")).stdout, /^read_file /m)
  assert.deepStrictEqual(readdirSync(env.TMPDIR), [], "no code is read from a folder that others can write to")
})

it("leaves everything to the library where settings name a package of tools", async () => {
  const home = mkdtempSync(join(packed, "home-"))
  const project = mkdtempSync(join(packed, "project-"))
  const env = { HOME: home, PATH: process.env["PATH"] ?? "" }
  for (const file of [join(home, ".config/task-conductor/config.json"), join(project, "task-conductor.json")]) {
    for (const text of ['{ "plugins": ["a"] }', '{ "pl\\u0075gins": ["a"] }']) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      for (const words of [`tools list --project=${project}`, `run -p ${project} x`, `check -xp ${project} x`]) {
        const { stderr } = await shimIn(packed, env, ...words.split(" "))
        assert.strictEqual(stderr, unbuilt, `${file} ${text} ${words}`)
      }
      rmSync(file)
    }
  }
  // What is too large to be settings is left to what says so, and not read here.
  const huge = join(project, "task-conductor.json")
  writeFileSync(huge, "{}")
  truncateSync(huge, 20_000_000_000)
  assert.strictEqual((await shimIn(packed, env, "tools", "list", `--project=${project}`)).stderr, unbuilt)
})
