/**
 * The parsers of what models, model servers, MCP servers and pages send: calls, thoughts, lines of an answer, `.mcp.json`,
 * definitions and results of tools, manifests of plugins. HTML is read in a thread with limits of time and memory instead, since
 * nested tables take its library any time.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readMessageTurn } from "../../src/domain/conversation/MessageTurn.ts"
import { readAskedCall } from "../../src/domain/documents/TurnFormat.ts"
import type { Findings } from "../../src/domain/findings/Issue.ts"
import { ThinkingSplit } from "../../src/domain/models/ThinkingSplit.ts"
import { expandEntry } from "../../src/plugins/mcp/EntryVariables.ts"
import { readMcpFile } from "../../src/plugins/mcp/McpServers.ts"
import { mcpData, mcpToolName, serverPrefix } from "../../src/plugins/mcp/McpTool.ts"
import { readableSchema } from "../../src/plugins/mcp/McpSchema.ts"
import { entryCandidates, PackageManifest } from "../../src/services/plugins/PluginFinder.ts"
import { numberCalls, readCallBlock } from "../../src/domain/tools/ToolCallFormat.ts"
import { readObject, ServerError } from "../../src/services/providers/ServerFailure.ts"
import type { FuzzedParser } from "./FuzzParsers.ts"
import { json, jsonTokens, parsed, words } from "./jsonTokens.ts"

const readLine = (text: string) => Result.try({ try: () => readObject(text), catch: (cause) => cause })

const callTokens = [
  ...jsonTokens,
  ...words("<tool_call> </tool_call> [TOOL_CALLS] <function=read_file> <parameter=path> read_file("),
  ...words("<|python_tag|> <think>"),
  '"uid": "a"',
  '"name": "read_file"',
  '"arguments": {',
  '"parameters": ',
  "\n```json\n",
  "\n```\n",
  "> "
]
const validCalls = [
  '{ "uid": "a", "name": "read_file", "arguments": { "path": "src/a.ts", "lines": [1, 2] } }',
  '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "content": "x\\n"}}\n</tool_call>',
  '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}}]',
  "<function=read_file>\n<parameter=path>\na.ts\n</parameter>\n</function>",
  'read_file(path="a.ts")'
]

const callsOf = (text: string) => {
  const findings: Findings = { issues: [], repairs: [] }
  return { calls: numberCalls(readCallBlock(text, {}, findings), findings), findings }
}

const calls: FuzzedParser = {
  name: "tool calls",
  valid: validCalls,
  tokens: callTokens,
  accepts: (text) => callsOf(text).calls.length > 0 && callsOf(text).findings.issues.length === 0,
  defect: (text) => {
    const { calls: read, findings } = callsOf(text)
    if (new Set(read.map(({ uid }) => uid)).size !== read.length) return "two calls with one uid"
    /* An empty list is no call, and nothing is wrong with it, also between marks of calls. */
    const isSilent = read.length === 0 && findings.issues.length === 0
    if (isSilent && !text.includes("[") && text.trim() !== "") return "neither a call nor an issue"
    if (json(callsOf(text)) !== json({ calls: read, findings })) return "another reading of the same text"
    const value = parsed(text)?.value
    readAskedCall({ id: "1", name: "read_file", arguments: value as never }, "call-1")
    return undefined
  }
}

const tools = new Set(["read_file", "write_file"])
/** The calls that are taken from an answer; nothing when there are none. */
const asked = (text: string) => {
  const { calls } = readMessageTurn(text, { tools, mayChange: false })
  return calls.length === 0 ? undefined : calls
}

const proseCalls: FuzzedParser = {
  name: "calls in an answer",
  valid: [
    ...validCalls,
    ...validCalls.map((call) => `\`\`\`json\n${call}\n\`\`\``),
    ...validCalls.map((call) => `## Tool Calls\n\n\`\`\`json\n${call}\n\`\`\`\n`),
    "The format is:\n\n> read_file(path)\n"
  ],
  tokens: [...callTokens, "For example: ", "Let me ", "<!-- ", " -->"],
  accepts: (text) => asked(text) !== undefined,
  defect: (text) => {
    const quoted = text.split(/\r\n|\r|\n/).map((line) => `> ${line}`)
    if (asked(quoted.join("\n")) !== undefined) return "a quoted call is taken"
    if (asked(`<!--\n${text.replaceAll("--", "")}\n-->`) !== undefined) return "a call in a comment is taken"
    return undefined
  }
}

/** What is thought and said when a text comes in these pieces. */
const split = (pieces: ReadonlyArray<string>): string => {
  const thinking = new ThinkingSplit()
  const written = pieces.flatMap((piece) => thinking.add(piece))
  const { answer, pieces: rest } = thinking.end()
  const of = (kind: string): string => [...written, ...rest].map((one) => (one.kind === kind ? one.text : "")).join("")
  return json([of("thinking"), of("text"), answer])
}

const thoughts: FuzzedParser = {
  name: "thoughts",
  valid: ["<think>\nLet me see.\n</think>\n\n## Tasks\n", "<thinking>a</thinking><think>b</think>c", "Just text."],
  tokens: [...words("<think> </think> <thinking> </thinking> <thought> <reasoning> < </ think"), "\n## Tasks\n"],
  accepts: (text) => split([text]) !== json(["", text, ""]),
  defect: (text) => {
    const short = text.slice(0, 4000)
    return split([short]) === split(short.split("")) ? undefined : "another reading when it comes in pieces"
  }
}

const lines: FuzzedParser = {
  name: "lines of a model server",
  valid: [
    '{"message":{"role":"assistant","content":"a"},"done":false}',
    '{"done":true,"done_reason":"stop"}',
    '{"error":"no"}'
  ],
  tokens: [...jsonTokens, '"done":true', '"message":{', '"error":', '"tool_calls":['],
  accepts: (text) => Result.isSuccess(readLine(text)),
  defect: (text) => {
    const read = readLine(text)
    if (Result.isSuccess(read)) return Predicate.isObject(read.success) ? undefined : "a line that is no object"
    const { failure } = read
    return failure instanceof ServerError && failure.message !== "" ? undefined : "refused without a reason"
  }
}

const mcpFile: FuzzedParser = {
  name: ".mcp.json",
  valid: [
    '{ "mcpServers": { "a": { "command": "npx", "args": ["-y", "x"], "env": { "K": "${K:-v}" } } } }',
    '{ "mcpServers": { "b": { "type": "http", "url": "https://a.example/${P}", "headers": { "A": "${B}" } } }, "x": 1 }'
  ],
  tokens: [
    ...jsonTokens,
    '"mcpServers": {',
    '"command": "a"',
    '"args": [',
    '"env": {',
    '"url": "http://a"',
    "${A",
    "${A:-",
    '"risk": "safe"',
    '"tools": {'
  ],
  accepts: (text) => readMcpFile(text).servers.size > 0,
  defect: (text) => {
    const { problems, servers } = readMcpFile(text)
    if (problems.some(({ line, what }) => what === "" || line < 1)) return "a problem without words or a place"
    for (const entry of servers.values()) {
      if ("risk" in entry || "tools" in entry) return "a project sets what only a person may"
      expandEntry(entry, new Map([["A", "${B}"]]))
    }
    return undefined
  }
}

const mcpTools: FuzzedParser = {
  name: "tools and results of MCP servers",
  valid: [
    '{ "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } }, "$defs": { "a": { "anyOf": [{ "$ref": "#/$defs/a" }] } } }'
  ],
  tokens: [...jsonTokens, '"$ref": "#/$defs/a"', '"$defs": {', '"properties": {', '"type": "object"', '"items": '],
  accepts: (text) => parsed(text) !== undefined && Result.isSuccess(readableSchema(parsed(text)?.value)),
  defect: (text) => {
    const prefix = serverPrefix(text.slice(0, 200))
    const name = mcpToolName(prefix ?? "mcp__a__", text.slice(-200))
    if (name !== undefined && !/^[a-z0-9_]{1,100}$/.test(name)) return "a name that no tool may have"
    const value = parsed(text)?.value
    readableSchema(value)
    mcpData("x", { text, structured: value, isError: false })
    return undefined
  }
}

const decodeManifest = Schema.decodeUnknownOption(PackageManifest)
const manifestOf = (text: string) => Option.getOrUndefined(decodeManifest(parsed(text)?.value))

const manifests: FuzzedParser = {
  name: "manifests of plugins",
  valid: [
    '{ "name": "a", "version": "1.0.0", "main": "./a.js", "exports": { ".": { "import": ["./b.js"], "default": "./c.js" } } }'
  ],
  tokens: [...jsonTokens, '"exports": ', '".": {', '"import": ', '"default": ', '"main": "../a"', '"./a.js"'],
  accepts: (text) => manifestOf(text) !== undefined,
  defect: (text) => {
    const manifest = manifestOf(text)
    return manifest === undefined || entryCandidates(manifest).every((one) => typeof one === "string")
      ? undefined
      : "an entry that is no path"
  }
}

export const foreignParsers: ReadonlyArray<FuzzedParser> = [
  calls,
  proseCalls,
  thoughts,
  lines,
  mcpFile,
  mcpTools,
  manifests
]
