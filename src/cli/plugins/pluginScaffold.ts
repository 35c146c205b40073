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
/** The tool \`${tool}\`. Importing this file only defines it: what has to be opened is opened in \`tools\`. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, tool, Workspace } from "task-conductor/plugin"

const maxBytes = 1_000_000

/** @param {string} text */
const countWords = (text) => text.split(/\\s+/).filter((word) => word !== "").length

const wordCount = tool({
  description: "Counts the words and lines of a file. Use it when the length of a text is asked for.",
  parameters: Schema.Struct({
    path: Schema.String.annotate({ description: "The file, relative to the project." })
  }),
  risk: "safe",
  effect: "pure",
  example: { path: "README.md" },
  access: ({ path }) => [{ _tag: "ReadFile", path }],
  execute: ({ path }) =>
    Effect.gen(function* () {
      const workspace = yield* Workspace
      const text = yield* workspace.readText(path, maxBytes)
      return { path, words: countWords(text), lines: text.split("\\n").length }
    })
})

export default definePlugin({ name: "${plugin}", tools: Effect.succeed({ ${tool}: wordCount }) })
`

const testOf = (tool: string): string => `// @ts-check
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
    "${tool}",
    { path: "a.md" },
    { files: { "a.md": "one two\\nthree" } }
  )
  assert.deepEqual([data, error_message], [{ path: "a.md", words: 3, lines: 2 }, null])
})

test("says that a file is missing", async () => {
  const { error_type } = await runTool(plugin, "${tool}", { path: "none.md" })
  assert.equal(error_type, "not_found")
})
`

const readmeOf = (name: string, tool: string, hostVersion: string): string => `# ${name}

Tools for [task-conductor](https://www.npmjs.com/package/task-conductor).

| tool | risk | does |
|---|---|---|
| \`${tool}\` | safe | counts the words and lines of a file |

\`\`\`
npm install ${name}
\`\`\`

Before it is published, \`npm pack\` makes a tarball that \`npm install\` takes in place of the name.

Name it in \`task-conductor.json\`, and the tool in \`allowed-tools\` of a skill:

\`\`\`json
{ "plugins": ["${name}"] }
\`\`\`

\`npm test\` checks the package. Choose a licence before you publish it.

While task-conductor is not on the npm registry, \`npm install\` in this folder ends with E404. Make a tarball with
\`npm pack\` in a clone of task-conductor, and install that:

\`\`\`
npm install --save-dev PATH/task-conductor-${hostVersion}.tgz
\`\`\`
`

/** The text of every file by its path; \`hostVersion\` is the version of task-conductor that it is made for. */
export const pluginScaffold = (packageName: string, hostVersion: string): Readonly<Record<string, string>> => {
  const plugin = pluginNameOf(packageName)
  const tool = toolNameOf(plugin)
  return {
    "package.json": manifestOf(packageName, hostVersion),
    "index.js": moduleOf(plugin, tool),
    "index.test.js": testOf(tool),
    "README.md": readmeOf(packageName, tool, hostVersion)
  }
}
