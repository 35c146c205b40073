import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Commands, definePlugin, type Plugin, tool, ToolFailure, type Tools, Workspace } from "../src/plugin-kit.ts"
import { embedded } from "../src/services/providers/embedded/EmbeddedModel.ts"
import { checkPlugin, runTool, testSkill } from "../src/testing.ts"

const wordCount = tool({
  description: "Counts the words of a text.",
  parameters: Schema.Struct({ text: Schema.String }),
  risk: "safe",
  effect: "pure",
  example: { text: "one two" },
  execute: ({ text }) => Effect.succeed(text.split(/\s+/).length)
})

const pluginOf = (tools: Tools): Plugin => definePlugin({ name: "words", tools: Effect.succeed(tools) })

const bytesOf = tool({
  description: "Says how many characters a file has.",
  parameters: Schema.Struct({ path: Schema.String }),
  risk: "safe",
  effect: "pure",
  access: ({ path }) => [{ _tag: "ReadFile", path }],
  execute: ({ path }, { granted: [file] }) =>
    Effect.gen(function* () {
      const { readText } = yield* Workspace
      return (yield* readText(file?._tag === "ReadFile" ? file.path : path, 1000)).length
    })
})

const copyOf = tool({
  description: "Writes a copy.",
  parameters: Schema.Struct({ text: Schema.String }),
  risk: "high",
  effect: "idempotent",
  access: ({ text }) => [{ _tag: "WriteFile", path: "copy.txt", content: text }],
  execute: (_, { granted: [file] }) =>
    Effect.gen(function* () {
      const { write } = yield* Workspace
      if (file?._tag !== "WriteFile") return null
      yield* write(file)
      return "written"
    })
})

describe("runTool", () => {
  it("gives an envelope for a call and for every failure, and rejects for a plugin that no host would use", async () => {
    const plugin = pluginOf({ word_count: wordCount, copy_of: copyOf })
    const { metadata, ...rest } = await runTool(plugin, "word_count", { text: "one two three" })
    assert.deepStrictEqual(rest, { success: true, data: 3, error_message: null, error_type: "none" })
    assert.strictEqual(metadata.data_size_bytes, 1)
    assert.strictEqual((await runTool(plugin, "word_count", { text: 3 })).error_type, "validation_failed")
    assert.strictEqual((await runTool(plugin, "word_counter")).error_type, "not_found")
    const denied = await runTool(plugin, "copy_of", { text: "x" })
    assert.strictEqual(denied.error_type, "permission_denied")
    assert.match(
      denied.error_message ?? "",
      /do not allow copy_of on \S+copy\.txt.* In a test: allow: \["copy_of:\S+copy\.txt"\]\.$/
    )
    const taken = runTool(pluginOf({ read_file: wordCount }), "read_file").catch((error: Error) => error.message)
    assert.match(String(await taken), /^The plugin "words" is not used: its tool "read_file" exists already/)
    const rule = await runTool(plugin, "copy_of", {}, { allow: ["Copy"] }).catch((error: Error) => error.message)
    assert.match(String(rule), /^allow: "Copy" is not a tool name/)
  })

  it("names the rule for a command that a tool runs where there is no sandbox", async () => {
    const version = tool({
      description: "Says the version of node.",
      parameters: Schema.Struct({}),
      risk: "safe",
      effect: "pure",
      access: () => [{ _tag: "RunCommand", argv: ["node", "--version"] }],
      execute: (_, { granted: [command] }) =>
        Effect.gen(function* () {
          const { run } = yield* Commands
          return command?._tag === "RunCommand" ? (yield* run(command)).output : ""
        })
    })
    const programs = mkdtempSync(join(tmpdir(), "task-conductor-test-"))
    symlinkSync(process.execPath, join(programs, "node"))
    const path = process.env["PATH"]
    process.env["PATH"] = programs
    const rule = "version:(no sandbox) node --version"
    const denied = await runTool(pluginOf({ version }), "version", {}, { allow: ["version"] })
    const allowed = await runTool(pluginOf({ version }), "version", {}, { allow: [rule] })
    process.env["PATH"] = path
    rmSync(programs, { recursive: true })
    assert.include(denied.error_message ?? "", `In a test: allow: ${JSON.stringify([rule])}.`)
    assert.deepStrictEqual([allowed.error_message, allowed.data], [null, `${process.version}\n`])
  })

  it("brings files for the tool to read, and keeps a folder of the test", async () => {
    const project = mkdtempSync(join(tmpdir(), "task-conductor-test-"))
    const plugin = pluginOf({ bytes_of: bytesOf, copy_of: copyOf })
    const read = await runTool(plugin, "bytes_of", { path: "a/b.txt" }, { files: { "a/b.txt": "four" } })
    assert.deepStrictEqual([read.data, read.error_message], [4, null])
    const written = await runTool(plugin, "copy_of", { text: "kept" }, { project, allow: ["copy_of:copy.txt"] })
    assert.deepStrictEqual([written.data, written.error_message], ["written", null])
    assert.strictEqual(readFileSync(join(project, "copy.txt"), "utf8"), "kept")
    rmSync(project, { recursive: true })
  })
})

describe("checkPlugin", () => {
  it("finds nothing wrong with a good plugin, also with one that brings only models", async () => {
    assert.deepStrictEqual(await checkPlugin(pluginOf({ word_count: wordCount })), [])
    const models = definePlugin({ name: "models", providers: [{ ...embedded, id: "models" }] })
    assert.deepStrictEqual(await checkPlugin(models), [])
  })

  it("says what the host would say", async () => {
    assert.deepStrictEqual(await checkPlugin({ ...pluginOf({ word_count: wordCount }), apiVersion: 7 }), [
      'The plugin "words" is not used: it needs version 7 of the plugin interface, and this program has version 1. Install a compatible version of it.'
    ])
    assert.deepStrictEqual(await checkPlugin(pluginOf({ read_file: wordCount })), [
      'The plugin "words" is not used: its tool "read_file" exists already (built-in). Rename it, or remove one of them.'
    ])
  })

  it("finds an example that cannot be called", async () => {
    const touching = tool({ ...wordCount, access: () => [{ _tag: "ReadFile", path: "a\u0000b" }] })
    const [problem] = await checkPlugin(pluginOf({ touching }))
    assert.match(problem ?? "", /^the example of "touching": /)
  })

  it("says so when a plugin has no tools, no name, or cannot open its tools", async () => {
    const nameless = definePlugin({ name: " ", tools: Effect.succeed({}) })
    assert.deepStrictEqual(await checkPlugin(nameless), [
      'The plugin " " is not used: its name is reserved, or not of the form of a package name: lower-case letters, digits and hyphens.'
    ])
    assert.deepStrictEqual(await checkPlugin(pluginOf({})), ["the plugin has no tools"])
    const broken = definePlugin({
      name: "broken",
      tools: Effect.fail(new ToolFailure({ type: "io_error", message: "no database" }))
    })
    assert.match((await checkPlugin(broken)).join(), /^The plugin "broken" is not used: .*no database/s)
  })
})

it("runs the tests of a skill for people who do not write Effect", async () => {
  const skill = new URL("../skills/search-code/SKILL.md", import.meta.url).pathname
  const results = await testSkill(skill)
  assert.deepStrictEqual(
    results.map(({ problems }) => problems),
    results.map(() => [])
  )
  const failed = await testSkill(skill, { allow: ["Read File"] }).catch((error: unknown) => String(error))
  assert.include(failed, '"Read File" is not a tool name.')
})
