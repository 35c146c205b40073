import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { version } from "../../../src/app/version.ts"
import { processSandbox } from "../../support/fileSandbox.ts"
import { inProcess } from "../../support/inProcess.ts"
import { packageFiles, wordsModule } from "../../support/PluginFiles.ts"

const sandbox = processSandbox()
/** For what loads no plugin. */
const quick = inProcess(sandbox)
const path = (name: string) => join(sandbox.root, "project", name)

const readMade = (name: string) => readFileSync(path(`task-conductor-plugin-2nd-rain.fall/${name}`), "utf8")
const act = (module: string) => sandbox.run(["run", "--skill", "act", "--plugin", `./${module}`, "Act."])

/** A plugin whose tool `act` does what the statements say. */
const actingModule = (name: string, ...statements: ReadonlyArray<string>) =>
  [
    'import * as Effect from "effect/Effect"',
    'import * as Schema from "effect/Schema"',
    'import { definePlugin, tool } from "task-conductor/plugin"',
    "const act = tool({",
    '  description: "Acts.", parameters: Schema.Struct({}), risk: "safe", effect: "pure",',
    `  execute: () => Effect.gen(function* () { ${statements.join("; ")}; yield* Effect.sleep("2 seconds"); return "acted" })`,
    "})",
    `export default definePlugin({ name: "${name}", tools: Effect.succeed({ act }) })`
  ].join("\n")

const skill = "---\nname: act\ndescription: Acts. Use it always.\nallowed-tools: act\n---\n\n## Execution\n\nSay so.\n"

for (const [name, text] of Object.entries(packageFiles("project/node_modules/words", wordsModule()))) {
  sandbox.write(name, text)
}
sandbox.write("project/task-conductor.json", JSON.stringify({ plugins: ["words"] }))
sandbox.write("config/task-conductor/mine.mjs", wordsModule({ name: "mine", tool: "mine" }))
sandbox.write("config/task-conductor/shadow.mjs", wordsModule({ name: "shadow", tool: "read_file" }))
sandbox.write("config/task-conductor/config.json", JSON.stringify({ plugins: ["./mine.mjs", "./shadow.mjs"] }))
sandbox.write("project/.task-conductor/skills/act/SKILL.md", skill)
sandbox.write("project/exits.mjs", actingModule("exits", "process.exit(0)"))
sandbox.write("project/strays.mjs", actingModule("strays", 'setTimeout(() => { throw new Error("late\\nmore") }, 0)'))
sandbox.write("project/prints.mjs", actingModule("prints", 'console.log("printed")'))

describe.concurrent("plugins list", () => {
  it("shows who named each plugin, with its tools or why it is not used", async () => {
    const { code, stderr, stdout } = await sandbox.run(["plugins", "list"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    const [builtIn = "", ...others] = stdout.split(/^(?=\S)/m)
    assert.match(builtIn, new RegExp(`^built-in  ${version}  built-in\\n(?:  \\S+ +(?:safe|medium|high)\\n)+$`))
    assert.match(
      others.join(""),
      /^mine {2}user {2}\.\/mine\.mjs\n {2}mine +safe\nshadow {2}user {2}\.\/shadow\.mjs\n {2}The plugin "shadow" is not used: its tool "read_file" exists already \(built-in\)\. .*\nwords {2}1\.2\.0 {2}project\n {2}The plugin "words" is not used: the project names it and you have not trusted it .*\n$/
    )
  })
})

describe.concurrent("plugins new", () => {
  it("makes a package in TypeScript, which runs as it is", async () => {
    const { stdout } = await sandbox.run(["plugins", "new", "word-count", "--typescript", "--json"])
    assert.deepStrictEqual(JSON.parse(stdout), {
      folder: "<root>/project/word-count",
      files: ["README.md", "index.test.ts", "index.ts", "package.json", "tsconfig.json"]
    })
    const listed = await sandbox.run(["tools", "list", "--json", "--plugin", "./word-count/index.ts"])
    assert.include(listed.stdout, '"word_count"')
  })

  it("makes a package named as asked, and says what comes next", async () => {
    assert.deepStrictEqual(await quick.run(["plugins", "new", "@team/task-conductor-plugin-2nd-rain.fall"]), {
      code: 0,
      stdout: "<root>/project/task-conductor-plugin-2nd-rain.fall\n",
      stderr:
        "made README.md, index.js, index.test.js, package.json. Next: cd task-conductor-plugin-2nd-rain.fall && npm install && npm test\nIf npm ends with E404, README.md says what to do.\n"
    })
    assert.deepInclude(JSON.parse(readMade("package.json")), {
      name: "@team/task-conductor-plugin-2nd-rain.fall",
      peerDependencies: { "task-conductor": `^${version}` }
    })
    assert.include(readMade("index.js"), 'name: "2nd-rain.fall", tools: { tool_2nd_rain_fall: wordCount }')
    assert.include(readMade("README.md"), `npm install --save-dev PATH/task-conductor-${version}.tgz`)
    assert.include(readMade("index.test.js"), 'runTool(plugin, "tool_2nd_rain_fall", { path: "none.md" })')
    const list = ["tools", "list", "--plugin", "./task-conductor-plugin-2nd-rain.fall"]
    assert.match(
      (await sandbox.run(list)).stdout,
      /^tool_2nd_rain_fall +safe {4}Counts .* \(plugin 2nd-rain\.fall@0\.1\.0\)$/m
    )
  })

  it("overwrites nothing", async () => {
    sandbox.write("project/kept/notes.txt", "mine")
    const { code, stderr } = await quick.run(["plugins", "new", "kept"])
    assert.strictEqual(code, 2)
    assert.include(stderr, "<root>/project/kept exists and is not empty. Nothing was written. Choose another name.\n")
    assert.isFalse(existsSync(path("kept/package.json")))
    sandbox.write("project/file", "mine")
    const inFile = await quick.run(["plugins", "new", "file"])
    const said = "<root>/project/file cannot be written. A part of the path is a file, not a folder."
    assert.deepStrictEqual([inFile.code, inFile.stderr], [1, `${said} Fix that, or go to another folder.\n`])
    assert.strictEqual(readFileSync(path("file"), "utf8"), "mine")
    mkdirSync(path("../other"))
    symlinkSync("../other", path("linked"))
    const linked = await quick.run(["plugins", "new", "linked"])
    assert.strictEqual(linked.code, 2)
    assert.include(linked.stderr, "<root>/project/linked leads out of this folder through a link, to <root>/other.")
    assert.deepStrictEqual(readdirSync(path("../other")), [])
  })

  it("refuses what npm does not take as a name", async () => {
    for (const name of ["Rain", "../rain", "@team", "rain fall", ".rain"]) {
      const { code, stderr } = await quick.run(["plugins", "new", name])
      assert.strictEqual(code, 2)
      assert.include(stderr, `"${name}" cannot be the name of an npm package: `)
    }
  })
})

describe("a plugin that spoils the process", () => {
  it("cannot make unfinished work look done by ending it", async () => {
    const { code, stderr } = await act("exits.mjs")
    assert.strictEqual(code, 1)
    assert.include(stderr, "A plugin ended the program in the middle of its work.\n")
  })

  it("stops the run with one line by throwing where nobody catches", async () => {
    const { code, stderr } = await act("strays.mjs")
    assert.strictEqual(code, 1)
    assert.match(stderr, /^task-conductor stops. Code outside any call threw an error, most likely a plugin: late$/m)
    assert.notMatch(stderr, /^\s+at /m)
  })

  it("does not print between the results", async () => {
    const { code, stderr, stdout } = await act("prints.mjs")
    assert.deepStrictEqual([code, stdout.includes("printed"), stderr.includes("printed\n")], [0, false, true])
  })
})
