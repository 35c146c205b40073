/**
 * The package task-conductor-cluster beside the packed program: installed in a folder of a project, installed for all users, missing,
 * and in another version.
 */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { version } from "../src/app/version.ts"
import { type Ended, startProgram } from "./support/binary.ts"
import { askedOf, makeCluster, writing } from "./support/Cluster.ts"
import { fakeModel } from "./support/FakeOllamaPaths.ts"
import { liveTest } from "./support/liveTest.ts"
import { npmEnvironment, strictlyCompiled } from "./support/PackedMachine.ts"
import { copyProduct, packFolder } from "./support/packedProduct.ts"
import { needsPostgres } from "./support/Postgres.ts"
import { type Registry, startRegistry } from "./support/Registry.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))
const source = join(repository, "src/plugins/cluster")
const root = realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-cluster-package-")))
const [alone, both, prefix] = ["alone", "both", "prefix"].map((name) => join(root, name)) as [string, string, string]
const installedForAll = join(prefix, "lib/node_modules")
let registry: Registry

const start = (command: string, args: ReadonlyArray<string>, cwd: string): Promise<Ended> => {
  const env = { PATH: process.env["PATH"], HOME: join(root, "home"), ...npmEnvironment(root, registry.url) }
  return startProgram([command, ...args], { cwd, env }).ended
}

/** Fails with what the command wrote when it failed. */
const succeed = async (command: string, args: ReadonlyArray<string>, cwd: string): Promise<Ended> => {
  const ended = await start(command, args, cwd)
  assert.strictEqual(ended.code, 0, `${ended.stdout}\n${ended.stderr}`)
  return ended
}

const conductIn = (folder: string, ...args: ReadonlyArray<string>) =>
  start(join(folder, "node_modules/.bin/task-conductor"), args, folder)

const install = `Install it beside task-conductor: npm install -g task-conductor-cluster@${version}, or without -g in a project.\n`

beforeAll(async () => {
  const product = copyProduct(root)
  registry = await startRegistry(repository, product)
  for (const folder of [alone, both, prefix, join(root, "home")]) mkdirSync(folder)
  for (const folder of [alone, both]) writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  const program = packFolder(product, root)
  const cluster = packFolder(source, root)
  await succeed("npm", ["install", program], alone)
  await succeed("npm", ["install", program, cluster], both)
  await succeed("npm", ["install", "-g", "--prefix", prefix, program, cluster], root)
})
afterAll(() => {
  registry.close()
  rmSync(root, { recursive: true, force: true })
})

it("is named by the program where it is missing", async () => {
  const missing = `Runs on several machines need the package task-conductor-cluster. ${install}`
  const lines =
    "worker --help, worker --parallel 2, help attach, attach last, cancel last, run --cluster x, resume last --cluster, runs --cluster, doctor --cluster"
  for (const line of lines.split(", "))
    assert.deepStrictEqual(await conductIn(alone, ...line.split(" ")), { code: 2, stdout: "", stderr: missing }, line)
  const help = await conductIn(alone, "--help")
  for (const command of ["worker", "attach", "cancel"]) assert.match(help.stdout, new RegExp(`^  ${command} `, "m"))
  /* A word of a prompt is no command. */
  assert.strictEqual((await conductIn(alone, "run", "--help", "worker")).code, 0)
})

it("is refused in another version, of which the modules would not fit", async () => {
  const manifest = join(both, "node_modules/task-conductor-cluster/package.json")
  const text = readFileSync(manifest, "utf8")
  writeFileSync(manifest, text.replace(`"version": "${version}"`, '"version": "0.0.9"'))
  const { code, stderr } = await conductIn(both, "worker")
  writeFileSync(manifest, text)
  const other = `The package task-conductor-cluster has version 0.0.9, and this is task-conductor ${version}. ${install}`
  assert.deepStrictEqual([code, stderr], [2, other])
})

it("has the version of the program, also for its peer", () => {
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"))
  assert.deepStrictEqual([manifest.version, manifest.peerDependencies["task-conductor"]], [version, version])
})

it("brings no copy of the program or of effect", () => {
  for (const folder of [join(both, "node_modules"), installedForAll]) {
    assert.isTrue(existsSync(join(folder, "task-conductor-cluster/dist/index.js")))
    for (const name of ["effect", "task-conductor"]) {
      assert.isFalse(existsSync(join(folder, "task-conductor-cluster/node_modules", name)), name)
    }
  }
})

it("gives the program its commands", async () => {
  for (const program of [join(both, "node_modules/.bin/task-conductor"), join(prefix, "bin/task-conductor")]) {
    const help = await start(program, ["worker", "--help"], root)
    assert.deepStrictEqual([help.code, help.stderr], [0, ""])
    assert.include(help.stdout, "--parallel")
    const cancel = await start(program, ["cancel", "last"], root)
    assert.strictEqual(cancel.code, 2)
    assert.include(cancel.stderr, "TASK_CONDUCTOR_DATABASE")
  }
})

it("reaches for the database from scripts", async () => {
  const script = `import { cancel, DatabaseUnavailable } from "task-conductor-cluster"
      const error = await cancel("some-run", { database: "postgres://127.0.0.1:1/none" }).catch((error) => error)
      console.log(error instanceof DatabaseUnavailable)`
  const { stdout } = await succeed(process.execPath, ["--input-type=module", "-e", script], both)
  assert.strictEqual(stdout, "true\n")
})

it("compiles against the types of the packages", async () => {
  const sample = `import { run } from "task-conductor"
      import { attach, RunWaits, work } from "task-conductor-cluster"
      import { storeOf } from "task-conductor/kit/terminal"
      import { layerRun } from "task-conductor/kit/program"
      import { readRecords } from "task-conductor/kit/runs"
      import { readTaskList } from "task-conductor/kit/documents"
      const handle: ReturnType<typeof run> = attach("some-run")
      await work({ signal: new AbortController().signal })
      console.log(handle.runId, RunWaits, storeOf, layerRun, readRecords, readTaskList)`
  writeFileSync(join(both, "sample.ts"), sample)
  writeFileSync(join(both, "tsconfig.json"), JSON.stringify(strictlyCompiled("sample.ts")))
  const { code, stdout } = await start(join(repository, "node_modules/.bin/tsc"), ["-p", "."], both)
  assert.deepStrictEqual([code, stdout], [0, ""])
})

for (const [where, program] of [
  ["in a folder", join(both, "node_modules/task-conductor/bin/task-conductor.cjs")],
  ["for all users", join(installedForAll, "task-conductor/bin/task-conductor.cjs")]
] as const) {
  liveTest(
    `carries out a run where it is installed ${where}`,
    function* () {
      const { sandbox, start, worker } = yield* makeCluster
      yield* worker((body) => writing(askedOf(body)), [], {}, program)
      const order = ["run", "--cluster", "--yes", "--model", fakeModel, "Do it."]
      const client = yield* start(order, {}, program)
      const { code, stderr, stdout } = yield* Effect.promise(() => client.ended)
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, "All is done.")
      assert.strictEqual(readFileSync(join(sandbox.root, "project/a.txt"), "utf8"), "new\n")
    },
    needsPostgres
  )
}
