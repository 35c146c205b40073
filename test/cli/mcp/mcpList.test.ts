import { afterAll, assert, it } from "@effect/vitest"
import { join } from "node:path"
import { makeSandbox } from "../../support/binary.ts"
import { isRunning, scriptedServer, startsOf } from "../../support/McpServers.ts"

const sandbox = makeSandbox()
afterAll(() => sandbox.remove())

it("lists servers beside plugins, and says of every other one why it is not used", async () => {
  sandbox.write("traces/none", "")
  const traces = join(sandbox.root, "traces")
  const own = { mcpServers: { mine: scriptedServer(traces, "poor tools") } }
  sandbox.write("config/task-conductor/config.json", JSON.stringify(own))
  sandbox.write(
    "project/.mcp.json",
    JSON.stringify({ mcpServers: { theirs: scriptedServer(traces), old: { type: "sse", url: "https://example.com" } } })
  )
  const { code, stderr, stdout } = await sandbox.run(["plugins", "list", "--json"])
  const servers = (JSON.parse(stdout) as ReadonlyArray<Readonly<Record<string, unknown>>>).filter(({ name }) =>
    String(name).startsWith("mcp:")
  )
  assert.deepStrictEqual(
    [code, servers.map(({ name, origin, problem, tools }) => [name, origin, problem === undefined, tools])],
    [
      0,
      [
        [
          "mcp:mine",
          "user",
          true,
          [
            { name: "mcp__mine__say", risk: "medium" },
            { name: "mcp__mine__erase", risk: "high" },
            { name: "mcp__mine__look", risk: "medium" },
            { name: "mcp__mine__long", risk: "medium" }
          ]
        ],
        ["mcp:theirs", "project", false, []]
      ]
    ]
  )
  const notes = stderr.trimEnd().split("\n")
  assert.match(
    notes[0] ?? "",
    /^note: <root>\/project\/\.mcp\.json:1:\d+: "mcpServers\.old\.type": the transport "sse"/
  )
  assert.deepStrictEqual(
    notes.slice(1).map((note) => /^note: The tool "(.*)" of the server "mine" is left out: /.exec(note)?.[1]),
    ["array", "Say!", "???", "broken", "huge"]
  )
  assert.deepStrictEqual(startsOf(traces).map(isRunning), [false])
})
