import { assert, describe, it } from "@effect/vitest"
import { readMcpFile } from "../../../src/plugins/mcp/McpServers.ts"

const problemsOf = (value: unknown): ReadonlyArray<string> =>
  readMcpFile(JSON.stringify(value, null, 2)).problems.map(({ column, line, what }) => `${line}:${column}: ${what}`)

const read = (text: string) => {
  const { notes, problems, servers } = readMcpFile(text)
  return { entry: servers.get("s"), problems: problems.map(({ what }) => what), notes: notes.map(({ what }) => what) }
}

describe(".mcp.json", () => {
  it("names programs and addresses", () => {
    const program = { command: "npx", args: ["-y", "x"], env: { A: "${A}" }, cwd: "sub" }
    const address = { type: "http", url: "https://example.com/mcp", headers: { "X-Key": "k" } }
    const { problems, servers } = readMcpFile(JSON.stringify({ mcpServers: { program, address } }))
    assert.deepStrictEqual<unknown>([Object.fromEntries(servers), problems], [{ program, address }, []])
  })

  it("ignores the keys of other programs with a note, and keeps the server", () => {
    const foreign = {
      autoApprove: ["say"],
      alwaysAllow: [],
      timeout: 60,
      description: "S.",
      envFile: "e",
      tools: ["*"]
    }
    const s = { command: "x", ...foreign, disabled: false }
    const { notes, problems, servers } = readMcpFile(JSON.stringify({ inputs: [], mcpServers: { s } }, null, 1))
    assert.deepStrictEqual<unknown>([servers.get("s"), problems], [{ command: "x", disabled: false }, []])
    const what = '"inputs" is a key of another program and is ignored.'
    assert.deepStrictEqual(notes[0], { line: 2, column: 2, what })
    const names = notes.map(({ what }) => /^"(?:mcpServers\.s\.)?(\w+)"/.exec(what)?.[1])
    assert.deepStrictEqual(names, ["inputs", ...Object.keys(foreign)])
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

  it.each<[entry: object, problem: string]>([
    [{ command: "x", url: "y" }, '3:5: "mcpServers.s": holds "command" and "url". Leave one of them out.'],
    [{ url: "y", args: [] }, '3:5: "mcpServers.s": holds "args", which a server with an address cannot have.'],
    [{ command: "x", headers: {} }, '3:5: "mcpServers.s": holds "headers", which a program cannot have.'],
    [{ type: "http", command: "x" }, '3:5: "mcpServers.s": has the type "http" and a program.'],
    [{ type: "stdio", url: "y" }, '3:5: "mcpServers.s": has the type "stdio" and an address.'],
    [{ type: "ws", url: "y" }, '4:7: "mcpServers.s.type" must be "stdio" or "http", but is "ws".'],
    [{ command: "x", arg: [] }, '5:7: unknown key "mcpServers.s.arg". Nearest: args.'],
    [{ command: "x", risk: "safe" }, '5:7: "mcpServers.s.risk" has no effect in a project\'s file']
  ])("says what is wrong with %j", (entry, problem) => {
    const [first = "", ...others] = problemsOf({ mcpServers: { s: entry } })
    assert.deepStrictEqual([first.slice(0, problem.length), others], [problem, []])
  })

  it("says what is wrong with the file as a whole", () => {
    const shape = '1:1: the file does not hold an object "mcpServers". Write { "mcpServers": { "NAME": { ... } } }.'
    for (const wrong of [[], {}, { mcpServers: [] }]) assert.deepStrictEqual(problemsOf(wrong), [shape])
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
    const found = read(JSON.stringify({ mcpServers: { s: entry } }))
    assert.deepStrictEqual<unknown>(found, { entry: own, problems: [], notes: [] })
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
