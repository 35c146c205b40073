import { assert, describe, it } from "@effect/vitest"
import { readMcpFile } from "../../../src/plugins/mcp/McpServers.ts"

const problemsOf = (value: unknown): ReadonlyArray<string> =>
  readMcpFile(JSON.stringify(value, null, 2)).problems.map(({ column, line, what }) => `${line}:${column}: ${what}`)

const entryProblems = (entry: unknown) => problemsOf({ mcpServers: { s: entry } })

const read = (text: string) => {
  const { notes, problems, servers } = readMcpFile(text)
  return { entry: servers.get("s"), problems: problems.map(({ what }) => what), notes: notes.map(({ what }) => what) }
}

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
      { line: 1, column: 44, what: '"mcpServers.b": has neither "command" nor "url". Add one of them.' }
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

  const program = { command: "x", args: ["a"] }
  const address = { type: "http", url: "https://example.com/mcp" }
  const { url } = address
  const foreign: ReadonlyArray<readonly [name: string, entry: unknown, own: unknown]> = [
    ...["streamable-http", "streamableHttp", "streamable_http", "Streamable HTTP", "http", "remote", "https"].map(
      (type) => [`the type ${type}`, { type, url }, address] as const
    ),
    ["the type local", { type: "local", ...program }, { type: "stdio", ...program }],
    ["the type STDIO", { type: "STDIO", ...program }, { type: "stdio", ...program }],
    ["a command that is a list", { command: ["x", "a"] }, program],
    ["a command that is a list, with arguments beside it", { command: ["x"], args: ["a"] }, program],
    ["environment", { command: "x", environment: { A: "b" } }, { command: "x", env: { A: "b" } }],
    [
      "numbers in env",
      { command: "x", env: { PORT: 80, ON: true } },
      { command: "x", env: { PORT: "80", ON: "true" } }
    ],
    ["httpUrl", { httpUrl: url }, { url }],
    ["serverUrl", { serverUrl: url }, { url }],
    ["enabled: true", { ...program, enabled: true }, program],
    ["enabled: false", { ...program, enabled: false }, { ...program, disabled: true }],
    ["disabled: true", { ...program, disabled: true }, { ...program, disabled: true }],
    ["both", { ...program, enabled: true, disabled: true }, { ...program, disabled: true }]
  ]
  it.each(foreign)("is read as other programs write it: %s", (_, entry, own) => {
    assert.deepStrictEqual<unknown>(read(JSON.stringify({ mcpServers: { s: entry } })), {
      entry: own,
      problems: [],
      notes: []
    })
  })

  it("names the old transport, and tries the address", () => {
    const { entry, notes, problems } = read(JSON.stringify({ mcpServers: { s: { type: "sse", url } } }))
    assert.deepStrictEqual<unknown>([entry, problems], [address, []])
    assert.match(notes.join(), /"mcpServers\.s\.type" is "sse", a transport/)
  })

  const texts: ReadonlyArray<readonly [name: string, text: string]> = [
    [
      "comments and trailing commas",
      '{\n  // one\n  "mcpServers": { /* two */ "s": { "command": "x", "args": ["a",], }, },\n}'
    ],
    ["a mark of its encoding", '\uFEFF{"mcpServers":{"s":{"command":"x","args":["a"]}}}'],
    ["the key of VS Code", '{"servers":{"s":{"command":"x","args":["a"]}}}'],
    ["no key around the servers", '{"s":{"command":"x","args":["a"]}}']
  ]
  it.each(texts)("is read with %s", (_, text) => {
    assert.deepStrictEqual<unknown>(read(text), { entry: program, problems: [], notes: [] })
  })
})
