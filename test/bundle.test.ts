import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { version } from "../src/app/version.ts"
import { makeSandbox } from "./support/binary.ts"
import { inProcess } from "./support/inProcess.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
/** A package without dependencies: what is bundled needs none. */
const packed = mkdtempSync(join(tmpdir(), "task-conductor-bundle-"))
const plan = join(root, "test/fixtures/checks/five-mistakes.md")

const unbuilt = 'task-conductor is not built yet. Run "npm run build" in its folder.\n'

type Files = ReadonlyArray<string>

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const node = (
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv } = { cwd: join(root, "test/fixtures/checks") }
): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...args], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr })
    )
  })
/** The names of the starts that a file of a bundle is for. */
const startsOf = (file: string): ReadonlyArray<string> =>
  basename(file)
    .replace(/-.{8}\.js$/, "")
    .split("-")

const shimIn = (cwd: string, env: NodeJS.ProcessEnv, ...args: ReadonlyArray<string>) =>
  node([join(packed, "bin/task-conductor.cjs"), ...args], { cwd, env })
const shim = (...args: ReadonlyArray<string>) => node([join(packed, "bin/task-conductor.cjs"), ...args])

/** Whether a bundle holds the work of a run. */
const holdsRuns = (folder: string) =>
  readdirSync(join(packed, "dist", folder)).some((file) =>
    readFileSync(join(packed, "dist", folder, file), "utf8").includes("task-conductor/services/pipeline/")
  )

/** Whether a check in the folder of this package looks at it as a project. */
const checksProject = async (...words: ReadonlyArray<string>) =>
  / in the project /.test((await shimIn(root, process.env, "check", plan, ...words)).stdout)

beforeAll(() => {
  for (const part of [
    "bin",
    "package.json",
    "prompts",
    "skills",
    "dist/quick-bundle",
    "dist/cli-bundle",
    "dist/check-bundle"
  ]) {
    cpSync(join(root, part), join(packed, part), { recursive: true })
  }
})
afterAll(() => rmSync(packed, { recursive: true, force: true }))

describe("the bundles", () => {
  it("answer the version without loading anything", async () => {
    for (const flag of ["--version", "-v", "version"]) {
      assert.deepStrictEqual(await shim(flag), { code: 0, stdout: `${version}\n`, stderr: "" })
    }
  })

  it("start from few files, which hold what these starts load", async () => {
    const listing = `import { registerHooks } from "node:module"
      registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) })
      process.on("exit", () => console.error(process.moduleLoadList.join("\\n")))`
    const hook = `data:text/javascript,${encodeURIComponent(listing)}`
    const loadedFor = async (...words: ReadonlyArray<string>) => {
      const { stderr } = await node(["--import", hook, join(packed, "bin/task-conductor.cjs"), ...words])
      const lines = stderr.split("\n")
      const files = lines.filter((line) => line.includes("/dist/"))
      return {
        files: files.map((file) => startsOf(file).join("-")),
        costly: ["crypto", "child_process", "tls", "internal/deps/undici/undici"].filter((name) =>
          lines.includes(`NativeModule ${name}`)
        )
      }
    }
    assert.deepStrictEqual(await loadedFor("--help"), { files: ["main.js"], costly: [] })
    const starts = [
      { start: "check", words: ["check", "five-mistakes.md", "--no-project"] },
      { start: "project", words: ["check", "five-mistakes.md", "--project", "."] },
      { start: "run", words: ["run", "--model"] },
      { start: "runs", words: ["runs", "--project", "."] }
    ]
    for (const { start, words } of starts) {
      const { costly, files } = await loadedFor(...words)
      const [first, ...others] = files
      assert.deepStrictEqual([first, costly], ["main.js", []], words.join(" "))
      assert.isNotEmpty(others)
      assert.isTrue(
        others.every((file) => file.split("-").includes(start)),
        `${words.join(" ")} loads ${others.join(", ")}`
      )
    }
  })

  it("give the library few files, and a first run few more", async () => {
    const project = mkdtempSync(join(packed, "project-"))
    writeFileSync(join(project, "notes.md"), "Sunny spells in the north.\n")
    const script = `import { registerHooks } from "node:module"
      const files = []
      registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) })
      const tell = (what) => console.log(JSON.stringify(what))
      const ownFiles = () => files.splice(0).filter((url) => url.includes("/dist/library/"))
      /* An import of node:http would load the client of fetch with it. */
      const { createServer } = process.getBuiltinModule("node:http")
      const server = createServer((_, response) => response.writeHead(404).end('{"error":"model not found"}'))
      await new Promise((ready) => server.listen(0, "127.0.0.1", ready))
      const { run } = await import(${JSON.stringify(join(root, "dist/library/index.js"))})
      tell(ownFiles())
      const order = { prompt: "Where is it sunny?", project: ${JSON.stringify(project)}, keep: false }
      tell((await run({ ...order, model: "embedded" }).report).status)
      const host = "http://127.0.0.1:" + server.address().port
      tell(await run({ ...order, model: "absent", host }).report.catch(({ message }) => message))
      tell(ownFiles())
      tell(process.moduleLoadList.filter((name) => name.includes("undici/undici")))
      server.close()`
    const { stderr, stdout } = await node(["--input-type=module", "-e", script])
    const told: unknown = JSON.parse(`[${stdout.trim().split("\n").join(",")}]`)
    const [imported, status, missing, loaded, fetching] = told as [Files, string, string, Files, Files]
    assert.deepStrictEqual([status, fetching], ["done", []], stderr)
    assert.match(missing, /absent/)
    for (const [files, start] of [
      [imported, "api"],
      [loaded, "run"]
    ] as const) {
      const shared = files.filter((file) => file.includes("/for-"))
      assert.deepStrictEqual(
        shared.filter((file) => !startsOf(file).includes(start)),
        []
      )
      /* The others are the entry point, and a line for each part that is loaded by name. */
      assert.isAtMost(files.length - shared.length, start === "api" ? 2 : 6, files.join("\n"))
    }
  })

  it("check a plan without any dependency", async () => {
    assert.deepStrictEqual(await shim("check", "five-mistakes.md"), {
      code: 1,
      stdout: readFileSync(plan.replace(".md", ".txt"), "utf8"),
      stderr: ""
    })
  })

  it("hold no work of commands where only help and checks of texts start", () => {
    assert.deepStrictEqual(["cli-bundle", "quick-bundle"].filter(holdsRuns), ["cli-bundle"])
  })

  it("look at a project however its flag is written", async () => {
    for (const words of [[], ["--no-project=false"], ["--no-project", "off"], ["--no-no-project"]]) {
      assert.isTrue(await checksProject(...words), words.join(" "))
    }
    for (const words of [
      ["--no-project"],
      ["--no-project", "yes"],
      ["--no-project=1"],
      ["--no-project", "--kind=task-list"]
    ]) {
      assert.isFalse(await checksProject(...words), words.join(" "))
    }
  })

  it("answer help like the sources", async () => {
    const sources = inProcess(makeSandbox())
    for (const words of [
      ["--help"],
      ["help"],
      ["help", "run"],
      ["run", "-h"],
      ["tools", "list", "--help"],
      ["nothing", "--help"],
      ["run", "--plugin", "-h"],
      ["check", "--project", "-h", "x"],
      ["skills", "test", "--help"],
      ["help", "nothing"]
    ]) {
      assert.deepStrictEqual(await shim(...words), await sources.run(words), words.join(" "))
    }
    sources.remove()
  })

  it("leave what may load a package of tools to the modules that plugins share", async () => {
    for (const words of [
      ["run", "--plugin", "./a.ts", "x"],
      ["run", "x", "--plugin=./a.ts"],
      ["check", "five-mistakes.md", "--project", ".", "-xp", "."],
      ["resume", "last"],
      ["plugins", "list"],
      ["mcp"]
    ]) {
      const { code, stderr } = await shim(...words)
      assert.deepStrictEqual([code, stderr], [2, unbuilt], words.join(" "))
    }
  })

  it("run, list and show where no package of tools is named", async () => {
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
    assert.deepStrictEqual(
      readdirSync(join(env.TMPDIR, "node-compile-cache")).sort(),
      ["check-project", "run", "runs", "show", "tools"].map((one) => `task-conductor-${one}`),
      "each start has a compile cache of its own"
    )
  })

  it("leave everything to those modules where settings name a package of tools", async () => {
    const home = mkdtempSync(join(packed, "home-"))
    const project = mkdtempSync(join(packed, "project-"))
    const env = { HOME: home, PATH: process.env["PATH"] ?? "" }
    for (const file of [join(home, ".config/task-conductor/config.json"), join(project, "task-conductor.json")]) {
      for (const text of ['{ "plugins": ["a"] }', '{ "pl\\u0075gins": ["a"] }']) {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
        for (const words of [
          ["tools", "list", `--project=${project}`],
          ["run", "-p", project, "x"],
          ["check", "-p", project, "x"]
        ]) {
          assert.strictEqual(
            (await shimIn(packed, env, ...words)).stderr,
            unbuilt,
            `${file} ${text} ${words.join(" ")}`
          )
        }
        rmSync(file)
      }
    }
  })

  it("hold a door that other programs can import", async () => {
    const door = join(packed, "dist/check-bundle/check.js")
    const script = `import { check, fix, issuesForModel, spanOf, toSarif } from ${JSON.stringify(door)}
      import { readFileSync } from "node:fs"
      const text = readFileSync(${JSON.stringify(plan)}, "utf8")
      const report = check(text)
      console.log(report.verdict, issuesForModel(report).split("\\n").length, fix(text).text === text,
        spanOf(text, report.issues[0]).line, toSarif([{ path: "a.md", text, report }]).version)`
    assert.deepStrictEqual(await node(["--input-type=module", "-e", script]), {
      code: 0,
      stdout: "rejected 8 true 16 2.1.0\n",
      stderr: ""
    })
  })

  it("come with the licences of what is in them", () => {
    for (const folder of readdirSync(join(packed, "dist"))) {
      const text = readFileSync(join(packed, "dist", folder, "LICENSES.txt"), "utf8")
      for (const name of ["effect 4", "remark-parse 11", "jsonrepair 3"]) assert.include(text, name)
    }
  })
})
