import { assert, it } from "@effect/vitest"
import { join } from "node:path"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { isRunning, scriptedServer, startsOf } from "../../support/McpServers.ts"

const sandbox = fileSandbox()

const names = (tools: unknown) => (tools as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

it("lists servers beside plugins, and says of every other one why it is not used", async () => {
  sandbox.write("traces/none", "")
  const traces = join(sandbox.root, "traces")
  const other = { command: "x", disabled: true }
  const own = { mcpServers: { mine: scriptedServer(traces, "poor tools"), other } }
  sandbox.write("config/task-conductor/config.json", JSON.stringify(own))
  sandbox.write(
    "project/.mcp.json",
    JSON.stringify({
      mcpServers: {
        theirs: { ...scriptedServer(traces), autoApprove: ["say"] },
        old: { type: "sse", url: "https://example.com" },
        off: { ...scriptedServer(traces), disabled: true },
        other: scriptedServer(traces)
      }
    })
  )
  const { stderr, stdout } = await sandbox.run(["plugins", "list", "--json"])
  const servers = (JSON.parse(stdout) as ReadonlyArray<Readonly<Record<string, unknown>>>).filter(({ name }) =>
    String(name).startsWith("mcp:")
  )
  const tools = ["say", "erase", "look", "long"].map((name) => `mcp__mine__${name}`)
  assert.deepStrictEqual(
    servers.map(({ name, origin, problem, tools: all }) => [name, origin, problem === undefined, names(all)]),
    [
      ["mcp:mine", "user", true, tools],
      ["mcp:theirs", "project", false, []],
      ["mcp:old", "project", false, []],
      ["mcp:other", "user", false, []],
      ["mcp:off", "project", false, []]
    ]
  )
  assert.deepStrictEqual(
    servers.slice(3).map(({ problem }) => (problem as { readonly message: string }).message),
    [
      'The server "other" is not used: it is disabled in your configuration.',
      'The server "off" is not used: it is disabled in the project\'s file.'
    ]
  )
  /* A slow start is reported before. */
  const notes = stderr.split("\n").filter((line) => line.startsWith("note: "))
  assert.match(
    notes.pop() ?? "",
    /"mcpServers\.old\.type" is "sse", a transport that is no longer part of the protocol/
  )
  assert.match(notes.pop() ?? "", /"mcpServers\.theirs\.autoApprove" is a key of another program and is ignored\.$/)
  assert.lengthOf(notes, 5)
  assert.deepStrictEqual(startsOf(traces).map(isRunning), [false])
})
