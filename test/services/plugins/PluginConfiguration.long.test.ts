/** Configurations of plugins in files, on the command line. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { makeSandbox, type Sandbox } from "../../support/binary.ts"

const sandboxes: Array<Sandbox> = []
afterAll(() => {
  for (const sandbox of sandboxes) sandbox.remove()
})

/** A plugin that wants a table, and whose tool has the table in its name. */
const query = `import { definePlugin, tool } from "task-conductor/plugin"

export default definePlugin({
  name: "query",
  config: { type: "object", properties: { table: { type: "string" } }, required: ["table"] },
  tools: ({ config: { table } }) => ({
    [\`query_\${table}\`]: tool({
      description: "Queries.",
      parameters: { type: "object", properties: {} },
      risk: "safe",
      effect: "pure",
      execute: async () => table
    })
  })
})
`

interface Named {
  readonly project?: ReadonlyArray<unknown>
  readonly user?: ReadonlyArray<unknown>
}

const open = ({ project = [], user = [] }: Named): Sandbox => {
  const sandbox = makeSandbox()
  sandboxes.push(sandbox)
  sandbox.write("project/query.mjs", query)
  sandbox.write("config/task-conductor/query.mjs", query)
  sandbox.write("project/task-conductor.json", JSON.stringify({ plugins: project }))
  sandbox.write("config/task-conductor/config.json", JSON.stringify({ plugins: user }))
  return sandbox
}

const listed = async (sandbox: Sandbox, ...flags: ReadonlyArray<string>) => {
  const { stdout } = await sandbox.run(["plugins", "list", "--json", ...flags])
  const plugins = JSON.parse(stdout) as ReadonlyArray<{
    readonly name: string
    readonly tools: ReadonlyArray<{ readonly name: string }>
    readonly configuration?: { readonly is_set: boolean; readonly schema: unknown }
    readonly problem?: { readonly code: string; readonly message: string }
  }>
  const plugin = plugins.find(({ name }) => name !== "built-in")
  return { ...plugin, tools: plugin?.tools.map(({ name }) => name) }
}

const schema = { type: "object", properties: { table: { type: "string" } }, required: ["table"] }

describe.concurrent("the configuration of a plugin", () => {
  it("stands behind its name in your own file, and is listed", async () => {
    const sandbox = open({ user: [["./query.mjs", { table: "rows" }]] })
    const { configuration, tools } = await listed(sandbox)
    assert.deepStrictEqual([configuration, tools], [{ schema, is_set: true }, ["query_rows"]])
    const { stdout } = await sandbox.run(["plugins", "list"])
    assert.match(stdout, /^ {2}configuration: table$/m)
  })

  it("that is wrong is named with the file and its place, and one that is missing with how to write it", async () => {
    const wrong = await listed(open({ user: [["./query.mjs", { table: 3 }]] }))
    assert.deepInclude(wrong.problem, {
      code: "Configuration",
      message:
        'The plugin "query" is not used: its configuration in <root>/config/task-conductor/config.json cannot be used: "plugins[0][1].table" must be a string, but is the number 3. Write it in double quotes.'
    })
    const { configuration, problem } = await listed(open({ user: ["./query.mjs"] }))
    assert.deepStrictEqual(configuration, { schema, is_set: false })
    const why = 'it needs a configuration: "table" is missing. Add it. Write ["./query.mjs", { ... }]'
    assert.include(problem?.message, why)
  })

  it("of your own file holds for a plugin that a flag names, and that of a project does not", async () => {
    const own = open({ user: [["./query.mjs", { table: "rows" }]] })
    const { tools } = await listed(own, "--plugin", "../config/task-conductor/query.mjs")
    assert.deepStrictEqual(tools, ["query_rows"])
    const ofProject = open({ project: [["./query.mjs", { table: "rows" }]] })
    const { code, stderr } = await ofProject.run(["run", "--plugin", "./query.mjs", "Where?"])
    assert.deepStrictEqual([code, stderr.includes("it needs a configuration")], [2, true], stderr)
  })

  it("of a project is trusted with its plugin: another one is asked about again", async () => {
    const sandbox = open({ project: [["./query.mjs", { table: "rows" }]] })
    const hashOf = async () => /sha256:([\da-f]+)/.exec((await listed(sandbox)).problem?.message ?? "")?.[1]
    const before = await hashOf()
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ allow: ["load_plugin:**"] }))
    assert.deepStrictEqual((await listed(sandbox)).tools, ["query_rows"])
    sandbox.write("config/task-conductor/config.json", "{}")
    sandbox.write("project/task-conductor.json", JSON.stringify({ plugins: [["./query.mjs", { table: "others" }]] }))
    const after = await hashOf()
    assert.isTrue(before !== undefined && after !== undefined && before !== after)
  })
})

describe.concurrent("a secret of a plugin", () => {
  it("is listed with what it is for, and how to give it when it is missing", async () => {
    const sandbox = open({ user: ["./issues.mjs"] })
    const issues = query
      .replace(/config: .*/, 'secrets: { ISSUES_KEY: "Reads issues." },')
      .replace(/\(\{ config.*=>/, "() =>")
    sandbox.write(
      "config/task-conductor/issues.mjs",
      issues.replaceAll("${table}", "issues").replace("=> table", '=> ""')
    )
    const missing = await sandbox.run(["plugins", "list"])
    assert.match(missing.stdout, /^ {2}secret ISSUES_KEY: Reads issues\. \(missing\)$/m)
    assert.include(
      missing.stdout,
      'The plugin "query" is used, but the secret ISSUES_KEY is missing (Reads issues): Set the environment variable ISSUES_KEY'
    )
    sandbox.write("config/task-conductor/keys/issues", "the-key-of-issues\n")
    chmodSync(join(sandbox.root, "config/task-conductor/keys/issues"), 0o600)
    const settings = { plugins: ["./issues.mjs"], secrets: { ISSUES_KEY: { file: "keys/issues" } } }
    sandbox.write("config/task-conductor/config.json", JSON.stringify(settings))
    const given = await sandbox.run(["plugins", "list"])
    assert.match(given.stdout, /^ {2}secret ISSUES_KEY: Reads issues\.$/m)
    sandbox.write("project/task-conductor.json", JSON.stringify({ secrets: settings.secrets }))
    const { code, stderr } = await sandbox.run(["plugins", "list"])
    assert.notStrictEqual(code, 0)
    assert.include(stderr, '"secrets" has no effect in a project')
  })
})
