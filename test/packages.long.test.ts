import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type Ended, startProgram } from "./support/binary.ts"
import { npmEnvironment, strictlyCompiled } from "./support/PackedMachine.ts"
import { copyProduct, packFolder } from "./support/packedProduct.ts"
import { packageFiles, wordsModule } from "./support/PluginFiles.ts"
import { type Registry, startRegistry } from "./support/Registry.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))
const root = realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-packages-")))
const app = join(root, "app")
const plugin = "task-conductor-plugin-word-count"
let registry: Registry
let installed: Ended

const environment = () => ({
  PATH: process.env["PATH"],
  HOME: join(root, "home"),
  XDG_CONFIG_HOME: join(root, "config"),
  OLLAMA_HOST: "127.0.0.1:1",
  NODE_COMPILE_CACHE: join(root, "compile-cache"),
  ...npmEnvironment(root, registry.url)
})

const start = (command: string, args: ReadonlyArray<string>, cwd = app): Promise<Ended> =>
  startProgram([command, ...args], { cwd, env: environment() }).ended

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Fails with what was said when the command failed. */
const succeed = async (ended: Promise<Ended>): Promise<Ended> => {
  const { code, stderr, stdout } = await ended
  assert.strictEqual(code, 0, `${stdout}\n${stderr}`)
  return { code, stderr, stdout }
}

const conduct = (...args: ReadonlyArray<string>) => start(join(app, "node_modules/.bin/task-conductor"), args)
const order = ["run", "--model", "embedded", "--skill", "count-words", "How many words has README.md?"]

/** The envelope of the first tool call among the events. */
const counted = (events: string): object | undefined =>
  events
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly type: string; readonly result?: object })
    .find(({ type }) => type === "tool.finished")?.result

beforeAll(async () => {
  const product = copyProduct(root)
  registry = await startRegistry(repository, product)
  for (const folder of ["home", "config"]) mkdirSync(join(root, folder))
  const tarballs = [packFolder(product, root), packFolder(join(repository, "examples/plugin-word-count"), root)]
  put("app/package.json", "{}")
  put("app/task-conductor.json", JSON.stringify({ plugins: [plugin] }))
  put("app/README.md", "Sunny spells in the north.\nRain in the south.\n")
  put(
    "app/.task-conductor/skills/count-words/SKILL.md",
    "---\nname: count-words\ndescription: Counts the words of a file. Use it when a length in words is asked for.\nallowed-tools: word_count\n---\n\n## Refinement\n\nCall `word_count` for each file.\n\n## Execution\n\nSay the counts.\n"
  )
  installed = await succeed(start("npm", ["install", ...tarballs]))
})
afterAll(() => {
  registry.close()
  rmSync(root, { recursive: true, force: true })
})

describe("the installed packages", () => {
  it("come with one copy of effect and nothing else, without a warning", () => {
    const folders = readdirSync(join(app, "node_modules")).filter((name) => !name.startsWith("."))
    assert.deepStrictEqual(folders.toSorted(), ["effect", "task-conductor", plugin])
    assert.isFalse(existsSync(join(app, "node_modules/task-conductor/node_modules")))
    assert.strictEqual(installed.stderr, "")
  })

  it("read HTML in a thread", async () => {
    const worker = join(app, "node_modules/task-conductor/dist/library/HtmlWorker.js")
    const script = `import { Worker } from "node:worker_threads"
      const workerData = { html: "<h1>News</h1><p>Old <b>tales</b>", url: "https://a.example/" }
      new Worker(${JSON.stringify(worker)}, { workerData, execArgv: [] }).on("message", ({ text }) => console.log(text))`
    const { stdout } = await succeed(start(process.execPath, ["--input-type=module", "-e", script]))
    assert.strictEqual(stdout, "# News\n\nOld **tales**\n")
  })

  it("run a plan that uses its tool, once it is allowed", async () => {
    const { stdout } = await succeed(conduct(...order, "--json", "--allow", `load_plugin:${plugin} *`))
    assert.deepInclude(counted(stdout), {
      success: true,
      data: { path: "README.md", words: 9, lines: 2 },
      error_type: "none"
    })
    const untrusted = await conduct(...order, "--json")
    assert.isUndefined(counted(untrusted.stdout))
    assert.notInclude((await succeed(start("npx", ["task-conductor", "tools", "list"]))).stdout, "word_count")
  })

  it("are for scripts as well", async () => {
    const script = `import { run, runs } from "task-conductor"
      const { events, report, runId } = run({ prompt: "How many words has README.md?", model: "embedded", skill: "count-words", plugins: [${JSON.stringify(plugin)}] })
      for await (const event of events) console.log(JSON.stringify(event))
      await report
      console.log(JSON.stringify({ type: "kept", ids: (await runs()).map((one) => one.runId), runId }))`
    const { stdout } = await succeed(start(process.execPath, ["--input-type=module", "-e", script]))
    assert.deepInclude(counted(stdout), { success: true })
    const { ids, runId } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { ids: Array<string>; runId: string }
    assert.include(ids, runId)
    assert.match((await succeed(conduct("show", runId))).stdout, new RegExp(`^# Run ${runId}$`, "m"))
  })
})

/** What `word_count` gives for an integer: with the plugin imported as a run does, or by Node itself beforehand. */
const callTool = async (module: string, by: "run" | "node"): Promise<unknown> => {
  const script = `import { runTool } from "task-conductor/testing"
    const url = new URL(${JSON.stringify(pathToFileURL(module).href)})
    const plugin = ${by === "run" ? "url" : "(await import(url)).default"}
    console.log(JSON.stringify((await runTool(plugin, "word_count", { text: "one two", atLeast: 5 })).data))`
  const { stderr, stdout } = await start(process.execPath, ["--input-type=module", "-e", script])
  // Node shows the line of the source before the message, and that may hold the words of the message, too.
  const message = /(?<=is not used: )its .*/.exec(stderr) ?? /ERR_[A-Z_]+/.exec(stderr)
  return stdout === "" ? message?.[0] : JSON.parse(stdout)
}

describe("one copy of effect", () => {
  const effect = join(app, "node_modules/effect")

  it("is shared with a plugin that has a copy of its own, whose values would not work", async () => {
    for (const [path, text] of Object.entries(packageFiles("nested/words", wordsModule()))) put(path, text)
    cpSync(effect, join(root, "nested/words/node_modules/effect"), { recursive: true })
    const linked = join(root, "nested/words/node_modules/task-conductor")
    symlinkSync(join(app, "node_modules/task-conductor"), linked)
    const module = join(root, "nested/words/index.js")
    assert.deepStrictEqual(
      [await callTool(module, "run"), await callTool(module, "node")],
      [
        5,
        'its tool "word_count" is not well formed: "parameters" is not a schema of the copy of `effect` that this program uses.'
      ]
    )
  })

  it("is shared with a plugin that has none", async () => {
    for (const [path, text] of Object.entries(packageFiles("config/node_modules/bare", wordsModule()))) put(path, text)
    const module = join(root, "config/node_modules/bare/index.js")
    const given = [await callTool(module, "run"), await callTool(module, "node")]
    assert.deepStrictEqual(given, [5, "ERR_MODULE_NOT_FOUND"])
  })

  it("is shared with a plugin that is linked from elsewhere", async () => {
    symlinkSync(join(root, "nested/words"), join(app, "node_modules/linked"))
    const { stdout } = await succeed(conduct("tools", "list", "--json", "--plugin", "linked"))
    assert.include(stdout, '"origin": "words@1.2.0"')
    assert.strictEqual(await callTool(join(app, "node_modules/linked/index.js"), "run"), 5)
  })

  it("is shared with a plugin that is installed beside the program", async () => {
    const bin = join(app, "node_modules/.bin/task-conductor")
    put("config/task-conductor/config.json", JSON.stringify({ plugins: [plugin] }))
    const listed = await succeed(start(bin, ["plugins", "list"], join(root, "home")))
    rmSync(join(root, "config/task-conductor/config.json"))
    assert.match(listed.stdout, new RegExp(`^word-count {2}1\\.0\\.0 {2}user {2}${plugin}\n {2}word_count`, "m"))
  })
})

it("a plugin in TypeScript compiles against the types of the package", async () => {
  put(
    "app/sample.ts",
    `import * as Effect from "effect/Effect"
     import * as Schema from "effect/Schema"
     import { run, type RunOptions } from "task-conductor"
     import { check } from "task-conductor/check"
     import { definePlugin, type Plugin, tool, ToolFailure, Workspace } from "task-conductor/plugin"
     import { checkPlugin, runTool } from "task-conductor/testing"
     const size = tool({
       description: "Says how long a file is.",
       parameters: Schema.Struct({ path: Schema.String, lines: Schema.optionalKey(Schema.Boolean) }),
       risk: "safe",
       effect: "pure",
       access: ({ path }) => [{ _tag: "ReadFile", path }],
       execute: ({ path }) =>
         Effect.gen(function* () {
           const { readText } = yield* Workspace
           if (path === "") return yield* new ToolFailure({ type: "not_found", message: "No path." })
           return (yield* readText(path, 1000)).length
         })
     })
     const plugin: Plugin = definePlugin({ name: "size", tools: Effect.succeed({ size }) })
     // @ts-expect-error -- a number is no path
     tool({ ...size, execute: ({ path }) => Effect.succeed(path * 2) })
     // @ts-expect-error -- a failure of another shape
     tool({ ...size, execute: () => Effect.fail("no") })
     const { data, success } = await runTool(plugin, "size", { path: "a" }, { files: { a: "b" } })
     const options: RunOptions = { prompt: "x", plugins: [plugin, "other", "./local.ts"] }
     console.log(await checkPlugin(plugin), data, success satisfies boolean, run(options).report, check("").verdict)`
  )
  put("app/tsconfig.json", JSON.stringify(strictlyCompiled("sample.ts")))
  const manifest: object = JSON.parse(readFileSync(join(app, "package.json"), "utf8"))
  put("app/package.json", JSON.stringify({ ...manifest, type: "module" }))
  const { code, stdout } = await start(join(repository, "node_modules/.bin/tsc"), ["-p", "."])
  assert.deepStrictEqual([code, stdout], [0, ""])
})
