import { assert, describe, it } from "@effect/vitest"
import { readMcpFile } from "../../../src/services/mcp/McpServers.ts"

const problemsOf = (value: unknown): ReadonlyArray<string> =>
  readMcpFile(JSON.stringify(value, null, 2)).problems.map(({ column, line, what }) => `${line}:${column}: ${what}`)

const entryProblems = (entry: unknown) => problemsOf({ mcpServers: { s: entry } })

describe(".mcp.json", () => {
  it("names programs and addresses", () => {
    const program = { command: "npx", args: ["-y", "x"], env: { A: "${A}" }, cwd: "sub" }
    const address = { type: "http", url: "https://example.com/mcp", headers: { "X-Key": "k" } }
    const { problems, servers } = readMcpFile(JSON.stringify({ mcpServers: { program, address } }))
    assert.deepStrictEqual(
      [[...servers], problems],
      [
        [
          ["program", program],
          ["address", address]
        ],
        []
      ]
    )
  })

  it("ignores the keys of other programs with a note, and keeps the server", () => {
    const entry = {
      command: "x",
      autoApprove: ["say"],
      alwaysAllow: [],
      timeout: 60,
      description: "Says things.",
      envFile: ".env",
      tools: ["*"],
      disabled: false
    }
    const { notes, problems, servers } = readMcpFile(JSON.stringify({ inputs: [], mcpServers: { s: entry } }, null, 1))
    assert.deepStrictEqual(servers.get("s"), { command: "x", disabled: false })
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(notes[0], {
      line: 2,
      column: 2,
      what: '"inputs" is a key of another program and is ignored.'
    })
    assert.deepStrictEqual(
      notes.map(({ what }) => /^"(?:mcpServers\.s\.)?(\w+)"/.exec(what)?.[1]),
      ["inputs", "autoApprove", "alwaysAllow", "timeout", "description", "envFile", "tools"]
    )
  })

  it("takes a misspelled key for a mistake, since a server must not start without what it was meant to have", () => {
    for (const key of ["arg", "Args", "envs", "cmd_", "commnad", "header", "disable", "disabeld"]) {
      const entry = key === "cmd_" ? { comand: "x" } : { command: "x", [key]: [] }
      const { notes, problems, servers } = readMcpFile(JSON.stringify({ mcpServers: { s: entry } }))
      assert.deepStrictEqual([servers.size, notes.length, problems.length], [0, 0, 1], key)
    }
  })

  it("keeps the servers that are fine beside one that is not", () => {
    const { problems, servers } = readMcpFile('{ "mcpServers": { "a": { "command": "x" }, "b": {} } }')
    assert.deepStrictEqual([...servers.keys()], ["a"])
    assert.deepStrictEqual(problems, [
      {
        line: 1,
        column: 44,
        what: '"mcpServers.b": has neither "command" nor "url". Add one of them.'
      }
    ])
  })

  const wrong: ReadonlyArray<readonly [entry: unknown, problem: string]> = [
    [{ command: "x", url: "y" }, '3:5: "mcpServers.s": holds "command" and "url". Leave one of them out.'],
    [
      { url: "y", args: [] },
      '3:5: "mcpServers.s": holds "args", which a server with an address cannot have. Remove it.'
    ],
    [{ command: "x", headers: {} }, '3:5: "mcpServers.s": holds "headers", which a program cannot have. Remove them.'],
    [
      { type: "http", command: "x" },
      '3:5: "mcpServers.s": has the type "http" and a program. Use "stdio", or "url" instead of "command".'
    ],
    [
      { type: "stdio", url: "y" },
      '3:5: "mcpServers.s": has the type "stdio" and an address. Use "http", or "command" instead of "url".'
    ],
    [{ type: "ws", url: "y" }, '4:7: "mcpServers.s.type" must be "stdio" or "http", but is "ws".'],
    [
      { type: "sse", url: "y" },
      '4:7: "mcpServers.s.type": the transport "sse" is no longer part of the protocol and is not supported. Use "http" with the address of the server\'s streamable HTTP endpoint.'
    ],
    [{ command: "x", arg: [] }, '5:7: unknown key "mcpServers.s.arg". Nearest: args.'],
    [
      { command: "x", risk: "safe" },
      '5:7: "mcpServers.s.risk" has no effect in a project\'s file, because only you decide it. Name the server in your user configuration.'
    ]
  ]
  for (const [entry, problem] of wrong) {
    it(`says what is wrong with ${JSON.stringify(entry)}`, () => {
      assert.deepStrictEqual(entryProblems(entry), [problem])
    })
  }

  it("says what is wrong with the file as a whole", () => {
    const shape = '1:1: the file does not hold an object "mcpServers". Write { "mcpServers": { "NAME": { ... } } }.'
    assert.deepStrictEqual(
      [problemsOf([]), problemsOf({}), problemsOf({ mcpServers: [] })],
      [[shape], [shape], [shape]]
    )
    assert.deepStrictEqual(readMcpFile("{").problems, [{ line: 1, column: 2, what: "close brace expected." }])
  })
})
