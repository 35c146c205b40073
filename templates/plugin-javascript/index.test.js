// @ts-check
import assert from "node:assert/strict"
import { test } from "node:test"
import { checkPlugin, runTool } from "task-conductor/testing"

const plugin = new URL("./index.js", import.meta.url)

test("is a plugin that the host accepts", async () => {
  assert.deepEqual(await checkPlugin(plugin), [])
})

test("counts words and lines", async () => {
  const { data, error_message } = await runTool(
    plugin,
    "TOOL_NAME",
    { path: "a.md" },
    { files: { "a.md": "one two\nthree\n" } }
  )
  assert.deepEqual([data, error_message], [{ path: "a.md", words: 3, lines: 2 }, null])
})

test("says that a file is missing", async () => {
  const { error_type } = await runTool(plugin, "TOOL_NAME", { path: "none.md" })
  assert.equal(error_type, "not_found")
})
