/**
 * The files of a new plugin: plain JavaScript that Node runs without a build, with types from the imports.
 * Pure; `plugins new` writes them.
 */

/** The part of a package name after its scope: the folder it is made in. */
export const folderOf = (packageName: string): string => packageName.split("/").at(-1) ?? packageName

const pluginNameOf = (packageName: string): string => folderOf(packageName).replace(/^task-conductor-plugin-(?=.)/, "")

/** Lower-case words joined by underscores, beginning with a letter. */
const toolNameOf = (pluginName: string): string => {
  const words = pluginName.split(/[^a-z0-9]+/).filter((word) => word !== "")
  const name = words.join("_")
  return /^[a-z]/.test(name) ? name : ["tool", ...words].join("_")
}

const manifestOf = (name: string, hostVersion: string): string =>
  `${JSON.stringify(
    {
      name,
      version: "0.1.0",
      description: "Tools for task-conductor.",
      keywords: ["task-conductor-plugin"],
      license: "UNLICENSED",
      type: "module",
      exports: "./index.js",
      files: ["index.js"],
      engines: { node: ">=22.19" },
      scripts: { test: "node --test" },
      peerDependencies: { effect: "^4.1.0", "task-conductor": `^${hostVersion}` }
    },
    null,
    2
  )}\n`

const moduleOf = (plugin: string, tool: string): string => `// @ts-check
/** The tools of this package. Importing this file only defines them: what has to be opened is opened in \`tools\`. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, tool } from "task-conductor/plugin"

const countWords = tool({
  description: "Counts the words of a text. Use it when a length in words is asked for.",
  parameters: Schema.Struct({
    text: Schema.String.annotate({ description: "The text to count." })
  }),
  risk: "safe",
  effect: "pure",
  example: { text: "one two three" },
  execute: ({ text }) => Effect.succeed(text.split(/\\s+/).filter((word) => word !== "").length)
})

export default definePlugin({
  name: "${plugin}",
  tools: Effect.succeed({ ${tool}: countWords })
})
`

const testOf = (tool: string): string => `// @ts-check
import assert from "node:assert/strict"
import { test } from "node:test"
import { checkPlugin, runTool } from "task-conductor/testing"

const plugin = new URL("./index.js", import.meta.url)

test("is a plugin that the host accepts", async () => {
  assert.deepEqual(await checkPlugin(plugin), [])
})

test("counts words", async () => {
  const { data, error_message } = await runTool(plugin, "${tool}", { text: "one two three" })
  assert.deepEqual([data, error_message], [3, null])
})

test("rejects a value that is not text", async () => {
  const { error_type } = await runTool(plugin, "${tool}", { text: 3 })
  assert.equal(error_type, "validation_failed")
})
`

const readmeOf = (name: string, tool: string): string => `# ${name}

Tools for [task-conductor](https://www.npmjs.com/package/task-conductor).

| tool | risk | does |
|---|---|---|
| \`${tool}\` | safe | counts the words of a text |

\`\`\`
npm install ${name}
\`\`\`

Name it in \`task-conductor.json\`, and the tool in \`allowed-tools\` of a skill:

\`\`\`json
{ "plugins": ["${name}"] }
\`\`\`

\`npm test\` checks the package. Choose a licence before you publish it.
`

/** The text of every file by its path; \`hostVersion\` is the version of task-conductor that it is made for. */
export const pluginScaffold = (packageName: string, hostVersion: string): Readonly<Record<string, string>> => {
  const plugin = pluginNameOf(packageName)
  const tool = toolNameOf(plugin)
  return {
    "package.json": manifestOf(packageName, hostVersion),
    "index.js": moduleOf(plugin, tool),
    "index.test.js": testOf(tool),
    "README.md": readmeOf(packageName, tool)
  }
}
