import { afterAll, assert, it } from "@effect/vitest"
import { join } from "node:path"
import { makeSandbox } from "../../support/binary.ts"
import { inProcess } from "../../support/inProcess.ts"
import { isRunning, scriptedServer, startsOf } from "../../support/McpServers.ts"

const sandbox = inProcess(makeSandbox())
afterAll(() => sandbox.remove())

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
        ["mcp:theirs", "project", false, []],
        ["mcp:old", "project", false, []],
        ["mcp:other", "user", false, []],
        ["mcp:off", "project", false, []]
      ]
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
  assert.deepStrictEqual(
    notes.map((note) => /^note: The tool "(.*)" of the server "mine" is left out: /.exec(note)?.[1]),
    ["array", "Say!", "???", "broken", "huge"]
  )
  assert.deepStrictEqual(startsOf(traces).map(isRunning), [false])

  const listed = await sandbox.run(["skills", "list", "--json"])
  const { skills } = JSON.parse(listed.stdout) as { skills: ReadonlyArray<Readonly<Record<string, unknown>>> }
  assert.deepStrictEqual(
    skills
      .filter(({ name }) => String(name).startsWith("use-"))
      .map(({ allowed_tools, name, offered, origin, path }) => [name, origin, path, offered, allowed_tools]),
    [
      [
        "use-mine",
        "tools",
        "mcp:mine",
        true,
        ["mcp__mine__say", "mcp__mine__erase", "mcp__mine__look", "mcp__mine__long"]
      ]
    ]
  )
})
